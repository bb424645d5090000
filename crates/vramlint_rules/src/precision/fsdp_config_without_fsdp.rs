//! # fsdp-config-without-fsdp
//!
//! `fsdp_config` is set, but FSDP itself is off.
//!
//! ## Why it matters
//! transformers reads `fsdp_config` only if `fsdp` is set. Without it nothing is sharded: every GPU silently holds the whole model, its
//! gradients and its optimizer states.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", fsdp_config={"version": 2})
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", fsdp=True, fsdp_config={"version": 2})
//! ```
//!
//! ## Fix
//! Unsafe: adds `fsdp`.
//!
//! ## When it stays silent
//! If accelerate's file or a flag of the launch turns FSDP on: those settings then apply.
//!
//! ## Sources
//! transformers 5.23.0 `training_args.py:2776`, run.
//!
//! # 中文
//!
//! 设置了 `fsdp_config`，却没有开启 FSDP。
//!
//! ## 为什么重要
//! transformers 只在设置了 `fsdp` 时读取 `fsdp_config`。没有它就不会分片：每张 GPU 都持有完整的模型、梯度和优化器状态，且没有任何提示。
//!
//! ## 修复
//! 不安全：添加 `fsdp`。
//!
//! ## 何时不报
//! accelerate 的文件或启动参数开启了 FSDP：此时按那些设置分片。
//!
//! ## 来源
//! transformers 5.23.0 `training_args.py:2776`，实际运行。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, DiagnosticTag, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_resolve::Feature;
use vramlint_semantic::arguments::{mentions, run, trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::NoEffect, Symptom::OutOfMemory],
    tag: Some(DiagnosticTag::Unnecessary),
    ..Rule::new("VL436", "fsdp-config-without-fsdp", Severity::Warning, page!("fsdp_config_without_fsdp.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        let Some(config) = set.get("fsdp_config") else { continue };
        let nothing = matches!(&config.value, Some(Value::Null) | None) && config.entries.is_empty();
        // In transformers 4 this enables torch_xla, whatever `fsdp` is.
        let xla = config.entries.iter().any(|entry| entry.key.contains("xla"));
        let empty = matches!(&config.value, Some(Value::Map(entries)) if entries.is_empty());
        let elsewhere = mentions(cx.project, set, Feature::FsdpUse)
            || run(cx.project, set).is_some_and(|run| run.launch.as_ref().is_some_and(|launch| launch.has_unknown_flags));
        if nothing || xla || empty || elsewhere || set.bool("fsdp", false) != Some(false) || !reported.insert(config.place, "") {
            continue;
        }
        let shown = written(cx.project, config);
        let message = message!(
            "`{shown}` has no effect: fsdp is not set, so nothing is sharded",
            "`{shown}` 不起作用：未设置 fsdp，因此不会分片"
        );
        let finding = finding(cx, set, &RULE, config.place, message).with_help(message!(
            "add `fsdp=True`, or `fsdp=\"full_shard\"` before transformers 5",
            "添加 `fsdp=True`；transformers 5 之前写 `fsdp=\"full_shard\"`"
        ));
        let edit = match set.get("fsdp") {
            Some(fsdp) => vramlint_semantic::arguments::set_to(cx.project, fsdp, &Value::Bool(true)),
            None => vramlint_semantic::arguments::add(cx.project, set, "fsdp", &Value::Bool(true)),
        };
        let title = message!("turn fsdp on", "开启 fsdp");
        out.push(crate::argument_findings::with_fix(finding, title, vramlint_base::Applicability::Unsafe, edit));
    }
}
