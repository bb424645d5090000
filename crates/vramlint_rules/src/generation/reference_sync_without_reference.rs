//! # reference-sync-without-reference
//!
//! The reference model is synced with the policy, but there is no reference model.
//!
//! ## Why it matters
//! `sync_ref_model` periodically copies the policy into the reference model. GRPO creates none while `beta` is 0, its default. With
//! adapters the reference is the same model with its adapters disabled. With `precompute_ref_log_probs` the reference is released
//! before training begins. The trainer raises an error in all three cases.
//!
//! ## Example
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", sync_ref_model=True)
//! ```
//!
//! ```text file=requirements.txt
//! trl==1.16.0
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", sync_ref_model=True, beta=0.04)
//! ```
//!
//! ## Fix
//! None: you need either a `beta` above 0 or no reference.
//!
//! ## Severity
//! Info if `beta` is not set and the version of trl is unknown: before 0.19 its default was 0.04.
//!
//! ## Sources
//! trl 1.16.0 `trainer/grpo_trainer.py:1190`, run; `dpo_trainer.py:992`, `kto_trainer.py:1000`, `rloo_trainer.py:822`, read.
//!
//! # 中文
//!
//! 要求参考模型与策略模型同步，但没有参考模型。
//!
//! ## 为什么重要
//! `sync_ref_model` 会定期把策略模型复制到参考模型。GRPO 在 `beta` 为 0（默认值）时不创建参考模型；使用适配器时，参考就是关闭适配器的同一个模型；
//! 使用 `precompute_ref_log_probs` 时，参考模型在训练开始前就已释放。这三种情况 trainer 都会报错。
//!
//! ## 修复
//! 无：要么需要大于 0 的 `beta`，要么不需要参考模型。
//!
//! ## 严重程度
//! 未设置 `beta` 且 trl 版本未知时为 info：0.19 之前其默认值为 0.04。
//!
//! ## 来源
//! trl 1.16.0 `trainer/grpo_trainer.py:1190`，实际运行；`dpo_trainer.py:992`、`kto_trainer.py:1000`、`rloo_trainer.py:822`，阅读源码。

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_resolve::arguments::{ArgumentEntry, ArgumentReader, ArgumentSet};
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::{GROUPS, number, trainings};
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL904", "reference-sync-without-reference", Severity::Error, page!("reference_sync_without_reference.rs"), check)
};

/// GRPO and RLOO reject it since this version; before, nothing was synchronized (trl 0.28.0, read; 0.27.2 does not reject it).
const GROUPS_REFUSE: VersionRange = VersionRange::since("trl", "0.28");

fn asks(set: &ArgumentSet) -> Option<&ArgumentEntry> {
    set.get("sync_ref_model").filter(|_| set.reader != ArgumentReader::Unknown && set.bool("sync_ref_model", false) == Some(true))
}

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project) {
        let Some(sync) = asks(set) else { continue };
        let class = set.training_class().unwrap_or_default();
        if GROUPS.contains(&class) {
            let beta = number(set, "beta", if class == "trl.GRPOConfig" { 0.0 } else { 0.05 });
            let severity = version_gate::severity(cx.project, set.file(), &GROUPS_REFUSE, RULE.severity);
            let Some(severity) = severity.filter(|_| beta == Some(0.0) && reported.insert(sync.place, "")) else { continue };
            let message = message!(
                "`sync_ref_model` with beta 0: there is no reference model to sync; trl raises an error since 0.28",
                "设置了 `sync_ref_model` 但 beta 为 0：没有可同步的参考模型；trl 自 0.28 起会报错"
            );
            let mut found = finding_of(cx, set, &RULE, severity, sync.place, message).with_help(message!(
                "set `beta` to a value above 0, or remove `sync_ref_model`",
                "把 `beta` 设为大于 0 的值，或删除 `sync_ref_model`"
            ));
            if let Some(beta) = set.get("beta") {
                found = found.with_related(beta.place, message!("so there is no reference model", "因此没有参考模型"));
            }
            out.push(found);
        } else if set.bool("precompute_ref_log_probs", false) == Some(true) && reported.insert(sync.place, "") {
            let message = message!(
                "`sync_ref_model` with `precompute_ref_log_probs`: the reference is released before training; the trainer raises an error",
                "`sync_ref_model` 与 `precompute_ref_log_probs` 同用：参考模型在训练前已释放；trainer 会报错"
            );
            let mut found = finding_of(cx, set, &RULE, RULE.severity, sync.place, message);
            if let Some(given) = set.get("precompute_ref_log_probs") {
                found = found.with_related(given.place, message!("computed once, before training", "训练前一次性计算"));
            }
            out.push(found.with_help(message!("keep one of them", "只保留其中一个")));
        }
    }
    for trainer in cx.trainers() {
        let Some(set) = trainer.arguments else { continue };
        let Some(sync) = asks(set) else { continue };
        let adapters = trainer.maker("peft_config").filter(|_| trainer.library == "trl");
        let class = set.training_class().unwrap_or_default();
        let groups = GROUPS.contains(&class);
        let certain = if groups {
            version_gate::severity(cx.project, set.file(), &GROUPS_REFUSE, RULE.severity)
        } else {
            Some(RULE.severity)
        };
        let Some(severity) = certain else { continue };
        if let Some(adapters) = adapters.filter(|_| reported.insert(sync.place, "")) {
            let message = message!(
                "`sync_ref_model` with adapters: the reference is the model itself; the trainer raises an error",
                "`sync_ref_model` 与适配器同用：参考就是模型本身；trainer 会报错"
            );
            out.push(
                finding_of(cx, set, &RULE, severity, sync.place, message)
                    .with_related(adapters.place, message!("adapters are configured here", "适配器在此配置"))
                    .with_help(message!("remove `sync_ref_model`", "删除 `sync_ref_model`")),
            );
        }
    }
}
