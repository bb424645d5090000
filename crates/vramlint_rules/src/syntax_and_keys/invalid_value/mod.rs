//! # invalid-value
//!
//! A value outside the set or the range that its key accepts.
//!
//! ## Why it matters
//! accelerate and DeepSpeed reject such a value, mostly before the first step. Most values are case-sensitive.
//!
//! ## Example
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: multi_gpu
//! num_processes: 2
//! ```
//!
//! ## Use instead
//! ```yaml file=accelerate_config.yaml
//! compute_environment: LOCAL_MACHINE
//! distributed_type: MULTI_GPU
//! num_processes: 2
//! mixed_precision: BF16
//! ```
//!
//! ## Fix
//! Safe if only the case is wrong, or if the value has a single successor; unsafe if a similar spelling is suggested.
//!
//! ## Severity
//! An info finding for a value that older versions accepted, if the installed version is not known. Silent for `auto` and for
//! values from a template.
//!
//! ## Sources
//! accelerate 1.15.0 `commands/config/config_args.py:173`, `utils/launch.py:171`, run; DeepSpeed 0.19.8
//! `runtime/config_utils.py` (pydantic 2), run.
//!
//! # 中文
//!
//! 值不在其键所接受的集合或范围之内。
//!
//! ## 为什么重要
//! accelerate 与 DeepSpeed 会拒绝这样的值，多在第一步之前。多数值区分大小写。
//!
//! ## 修复
//! 只是大小写有误，或该值有唯一的后继写法时为安全修复；建议相近拼写时为不安全修复。
//!
//! ## 严重程度
//! 旧版本接受的值，在所装版本未知时仅作提示。写作 `auto` 或由模板填入时不报告。
//!
//! ## 来源
//! accelerate 1.15.0 `commands/config/config_args.py:173`、`utils/launch.py:171`，实际运行；DeepSpeed 0.19.8
//! `runtime/config_utils.py`（pydantic 2），实际运行。

mod accelerate;
mod arguments;
mod deepspeed;
mod frameworks;

use super::violation_finding;
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Finding, Message, Severity, Value, message};
use vramlint_resolve::SourceFile;
use vramlint_semantic::schema::{self, KnownEntry, Violation};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL010", "invalid-value", Severity::Error, page!("mod.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    accelerate::check(cx, out);
    arguments::check(cx, out);
    deepspeed::check(cx, out);
    frameworks::check(cx, out);
}

/// The finding for an entry, with the value that was meant as its fix.
fn finding(file: &SourceFile, found: &KnownEntry<'_>, by: &str, problem: &Violation, severity: Severity) -> Finding {
    offer(violation_finding(&RULE, file, found, by, problem).with_severity(severity), file, found, problem)
}

/// What was meant, as help and fix: safe where the letters' case alone differs.
fn offer(finding: Finding, file: &SourceFile, found: &KnownEntry<'_>, problem: &Violation) -> Finding {
    let Some(meant) = problem.intended_value() else { return finding };
    let same_word = match (found.value.text(), meant) {
        (Some(written), Value::Text(meant)) => written.eq_ignore_ascii_case(meant),
        _ => false,
    };
    let applicability = if same_word { Applicability::Safe } else { Applicability::Unsafe };
    let finding = finding.with_help(did_you_mean(meant));
    match schema::fix(file, found.value, meant, applicability) {
        Some(fix) => finding.with_fix(fix),
        None => finding,
    }
}

fn did_you_mean(meant: &Value) -> Message {
    let text = meant.as_str().map_or_else(|| meant.to_string(), str::to_owned);
    message!("did you mean `{text}`?", "是否想写 `{text}`？")
}
