//! # quantized-by-default
//!
//! A model is loaded by unsloth without a word on its width: it comes in 4 bit.
//!
//! ## Why it matters
//! `load_in_4bit` is on unless it is switched off. Who means to train bfloat16 weights gets quantized ones, with other memory, other
//! speed and another result. Figures of both are compared all the time, so say which it is.
//!
//! ## Example
//! ```python file=train.py
//! from unsloth import FastLanguageModel
//!
//! model, tokenizer = FastLanguageModel.from_pretrained("acme/tiny-llama", max_seq_length=2048)
//! ```
//!
//! ## Fine
//! ```python file=train.py
//! from unsloth import FastLanguageModel
//!
//! model, tokenizer = FastLanguageModel.from_pretrained("acme/tiny-llama", max_seq_length=2048, load_in_4bit=True)
//! ```
//!
//! ## Fix
//! Unsafe, to be looked at: `load_in_4bit=True`, which is what happens.
//!
//! ## When it is silent
//! Where any width or `full_finetuning` is given, where more may be given than is seen, and for names that say the width themselves.
//!
//! ## Sources
//! unsloth 2026.8.19 and 2026.10.9 `models/loader.py`, read.
//!
//! # 中文
//!
//! 用 unsloth 加载模型而没有写明位宽：会以 4 位加载。
//!
//! ## 为什么重要
//! `load_in_4bit` 默认开启。想训练 bfloat16 权重的人得到的是量化权重：显存、速度与结果都不同。请明确写出。
//!
//! ## 修复
//! 不安全，需要确认：写上 `load_in_4bit=True`，与实际行为一致。
//!
//! ## 何时不报告
//! 给出了任一位宽或 `full_finetuning`，可能还有看不到的参数，或名称本身已写明位宽。
//!
//! ## 来源
//! unsloth 2026.8.19 与 2026.10.9 `models/loader.py`，阅读源码。

use crate::rule::ReportedPlaces;
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, Value, message};
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    code: "VL487",
    name: "quantized-by-default",
    group: Group::Precision,
    severity: Severity::Info,
    since: "0.1.0",
    source: include_str!("quantized_by_default.rs"),
    check: Some(check),
    needs: needs::TRAINING,
    symptoms: &[Symptom::BadLoss, Symptom::Slow],
    ..Rule::DEFAULT
};

const WIDTHS: &[&str] =
    &["load_in_4bit", "load_in_8bit", "load_in_16bit", "load_in_fp8", "full_finetuning", "quantization_config"];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedPlaces::default();
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
        if names_width || !reported.insert(call.place) {
            continue;
        }
        let what = message!("no width is given: unsloth loads `{name}` in 4 bit", "没有写明位宽：unsloth 会以 4 位加载 `{name}`");
        let mut finding = RULE.finding(call.place, what).with_help(message!(
            "write load_in_4bit=True if it is meant, else load_in_4bit=False",
            "若确要如此请写 load_in_4bit=True，否则写 load_in_4bit=False"
        ));
        if let Some(fix) = calls::add_argument(cx.project, call, "load_in_4bit", "True", Applicability::Unsafe) {
            finding = finding.with_fix(fix);
        }
        out.push(finding);
    }
}
