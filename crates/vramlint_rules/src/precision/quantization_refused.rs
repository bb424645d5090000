//! # quantization-refused
//!
//! `BitsAndBytesConfig` has values that it rejects: both 4 and 8 bits, an integer as threshold, a string for a boolean.
//!
//! ## Why it matters
//! The configuration checks its types when it is created. `llm_int8_threshold=6` is an `int` but must be a `float`, and
//! `load_in_4bit="true"` is a string: the program ends with a `TypeError` before a model is loaded.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=6)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import BitsAndBytesConfig
//!
//! quantization = BitsAndBytesConfig(load_in_8bit=True, llm_int8_threshold=6.0)
//! ```
//!
//! ## Fix
//! Safe: `6.0` for `6`, `True` for `"true"`. Whether 4 or 8 bits are intended is your decision.
//!
//! ## When it stays silent
//! If a value is not known or comes from the command line.
//!
//! ## Sources
//! transformers 5.23.0 `utils/quantization_config.py`, `BitsAndBytesConfig.__init__` and `post_init`, run.
//!
//! # 中文
//!
//! `BitsAndBytesConfig` 有它会拒绝的值：同时 4 位与 8 位、用整数作阈值、用字符串作布尔值。
//!
//! ## 为什么重要
//! 该配置在创建时检查类型。`llm_int8_threshold=6` 是 `int`，而要求的是 `float`；`load_in_4bit="true"` 是字符串：程序在加载模型之前就以 `TypeError` 结
//! 束。
//!
//! ## 何时不报
//! 值无法得知，或来自命令行。
//!
//! ## 修复
//! 安全：`6` 改为 `6.0`，`"true"` 改为 `True`。要 4 位还是 8 位需由你决定。
//!
//! ## 来源
//! transformers 5.23.0 `utils/quantization_config.py` 的 `BitsAndBytesConfig.__init__` 与 `post_init`，实际运行。

use crate::argument_findings::finding;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_resolve::arguments::ArgumentReader;
use vramlint_resolve::code::{ArgValue, CallArgument, LibraryCall};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL441", "quantization-refused", Severity::Error, page!("quantization_refused.rs"), check)
};

/// The type of each keyword, in Python's terms.
const TYPES: &[(&str, &str)] = &[
    ("load_in_4bit", "bool"),
    ("load_in_8bit", "bool"),
    ("llm_int8_threshold", "float"),
    ("llm_int8_skip_modules", "list"),
    ("llm_int8_enable_fp32_cpu_offload", "bool"),
    ("llm_int8_has_fp16_weight", "bool"),
    ("bnb_4bit_quant_type", "str"),
    ("bnb_4bit_use_double_quant", "bool"),
];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        if !call.is("transformers", "BitsAndBytesConfig") {
            continue;
        }
        both(call, out);
        kind(call, out);
        for (key, asked) in TYPES {
            if let Some(argument) = call.argument(key, None) {
                wrong_type(call, argument, key, asked, out);
            }
        }
    }
    both_in_model_config(cx, out);
}

/// The same in a `ModelConfig` of TRL, filled by its parser: creating it raises an error.
fn both_in_model_config(cx: &Context<'_>, out: &mut Sink) {
    for set in
        cx.project.arguments().iter().filter(|set| set.has_class("trl.ModelConfig") && set.reader != ArgumentReader::Unknown)
    {
        let on = |name: &str| set.get(name).filter(|_| set.bool(name, false) == Some(true));
        let (Some(four), Some(eight)) = (on("load_in_4bit"), on("load_in_8bit")) else { continue };
        if out.mark_reported(eight.place) {
            let message = message!(
                "`load_in_4bit` and `load_in_8bit` are both on; ModelConfig raises an error",
                "`load_in_4bit` 与 `load_in_8bit` 同时打开；ModelConfig 会报错"
            );
            out.push(
                finding(cx, set, &RULE, eight.place, message)
                    .with_related(four.place, message!("4 bits are set here", "在此设置 4 位"))
                    .with_help(message!("keep only one of them", "只保留其中一个")),
            );
        }
    }
}

