//! # unknown-dtype-name
//!
//! A dtype is a string that is not a torch dtype: `"bf16"`, `"fp16"`, `"torch.bfloat16"`.
//!
//! ## Why it matters
//! transformers looks the string up as an attribute of torch. `bf16`, `fp16` and `fp32` are names of Trainer, accelerate and DeepSpeed;
//! torch has `bfloat16`, `float16` and `float32`, without `torch.` before them. The error is raised before any weight is read.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="bf16")
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", dtype="bfloat16")
//! ```
//!
//! ## Fix
//! Safe if the meaning is unambiguous: the name in torch.
//!
//! ## When it stays silent
//! If the string comes from the command line or the environment, or a branch selects it; if an exception handler catches the error.
//!
//! ## Sources
//! transformers 5.23.0 `modeling_utils.py` (`AttributeError` for `dtype`, `ValueError` for `torch_dtype`) and
//! `utils/quantization_config.py` (`bnb_4bit_compute_dtype`, `bnb_4bit_quant_storage`), run with torch 2.15.0; 4.57.1 raises too, read.
//!
//! # 中文
//!
//! dtype 是字符串，但不是 torch 的 dtype：`"bf16"`、`"fp16"`、`"torch.bfloat16"`。
//!
//! ## 为什么重要
//! transformers 会把该字符串当作 torch 的属性名查找。`bf16`、`fp16`、`fp32` 是 Trainer、accelerate 和 DeepSpeed 的写法；torch 中是 `bfloat16`、
//! `float16`、`float32`，且前面不带 `torch.`。在读取任何权重之前就会报错。
//!
//! ## 何时不报
//! 字符串来自命令行或环境变量，或由分支决定；异常处理会捕获该错误。
//!
//! ## 修复
//! 含义明确时是安全的：改为 torch 中的名称。
//!
//! ## 来源
//! transformers 5.23.0 `modeling_utils.py`（`dtype` 抛 `AttributeError`，`torch_dtype` 抛 `ValueError`）与 `utils/quantization_config.py`
//! （`bnb_4bit_compute_dtype`、`bnb_4bit_quant_storage`），在 torch 2.15.0 下实际运行；4.57.1 同样拒绝，阅读源码。

use crate::argument_findings::{finding, with_fix};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_resolve::arguments::ArgumentReader;
use vramlint_semantic::arguments::{is_trl, set_to, trainings};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL440", "unknown-dtype-name", Severity::Error, page!("unknown_dtype_name.rs"), check)
};

/// The dtypes of torch 2.15.0.
const DTYPES: &[&str] = &[
    "float16",
    "half",
    "bfloat16",
    "float32",
    "float",
    "float64",
    "double",
    "int8",
    "int16",
    "short",
    "int32",
    "int",
    "int64",
    "long",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "bool",
    "complex32",
    "chalf",
    "complex64",
    "cfloat",
    "complex128",
    "cdouble",
    "qint8",
    "quint8",
    "qint32",
    "quint4x2",
    "quint2x4",
    "auto",
];
/// Families of dtypes that grow with each version.
const FAMILIES: &[&str] = &["float8_", "float4_", "bits", "int", "uint"];
/// Strings that `bnb_4bit_quant_storage` accepts: transformers 5.23.0 utils/quantization_config.py.
const STORAGE: &[&str] = &["float16", "float32", "int8", "uint8", "float64", "bfloat16"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let keys: &[&str] = if calls::loads_model(call) {
            &["dtype", "torch_dtype"]
        } else if call.is("transformers", "BitsAndBytesConfig") {
            &["bnb_4bit_compute_dtype", "bnb_4bit_quant_storage"]
        } else {
            continue;
        };
        for key in keys {
            let Some(argument) = call.argument(key, None) else { continue };
            let Some((text, place)) = calls::text_value(argument) else { continue };
            let storage = *key == "bnb_4bit_quant_storage";
            let known = if storage { STORAGE.contains(&text) } else { is_dtype(text) };
            if known || !out.mark_reported(place) {
                continue;
            }
            let mut finding = RULE.finding(
                place,
                message!(
                    "`{key} = '{text}'` is not a dtype that {callee} accepts; the call raises an error",
                    "`{key} = '{text}'` 不是 {callee} 接受的 dtype；调用会报错",
                    callee = call.name()
                ),
            );
            if !call.place.range.contains(place.range) || call.place.file != place.file {
                finding = finding.with_related(call.place, calls::reached_message(call));
            }
            let meant = meant(text);
            finding = match meant {
                Some(name) => finding.with_help(message!("the name in torch is '{name}'", "torch 中的名称是 '{name}'")),
                None => finding.with_help(message!(
                    "use a torch name such as 'bfloat16', or 'auto'",
                    "使用 torch 中的名称，如 'bfloat16'，或 'auto'"
                )),
            };
            if let Some(name) = meant
                && let Some(value) = argument.sole_value()
                && let Some(fix) = calls::replace_argument(argument, value, format!("\"{name}\""), Applicability::Safe)
            {
                finding = finding.with_fix(fix);
            }
            out.push(finding);
        }
    }
    through_trl(cx, out);
}

