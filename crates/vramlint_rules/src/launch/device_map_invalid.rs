//! # device-map-invalid
//!
//! `device_map` is a string that is neither a device nor a strategy, or a negative number.
//!
//! ## Why it matters
//! transformers accepts `auto`, `balanced`, `balanced_low_0`, `sequential` and torch devices (`cuda:0`, `cpu`). `gpu`, `none`, `cuda0` and
//! -1 raise an error when the model is loaded.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="gpu")
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", device_map="cuda")
//! ```
//!
//! ## Fix
//! Safe for the case of a strategy (`Auto`) and for `cuda0`. Unsafe: `gpu` becomes `cuda`, the process's own GPU.
//!
//! ## When it stays silent
//! If the value is not known, or names a device of another vendor whose plugin may be installed (`npu:0`).
//!
//! ## Sources
//! transformers 5.23.0 `integrations/accelerate.py`, run.
//!
//! # 中文
//!
//! `device_map` 既不是设备也不是策略，或是负数。
//!
//! ## 为什么重要
//! transformers 接受 `auto`、`balanced`、`balanced_low_0`、`sequential`，或 torch 可识别的设备（`cuda:0`、`cpu`）。`gpu`、`none`、`cuda0` 以及 -1
//! 在加载模型时都会报错。
//!
//! ## 何时不报
//! 值无法得知，或是其他厂商的设备名（如 `npu:0`），其插件可能已安装。
//!
//! ## 修复
//! 策略大小写不同（`Auto`）以及 `cuda0` 时是安全的；`gpu` 改为 `cuda`（进程自己的 GPU）属不安全修复。
//!
//! ## 来源
//! transformers 5.23.0 `integrations/accelerate.py`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_resolve::code::ArgValue;
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL150", "device-map-invalid", Severity::Error, page!("device_map_invalid.rs"), check)
};

/// Strategies of transformers 5.23.0, and `unsloth`'s.
const STRATEGIES: &[&str] = &["auto", "balanced", "balanced_low_0", "sequential"];
/// Device types of torch 2.15.0, and those added by plugins.
const DEVICES: &[&str] = &[
    "cpu",
    "cuda",
    "ipu",
    "xpu",
    "mkldnn",
    "opengl",
    "opencl",
    "ideep",
    "hip",
    "ve",
    "fpga",
    "maia",
    "xla",
    "lazy",
    "vulkan",
    "mps",
    "meta",
    "hpu",
    "mtia",
    "privateuseone",
    "npu",
    "mlu",
    "musa",
    "sdaa",
    "neuron",
    "tpu",
    "dml",
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let Some(argument) = call.argument("device_map", None).filter(|_| calls::loads_model(call)) else { continue };
        let Some(value) = argument.sole_value() else { continue };
        let (shown, text) = match &value.value {
            ArgValue::Known(Value::Text(text)) if !is_place(text) => (format!("'{text}'"), Some(text.as_str())),
            ArgValue::Known(Value::Int(number)) if *number < 0 => (number.to_string(), None),
            _ => continue,
        };
        if !out.mark_reported(value.place) {
            continue;
        }
        let mut finding = RULE
            .finding(
                value.place,
                message!(
                    "`device_map = {shown}` is neither a device nor a strategy; loading the model raises an error",
                    "`device_map = {shown}` 既不是设备也不是策略；加载模型时会报错"
                ),
            )
            .with_help(message!(
                "use a device such as 'cuda' or 'cpu', or one of auto, balanced, balanced_low_0, sequential",
                "使用 'cuda'、'cpu' 等设备，或 auto、balanced、balanced_low_0、sequential 之一"
            ));
        if !call.place.range.contains(value.place.range) {
            finding = finding.with_related(call.place, calls::reached_message(call));
        }
        if let Some((name, applicability)) = text.and_then(meant)
            && let Some(fix) = calls::replace_argument(argument, value, format!("\"{name}\""), applicability)
        {
            finding = finding.with_fix(fix);
        }
        out.push(finding);
    }
}

fn is_place(text: &str) -> bool {
    let (kind, number) = text.split_once(':').map_or((text, None), |(kind, number)| (kind, Some(number)));
    STRATEGIES.contains(&text) || DEVICES.contains(&kind) && number.is_none_or(|number| number.parse::<u8>().is_ok())
}

fn meant(text: &str) -> Option<(String, Applicability)> {
    let lower = text.trim().to_lowercase();
    if is_place(&lower) {
        return Some((lower, Applicability::Safe));
    }
    if let Some(number) = lower.strip_prefix("cuda").or_else(|| lower.strip_prefix("gpu:")).or_else(|| lower.strip_prefix("gpu"))
        && let Ok(number) = number.trim_start_matches(['_', '-']).parse::<u8>()
    {
        return Some((format!("cuda:{number}"), Applicability::Safe));
    }
    (lower == "gpu").then(|| ("cuda".to_owned(), Applicability::Unsafe))
}
