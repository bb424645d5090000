//! # unknown-attention
//!
//! `attn_implementation` names an attention that transformers does not have.
//!
//! ## Why it matters
//! `flash_attn_2`, `flash_attention` and `xformers` look right, but loading the model raises an error that lists the valid names.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation="flash_attn_2")
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import AutoModelForCausalLM
//!
//! model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B", attn_implementation="flash_attention_2")
//! ```
//!
//! ## Fix
//! Safe if the meaning is unambiguous: `flash_attention_2` for `flash_attn_2`, the name in lower case.
//!
//! ## When it stays silent
//! For kernels named by their repository (`org/name`); if the project registers its own attention functions; if the value comes from the
//! command line.
//!
//! ## Sources
//! transformers 5.23.0 `modeling_utils.py` (`get_correct_attn_implementation`) and `AttentionInterface`, run.
//!
//! # 中文
//!
//! `attn_implementation` 写了 transformers 没有的注意力实现。
//!
//! ## 为什么重要
//! `flash_attn_2`、`flash_attention`、`xformers` 看似正确，但加载模型时会报错，并列出合法名称。
//!
//! ## 何时不报
//! 以仓库名（`org/name`）给出的内核；项目自行注册了注意力函数；值来自命令行。
//!
//! ## 修复
//! 含义明确时是安全的：`flash_attn_2` 改为 `flash_attention_2`，名称改为小写。
//!
//! ## 来源
//! transformers 5.23.0 `modeling_utils.py`（`get_correct_attn_implementation`）与 `AttentionInterface`，实际运行。

use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Severity, message};
use vramlint_catalog::classes;
use vramlint_resolve::Feature;
use vramlint_semantic::calls;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL448", "unknown-attention", Severity::Error, page!("unknown_attention.rs"), check)
};

/// The names that transformers accepts; each may follow `paged|`.
fn names() -> Vec<&'static str> {
    classes::values("trl.ModelConfig", "attn_implementation")
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    for at in calls::uncaught_calls(cx.project) {
        let call = at.call();
        let config = call.name() == "from_config" && call.library() == "transformers";
        if !calls::loads_model(call) && !config {
            continue;
        }
        let Some(argument) = call.argument("attn_implementation", None) else { continue };
        let Some((word, place)) = calls::text_value(argument) else { continue };
        let known = names().contains(&word.strip_prefix("paged|").unwrap_or(word));
        if known || word.contains('/') || registers(cx) || !out.mark_reported(place) {
            continue;
        }
        let mut finding = RULE
            .finding(
                place,
                message!(
                    "`attn_implementation = '{word}'` is not an attention that transformers has; loading the model raises an error",
                    "`attn_implementation = '{word}'` 不是 transformers 的注意力实现；加载模型时会报错"
                ),
            )
            .with_help(message!(
                "expected one of: eager, sdpa, flash_attention_2, flash_attention_3, flex_attention",
                "可选：eager、sdpa、flash_attention_2、flash_attention_3、flex_attention"
            ));
        if !call.place.range.contains(place.range) {
            finding = finding.with_related(call.place, calls::reached_message(call));
        }
        if let (Some(name), Some(value)) = (meant(word), argument.sole_value())
            && let Some(fix) = calls::replace_argument(argument, value, format!("\"{name}\""), Applicability::Safe)
        {
            finding = finding.with_fix(fix);
        }
        out.push(finding);
    }
}

/// Whether the project adds attention functions of its own.
fn registers(cx: &Context<'_>) -> bool {
    let files = cx.project.files.iter();
    files.filter(|file| file.is_python()).any(|file| cx.project.features(file.id).has(Feature::CustomAttention))
}

fn meant(word: &str) -> Option<&'static str> {
    let lower = word.to_lowercase().replace(['-', ' '], "_");
    if let Some(name) = names().into_iter().find(|name| *name == lower) {
        return Some(name);
    }
    match lower.as_str() {
        "flash_attn_2" | "flashattention2" | "flash_attention2" | "flash_attn2" | "fa2" | "flash2" | "flashattention_2" => {
            Some("flash_attention_2")
        }
        "flash_attn_3" | "flashattention3" | "flash_attention3" | "flash_attn3" | "fa3" | "flashattention_3" => {
            Some("flash_attention_3")
        }
        "spda" | "scaled_dot_product_attention" => Some("sdpa"),
        _ => None,
    }
}