/// The same in the `model_init_kwargs` of a TRL configuration, which loads the model with them, and in the arguments from which `trl` and
/// `TrlParser` build a `ModelConfig`.
fn through_trl(cx: &Context<'_>, out: &mut Sink) {
    for set in trainings(cx.project).filter(|set| is_trl(set) && set.reader != ArgumentReader::Unknown) {
        let nested = set.get("model_init_kwargs").into_iter().flat_map(|given| &given.entries);
        let nested = nested.filter(|entry| matches!(entry.key.as_str(), "dtype" | "torch_dtype"));
        let nested =
            nested.filter_map(|entry| Some((entry.key.as_str(), entry.value.as_ref()?.as_str()?, entry.value_place, None)));
        let parsed = set.get("dtype").filter(|_| set.has_class("trl.ModelConfig"));
        let parsed = parsed.and_then(|given| Some(("dtype", given.value.as_ref()?.as_str()?, given.value_place, Some(given))));
        for (key, text, place, given) in nested.chain(parsed) {
            if is_dtype(text) || !out.mark_reported(place) {
                continue;
            }
            let message = message!(
                "`{key} = '{text}'` is not a dtype that `from_pretrained` accepts; loading the model raises an error",
                "`{key} = '{text}'` 不是 `from_pretrained` 接受的 dtype；加载模型会报错"
            );
            let mut found = finding(cx, set, &RULE, place, message);
            if let Some(name) = meant(text) {
                found = found.with_help(message!("the name in torch is '{name}'", "torch 中的名称是 '{name}'"));
                if let Some(given) = given {
                    let edit = set_to(cx.project, given, &Value::Text(name.to_owned()));
                    found = with_fix(found, message!("write {name}", "改为 {name}"), Applicability::Safe, edit);
                }
            }
            out.push(found);
        }
    }
}

fn is_dtype(text: &str) -> bool {
    let grows = |family: &str| {
        text.strip_prefix(family)
            .is_some_and(|rest| !rest.is_empty() && (family.ends_with('_') || rest.chars().all(|c| c.is_ascii_alphanumeric())))
    };
    DTYPES.contains(&text) || FAMILIES.iter().any(|family| grows(family))
}

/// The torch name that a spelling certainly means.
fn meant(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    match lower.strip_prefix("torch.").unwrap_or(&lower) {
        "bf16" | "bfloat16" | "bfloat" => Some("bfloat16"),
        "fp16" | "f16" | "float16" | "half" => Some("float16"),
        "fp32" | "f32" | "float32" | "float" | "full" => Some("float32"),
        _ => None,
    }
}
