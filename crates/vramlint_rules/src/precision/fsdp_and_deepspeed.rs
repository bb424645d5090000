//! # fsdp-and-deepspeed
//!
//! Two engines shard the same model, or recompute its activations twice.
//!
//! ## Why it matters
//! transformers' Trainer rejects `fsdp` together with `deepspeed`. It also rejects FSDP's activation checkpointing
//! (`fsdp_config["activation_checkpointing"]`) together with its own: every layer would be recomputed twice. It rejects `fsdp` in a run
//! with one process too, because there is nothing to shard across.
//!
//! ## Example
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", fsdp="full_shard", deepspeed="ds_config.json")
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from transformers import TrainingArguments
//!
//! args = TrainingArguments(output_dir="out", fsdp="full_shard")
//! ```
//!
//! ## Fix
//! Unsafe: removes `fsdp` next to `deepspeed`.
//!
//! ## Sources
//! transformers 5.23.0 `trainer.py:472` and `trainer.py:879`, read.
//!
//! # 中文
//!
//! 两个引擎对同一个模型分片，或对其激活值重算两次。
//!
//! ## 为什么重要
//! transformers 的 Trainer 拒绝 `fsdp` 与 `deepspeed` 同时使用；也拒绝 FSDP 的激活检查点（`fsdp_config["activation_checkpointing"]`）与自身的检查点
//! 同时开启，否则每层会重算两次；只有一个进程时也拒绝 `fsdp`，因为没有可供分片的其他进程。
//!
//! ## 修复
//! 不安全：与 `deepspeed` 同时出现时删除 `fsdp`。
//!
//! ## 来源
//! transformers 5.23.0 `trainer.py:472` 与 `trainer.py:879`，阅读源码。

use crate::argument_findings::{ReportedFindings, finding};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::flags::Launcher;
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentSet};
use vramlint_semantic::arguments::{is_trl, run, trainings, written};

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL435", "fsdp-and-deepspeed", Severity::Error, page!("fsdp_and_deepspeed.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        let Some(fsdp) = asked(set, "fsdp") else { continue };
        if let Some(deepspeed) = asked(set, "deepspeed") {
            if reported.insert(fsdp.place, "") {
                let (a, b) = (written(cx.project, fsdp), written(cx.project, deepspeed));
                let message = message!(
                    "`{a}` and `{b}` exclude each other; the Trainer raises an error",
                    "`{a}` 与 `{b}` 互斥；Trainer 会报错"
                );
                let finding = finding(cx, set, &RULE, fsdp.place, message)
                    .with_related(deepspeed.place, message!("the other engine", "另一个引擎"))
                    .with_help(message!("keep only one of the two engines", "只保留其中一个引擎"));
                let edit = vramlint_semantic::arguments::remove(cx.project, set, fsdp);
                out.push(crate::argument_findings::with_fix(
                    finding,
                    message!("remove fsdp", "删除 fsdp"),
                    vramlint_base::Applicability::Unsafe,
                    edit,
                ));
            }
            continue;
        }
        twice_recomputed(cx, set, fsdp, &mut reported, out);
        alone(cx, set, fsdp, &mut reported, out);
    }
}

/// The argument, if it certainly requests something.
fn asked<'a>(set: &'a ArgumentSet, key: &str) -> Option<&'a ArgumentEntry> {
    let given = set.get(key)?;
    let dict = !given.entries.is_empty();
    (dict || given.value.as_ref().and_then(|value| set.bool_of(value)) == Some(true)).then_some(given)
}

fn twice_recomputed(cx: &Context<'_>, set: &ArgumentSet, fsdp: &ArgumentEntry, reported: &mut ReportedFindings, out: &mut Sink) {
    let Some(config) = set.get("fsdp_config") else { return };
    let names = ["activation_checkpointing", "fsdp_activation_checkpointing"];
    let Some(entry) = config.entries.iter().find(|entry| names.contains(&entry.key.as_str())) else { return };
    let own = ["activation_checkpointing", "gradient_checkpointing"].iter().find_map(|key| set.get(key));
    let on = match own {
        Some(given) => given.value.as_ref().and_then(|value| set.bool_of(value)),
        None => set.bool("gradient_checkpointing", is_trl(set)),
    };
    let asks =
        entry.value == Some(Value::Bool(true)) || entry.value.as_ref().and_then(Value::as_str).is_some_and(|t| t == "true");
    if asks && on == Some(true) && reported.insert(entry.place, "") {
        let message = message!(
            "activation checkpointing is on in both FSDP and the Trainer; the Trainer raises an error",
            "FSDP 与 Trainer 的激活检查点同时开启；Trainer 会报错"
        );
        out.push(
            finding(cx, set, &RULE, entry.place, message)
                .with_related(own.map_or(fsdp.place, |given| given.place), message!("the Trainer's own", "Trainer 自身的"))
                .with_help(message!(
                    "under FSDP keep the one in `fsdp_config`, and turn the other off",
                    "使用 FSDP 时保留 `fsdp_config` 中的检查点，关闭另一个"
                )),
        );
    }
}

/// One process, started by `python` as the project shows.
fn alone(cx: &Context<'_>, set: &ArgumentSet, fsdp: &ArgumentEntry, reported: &mut ReportedFindings, out: &mut Sink) {
    let Some(run) = run(cx.project, set) else { return };
    let by_hand = run.launcher == Some(Launcher::Python);
    let xla = set
        .get("fsdp_config")
        .is_some_and(|config| config.entries.is_empty() || config.entries.iter().any(|entry| entry.key.contains("xla")));
    if by_hand && !xla && run.int(Concept::WorldSize) == Some(1) && reported.insert(fsdp.place, "alone") {
        let shown = written(cx.project, fsdp);
        let message = message!(
            "`{shown}` in a run with one process; the Trainer accepts it only in distributed training",
            "单进程运行中设置了 `{shown}`；Trainer 只在分布式训练中接受它"
        );
        out.push(
            finding(cx, set, &RULE, fsdp.place, message)
                .with_related(run.place, message!("starts one process", "只启动一个进程"))
                .with_help(message!(
                    "start it with torchrun or `accelerate launch`, or remove fsdp",
                    "用 torchrun 或 `accelerate launch` 启动，或删除 fsdp"
                )),
        );
    }
}
