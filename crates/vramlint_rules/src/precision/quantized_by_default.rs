//! # quantized-by-default
//!
//! Loads an Unsloth model without choosing a precision; it defaults to 4-bit.
//!
//! ## Why it matters
//! `load_in_4bit` is on unless it is switched off. A run meant to train bfloat16 weights trains quantized ones, with different memory,
//! speed and results. Set it explicitly.
//!
//! ## Example
//! ```python file=train.py
//! from unsloth import FastLanguageModel
//!
//! model, tokenizer = FastLanguageModel.from_pretrained("acme/tiny-llama", max_seq_length=2048)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from unsloth import FastLanguageModel
//!
//! model, tokenizer = FastLanguageModel.from_pretrained("acme/tiny-llama", max_seq_length=2048, load_in_4bit=True)
//! ```
//!
//! ## Fix
//! Unsafe, to be reviewed: `load_in_4bit=True`, which matches what happens.
//!
//! ## When it stays silent
//! If any precision or `full_finetuning` is set, if arguments may exist that are not visible, and for names that include the precision.
//!
//! ## Sources
//! unsloth 2026.8.19 and 2026.10.9 `models/loader.py`, read.
//!
//! # 中文
//!
//! 用 unsloth 加载模型时没有指定精度：默认以 4 位加载。
//!
//! ## 为什么重要
//! `load_in_4bit` 默认开启。本想训练 bfloat16 权重，得到的却是量化权重：显存、速度与结果都不同。请明确写出。
//!
//! ## 修复
//! 不安全，需要确认：写上 `load_in_4bit=True`，与实际行为一致。
//!
//! ## 何时不报
//! 设置了任一精度或 `full_finetuning`；可能还有看不到的参数；名称本身已写明精度。
//!
//! ## 来源
//! unsloth 2026.8.19 与 2026.10.9 `models/loader.py`，阅读源码。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss, Symptom::Slow],
    ..Rule::new("VL487", "quantized-by-default", Severity::Info, page!("quantized_by_default.rs"), check)
};

const WIDTHS: &[&str] =
    &["load_in_4bit", "load_in_8bit", "load_in_16bit", "load_in_fp8", "full_finetuning", "quantization_config"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in cx.project.calls() {
        let call = at.call();
        let loads = call.library() == "unsloth"
            && call.name() == "from_pretrained"
            && matches!(call.owner(), "FastLanguageModel" | "FastModel" | "FastVisionModel");
        if !loads || call.is_subclass || WIDTHS.iter().any(|name| !call.lacks(name, None)) {
            continue;
        }
        let named = call.argument("model_name", Some(0)).and_then(|argument| argument.constant());
        let Some(Value::Text(name)) = named else { continue };
        let lower = name.to_lowercase();
        let names_width = ["4bit", "8bit", "16bit", "bf16", "fp8", "gptq", "awq"].iter().any(|mark| lower.contains(mark));
        if names_width || !out.mark_reported(call.place) {
            continue;
        }
        let what = message!(
            "precision is not specified: unsloth loads `{name}` in 4-bit by default",
            "未指定精度：unsloth 默认以 4 位加载 `{name}`"
        );
        let mut finding = RULE.finding(call.place, what).with_help(message!(
            "set `load_in_4bit=True` or `load_in_4bit=False` explicitly",
            "请明确写出 `load_in_4bit=True` 或 `load_in_4bit=False`"
        ));
        if let Some(fix) = calls::add_argument(cx.project, call, "load_in_4bit", "True", Applicability::Unsafe) {
            finding = finding.with_fix(fix);
        }
        out.push(finding);
    }
}
