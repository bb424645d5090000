//! # quantized-model-cast
//!
//! A 4-bit or 8-bit model is cast to another dtype: `.half()`, `.float()`, `.to(torch.float16)`.
//!
//! ## Why it matters
//! The weights are packed integers; there is nothing to cast. transformers raises a `ValueError`. Set the dtype of what is not quantized
//! when the model is loaded, with `dtype`.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization)
//! model = model.to(torch.float16)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from transformers import AutoModelForCausalLM, BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16)
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", quantization_config=quantization, dtype=torch.float16)
//! ```
//!
//! ## When it stays silent
//! For a move without a dtype; after adapters are added to the model, whose own `half()` behaves differently; if an option selects the
//! quantization.
//!
//! ## Sources
//! transformers 5.23.0 `modeling_utils.py` (`to`, `half`, `float`), run for 4 and 8 bit.
//!
//! # 中文
//!
//! 把 4 位或 8 位模型转换为其他 dtype：`.half()`、`.float()`、`.to(torch.float16)`。
//!
//! ## 为什么重要
//! 权重是打包的整数，无从转换。transformers 会报 `ValueError`。未量化部分的 dtype 应在加载时用 `dtype` 指定。
//!
//! ## 何时不报
//! 不带 dtype 的移动；加上适配器之后（其 `half()` 行为不同）；是否量化由选项决定。
//!
//! ## 来源
//! transformers 5.23.0 `modeling_utils.py`（`to`、`half`、`float`），4 位与 8 位均实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_resolve::CallRef;
use vramlint_resolve::code::{ArgValue, LibraryCall};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL445", "quantized-model-cast", Severity::Error, page!("quantized_model_cast.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let moves = call.name() == "cuda";
        if !casts(call) && !moves {
            continue;
        }
        let Some(receiver) = &call.receiver else { continue };
        let Some(load) = calls::load_of(at, receiver).filter(|load| !load.conditional && load.library() == "transformers") else {
            continue;
        };
        let Some((config, bits)) = calls::quantization(at, load) else { continue };
        // An undecided condition may exclude the quantization: full training is cast, adapters are quantized.
        if (config.conditional || call.condition.is_some()) && config.condition != call.condition {
            continue;
        }
        // bitsandbytes moves 4-bit models since 0.43, and cannot move 8-bit ones.
        if moves && bits != 8 {
            continue;
        }
        if adapted_before(at, receiver) || !out.mark_reported(call.place) {
            continue;
        }
        if moves {
            let message = message!(
                "an 8-bit model cannot be moved with .cuda(); transformers raises an error",
                "8 位模型不能用 .cuda() 移动；transformers 会报错"
            );
            out.push(
                RULE.finding(call.place, message)
                    .with_related(config.callee, message!("the model is quantized here", "在此量化模型"))
                    .with_help(message!(
                        "remove it: the model is already on the GPU after loading",
                        "请删除：加载时已把模型放到 GPU 上"
                    )),
            );
            continue;
        }
        out.push(
            RULE.finding(
                call.place,
                message!(
                    "a {bits}-bit model cannot be cast; .{method}() raises an error",
                    "{bits} 位模型不能转换 dtype；.{method}() 会报错",
                    method = call.name()
                ),
            )
            .with_related(config.callee, message!("the model is quantized here", "在此量化模型"))
            .with_help(message!(
                "remove the cast; pass dtype to `from_pretrained` for what is not quantized",
                "去掉该转换；未量化部分的 dtype 在 `from_pretrained` 中用 dtype 指定"
            )),
        );
    }
}

/// Whether a call casts: transformers 5.23.0 leaves `bfloat16()` and `double()` to torch.
fn casts(call: &LibraryCall) -> bool {
    match call.name() {
        "half" | "float" => true,
        "to" => call.arguments.iter().filter_map(|argument| argument.sole_value()).any(|value| match &value.value {
            ArgValue::Name(name) => name.strip_prefix("torch.").is_some_and(is_float),
            _ => false,
        }),
        _ => false,
    }
}

fn is_float(name: &str) -> bool {
    matches!(name, "float16" | "half" | "bfloat16" | "float32" | "float" | "float64" | "double")
}

/// Whether adapters are added to the model before the call, or at a place whose order is not known.
fn adapted_before(at: &CallRef, model: &ArgValue) -> bool {
    let ArgValue::Model(model) = model else { return true };
    at.facts.calls[..at.index].iter().any(|call| {
        let wraps = matches!(call.library(), "peft" | "unsloth" | "trl") || call.name() == "add_adapter";
        wraps
            && call
                .arguments
                .iter()
                .flat_map(|argument| &argument.values)
                .any(|value| matches!(&value.value, ArgValue::Model(index) if index == model))
    })
}