fn both(call: &LibraryCall, out: &mut Sink) {
    let on = |name: &str| call.argument(name, None).filter(|argument| argument.constant() == Some(&Value::Bool(true)));
    let (Some(four), Some(eight)) = (on("load_in_4bit"), on("load_in_8bit")) else { return };
    if out.mark_reported(eight.place) {
        out.push(
            RULE.finding(
                eight.place,
                message!(
                    "`load_in_4bit` and `load_in_8bit` are both on; BitsAndBytesConfig raises an error",
                    "`load_in_4bit` 与 `load_in_8bit` 同时打开；BitsAndBytesConfig 会报错"
                ),
            )
            .with_related(four.place, message!("4 bits are set here", "在此设置 4 位"))
            .with_help(message!("keep only one of them", "只保留其中一个")),
        );
    }
}

/// A 4-bit type that bitsandbytes does not have: the configuration accepts it, loading the model does not.
fn kind(call: &LibraryCall, out: &mut Sink) {
    let Some(argument) = call.argument("bnb_4bit_quant_type", None) else { return };
    let Some((text, place)) = calls::text_value(argument).filter(|(text, _)| !matches!(*text, "nf4" | "fp4")) else { return };
    let on = call.constant_argument("load_in_4bit") == Some(&Value::Bool(true));
    if !on || !out.mark_reported(place) {
        return;
    }
    let mut finding = RULE
        .finding(
            place,
            message!(
                "`bnb_4bit_quant_type = '{text}'` raises an error when the model is loaded: expected nf4 or fp4",
                "`bnb_4bit_quant_type = '{text}'` 会在加载模型时报错：应为 nf4 或 fp4"
            ),
        )
        .with_help(message!("nf4 fits trained weights best", "nf4 最贴合训练后的权重"));
    if let Some(value) = argument.sole_value().filter(|_| matches!(text.to_lowercase().as_str(), "nf4" | "fp4"))
        && let Some(fix) = calls::replace_argument(argument, value, format!("\"{}\"", text.to_lowercase()), Applicability::Safe)
    {
        finding = finding.with_fix(fix);
    }
    out.push(finding);
}

fn wrong_type(call: &LibraryCall, argument: &CallArgument, key: &str, asked: &str, out: &mut Sink) {
    let Some(value) = argument.sole_value() else { return };
    let (found, known) = match &value.value {
        ArgValue::Known(known) => (known.python_type(), Some(known)),
        ArgValue::Dict { .. } => ("dict", None),
        _ => return,
    };
    // A tuple is read as a list here, although the library distinguishes them.
    let absent_allowed = key == "llm_int8_skip_modules" && found == "NoneType";
    if found == asked || absent_allowed || !out.mark_reported(value.place) {
        return;
    }
    let mut finding = RULE
        .finding(
            value.place,
            message!(
                "`{key}` must be of type {asked}, not {found}; BitsAndBytesConfig raises an error",
                "`{key}` 须为 {asked} 而非 {found}；BitsAndBytesConfig 会报错"
            ),
        )
        .with_help(message!("pass a {asked}", "传入 {asked}"));
    if !call.place.range.contains(value.place.range) {
        finding = finding.with_related(call.place, calls::reached_message(call));
    }
    let text = match (known, asked) {
        (Some(Value::Int(number)), "float") => Some(format!("{number}.0")),
        (Some(Value::Text(text)), "bool") => match text.to_lowercase().as_str() {
            "true" => Some("True".to_owned()),
            "false" => Some("False".to_owned()),
            _ => None,
        },
        (Some(Value::Int(1)), "bool") => Some("True".to_owned()),
        (Some(Value::Int(0)), "bool") => Some("False".to_owned()),
        _ => None,
    };
    if let Some(fix) = text.and_then(|text| calls::replace_argument(argument, value, text, Applicability::Safe)) {
        finding = finding.with_fix(fix);
    }
    out.push(finding);
}
