//! # half-precision-not-supported
//!
//! torchtune does not train in fp16.
//!
//! ## Why it matters
//! fp16 needs a gradient scaler, which the recipes do not have: they raise a `ValueError` before the model is loaded.
//!
//! ## Example
//! ```yaml file=config.yaml
//! model:
//!   _component_: torchtune.models.llama3_2.llama3_2_1b
//! batch_size: 2
//! dtype: fp16
//! ```
//!
//! ## Use instead
//! ```yaml file=config.yaml
//! model:
//!   _component_: torchtune.models.llama3_2.llama3_2_1b
//! batch_size: 2
//! dtype: bf16
//! ```
//!
//! ## Fix
//! Unsafe: `bf16`, which GPUs before Ampere do not support.
//!
//! ## Sources
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py`, `recipes/lora_finetune_single_device.py`, the same in 0.3.1 to 0.6.1, read.
//!
//! # 中文
//!
//! torchtune 不支持 fp16 训练。
//!
//! ## 为什么重要
//! fp16 需要梯度缩放器，而这些配方没有：它们在加载模型之前就报 `ValueError`。
//!
//! ## 修复
//! 不安全：`bf16`，Ampere 之前的 GPU 不支持。
//!
//! ## 来源
//! torchtune 0.7.0 `recipes/full_finetune_single_device.py`、`recipes/lora_finetune_single_device.py`（0.3.1 至 0.6.1 相同），阅读源码。

use crate::frameworks::{self, Check, Refusal};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, message};
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_semantic::frameworks::FrameworkConfig;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL485", "half-precision-not-supported", Severity::Error, page!("half_precision_not_supported.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Torchtune, torchtune)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    frameworks::run_with(cx, &RULE, CHECKS, out, |keys, refusal, finding| {
        let Some(place) = keys.place(refusal.at) else { return finding };
        finding.with_fix(Fix {
            title: message!("write bf16", "写作 bf16"),
            applicability: Applicability::Unsafe,
            edits: vec![edit::replace(place, "bf16")],
        })
    });
}

fn torchtune(keys: &FrameworkConfig<'_>) -> Option<Refusal> {
    // Files for generation, evaluation and quantization have no optimizer and may use fp16.
    let trains = keys.is_set("optimizer._component_") || keys.is_set("batch_size");
    (keys.text("dtype") == Some("fp16")
        && trains
        && keys.is_unset("prompt")
        && keys.is_unset("tasks")
        && keys.is_unset("quantizer"))
    .then(|| {
        Refusal::new(
            "dtype",
            &[],
            message!("dtype is fp16, which torchtune does not support", "dtype 为 fp16，torchtune 不支持"),
            message!("use bf16 or fp32", "请用 bf16 或 fp32"),
        )
    })
}
