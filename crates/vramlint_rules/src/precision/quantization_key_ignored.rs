//! # quantization-key-ignored
//!
//! `BitsAndBytesConfig` drops a keyword, or nothing turns quantization on.
//!
//! ## Why it matters
//! Unknown keywords are logged at info level and dropped: with `bnb_4bit_use_nested_quant` (TRL calls it `use_bnb_nested_quant`,
//! bitsandbytes `bnb_4bit_use_double_quant`) double quantization stays off. Without `load_in_4bit` or `load_in_8bit` nothing is quantized
//! at all, whatever else is set.
//!
//! ## Example
//! ```python file=train.py
//! import torch
//! from transformers import BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(
//!     load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16, bnb_4bit_use_nested_quant=True
//! )
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! import torch
//! from transformers import BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(
//!     load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=torch.bfloat16, bnb_4bit_use_double_quant=True
//! )
//! ```
//!
//! ## Fix
//! Unsafe: renames it to the known keyword, which then takes effect.
//!
//! ## When it stays silent
//! If arguments may exist that are not visible; if an option selects the bits.
//!
//! ## Sources
//! transformers 5.23.0 `utils/quantization_config.py`, `BitsAndBytesConfig.__init__`, run.
//!
//! # 中文
//!
//! `BitsAndBytesConfig` 会丢弃某个关键字，或没有设置开启量化。
//!
//! ## 为什么重要
//! 未知关键字只在 info 级别记录后被丢弃：写 `bnb_4bit_use_nested_quant`（TRL 的写法是 `use_bnb_nested_quant`，bitsandbytes 的写法是
//! `bnb_4bit_use_double_quant`）时，双重量化仍为关闭。若没有 `load_in_4bit` 或 `load_in_8bit`，无论写了什么都不会量化。
//!
//! ## 何时不报
//! 可能还有看不到的参数；位数由选项决定。
//!
//! ## 修复
//! 不安全：改名为已知的关键字；此后该设置将生效。
//!
//! ## 来源
//! transformers 5.23.0 `utils/quantization_config.py` 的 `BitsAndBytesConfig.__init__`，实际运行。

use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, FileRange, Fix, Severity, TextRange, Value, message};
use vramlint_edit as edit;
use vramlint_resolve::code::LibraryCall;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL442", "quantization-key-ignored", Severity::Warning, page!("quantization_key_ignored.rs"), check)
};

/// Keywords of transformers 5.23.0; `quant_method` and those with an underscore come from a saved configuration.
const KEYS: &[&str] = &[
    "load_in_8bit",
    "load_in_4bit",
    "llm_int8_threshold",
    "llm_int8_skip_modules",
    "llm_int8_enable_fp32_cpu_offload",
    "llm_int8_has_fp16_weight",
    "bnb_4bit_compute_dtype",
    "bnb_4bit_quant_type",
    "bnb_4bit_use_double_quant",
    "bnb_4bit_quant_storage",
];
const SAVED: &[&str] = &["quant_method", "_load_in_8bit", "_load_in_4bit"];
/// Names in other tools for the same setting.
const OTHERS: &[(&str, &str)] = &[
    ("use_double_quant", "bnb_4bit_use_double_quant"),
    ("double_quant", "bnb_4bit_use_double_quant"),
    ("use_bnb_nested_quant", "bnb_4bit_use_double_quant"),
    ("use_nested_quant", "bnb_4bit_use_double_quant"),
    ("bnb_4bit_use_nested_quant", "bnb_4bit_use_double_quant"),
    ("bnb_4bit_double_quant", "bnb_4bit_use_double_quant"),
    ("quant_type", "bnb_4bit_quant_type"),
    ("bnb_4bit_type", "bnb_4bit_quant_type"),
    ("compute_dtype", "bnb_4bit_compute_dtype"),
    ("bnb_compute_dtype", "bnb_4bit_compute_dtype"),
    ("quant_storage", "bnb_4bit_quant_storage"),
    ("int8_threshold", "llm_int8_threshold"),
    ("llm_int4_skip_modules", "llm_int8_skip_modules"),
    ("skip_modules", "llm_int8_skip_modules"),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in cx.project.calls() {
        let call = at.call();
        if !call.is("transformers", "BitsAndBytesConfig") || call.is_subclass {
            continue;
        }
        for argument in &call.arguments {
            let Some(name) = argument.name.as_deref() else { continue };
            if argument.may_be_absent() || KEYS.contains(&name) || SAVED.contains(&name) || !out.mark_reported(argument.place) {
                continue;
            }
            let mut finding = RULE.finding(
                argument.place,
                message!(
                    "BitsAndBytesConfig silently drops `{name}`: it has no such keyword",
                    "BitsAndBytesConfig 会静默丢弃 `{name}`：没有这个关键字"
                ),
            );
            if let Some(known) = meant(name) {
                finding = finding.with_help(message!("did you mean `{known}`?", "是否想写 `{known}`？"));
                if argument.is_explicit {
                    let start = argument.place.range.start;
                    let key =
                        FileRange::new(call.file, TextRange::new(start, start + u32::try_from(name.len()).unwrap_or_default()));
                    let edits = vec![edit::replace(key, known)];
                    let title = message!("rename it to `{known}`", "改名为 `{known}`");
                    finding = finding.with_fix(Fix { title, applicability: Applicability::Unsafe, edits });
                }
            }
            out.push(finding);
        }
        off(call, out);
    }
}

/// Nothing turns quantization on.
fn off(call: &LibraryCall, out: &mut Sink) {
    let is_off = |name: &str| call.lacks(name, None) || call.constant_argument(name) == Some(&Value::Bool(false));
    let by_position = call.arguments.iter().any(|argument| argument.position.is_some());
    if by_position || call.open || !call.assigned.is_empty() || !is_off("load_in_4bit") || !is_off("load_in_8bit") {
        return;
    }
    let mentions = call
        .arguments
        .iter()
        .any(|argument| argument.name.as_deref().is_some_and(|name| name.starts_with("bnb_") || name.starts_with("llm_")));
    // Explicitly switching both off is a choice; settings for a quantization that is off are not.
    if mentions && out.mark_reported(call.place) {
        out.push(
            RULE.finding(
                call.callee,
                message!(
                    "neither `load_in_4bit` nor `load_in_8bit` is on: nothing is quantized",
                    "`load_in_4bit` 与 `load_in_8bit` 均未打开：不会进行任何量化"
                ),
            )
            .with_help(message!(
                "add `load_in_4bit=True`, or remove the configuration",
                "加上 `load_in_4bit=True`，或去掉该配置"
            )),
        );
    }
}

/// The intended keyword: another tool's name for it, else one with a similar spelling.
fn meant(name: &str) -> Option<&'static str> {
    if let Some((_, known)) = OTHERS.iter().find(|(other, _)| *other == name) {
        return Some(known);
    }
    let plain = |text: &str| text.replace(['_', '-'], "").to_lowercase();
    KEYS.iter().copied().find(|key| plain(key) == plain(name))
}
