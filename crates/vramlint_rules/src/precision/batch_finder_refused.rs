//! # batch-finder-refused
//!
//! `auto_find_batch_size` is set, but the batch size must not change.
//!
//! ## Why it matters
//! It halves the batch size after an out-of-memory error. GRPO and RLOO raise an error: a smaller batch would break the groups of
//! completions that belong to one prompt. Under ZeRO 3 the Trainer raises an error, because the sharded model cannot be rebuilt.
//!
//! ## Example
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", auto_find_batch_size=True)
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
//! args = GRPOConfig(output_dir="out", per_device_train_batch_size=8)
//! ```
//!
//! ## Fix
//! Unsafe: removes it. Then lower the batch size yourself if memory is short.
//!
//! ## Severity
//! Info for GRPO and RLOO if the version of trl is not known: older ones accept it.
//!
//! ## Sources
//! trl 1.16.0 `trainer/grpo_config.py:1089`, run, and `rloo_config.py:652`; transformers 5.23.0 `trainer.py:899`, read.
//!
//! # 中文
//!
//! 设置了 `auto_find_batch_size`，但批大小不得改变。
//!
//! ## 为什么重要
//! 它在显存不足后将批大小减半。GRPO 与 RLOO 会报错：更小的批会打乱同一提示的补全组。ZeRO 3 下 Trainer 也会报错，因为无法重建已分片的模型。
//!
//! ## 修复
//! 不安全：删除它；显存不足时请自行减小批大小。
//!
//! ## 严重程度
//! trl 版本未知时，对 GRPO 与 RLOO 仅作提示：旧版本接受它。
//!
//! ## 来源
//! trl 1.16.0 `trainer/grpo_config.py:1089`（实际运行）与 `rloo_config.py:652`；transformers 5.23.0 `trainer.py:899`，阅读源码。

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, Value, message};
use vramlint_catalog::Concept;
use vramlint_resolve::arguments::ArgumentSet;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::{GROUPS, run, trainings};
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart],
    ..Rule::new("VL437", "batch-finder-refused", Severity::Error, page!("batch_finder_refused.rs"), check)
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in trainings(cx.project).filter(|set| set.bool("auto_find_batch_size", false) == Some(true)) {
        let Some(given) = set.get("auto_find_batch_size") else { continue };
        let class = set.training_class().unwrap_or_default();
        let (severity, message) = if GROUPS.contains(&class) {
            let name = class.trim_start_matches("trl.").trim_end_matches("Config");
            let span = VersionRange::since("trl", "1.10");
            let Some(severity) = version_gate::severity(cx.project, set.file(), &span, RULE.severity) else { continue };
            (
                severity,
                message!(
                    "since trl 1.10, {name} rejects `auto_find_batch_size`: a smaller batch breaks its groups",
                    "trl 1.10 起 {name} 拒绝 `auto_find_batch_size`：更小的批会打乱分组"
                ),
            )
        } else if run(cx.project, set).and_then(|run| run.int(Concept::ZeroStage)).or_else(|| own_stage(set)) == Some(3) {
            (
                RULE.severity,
                message!(
                    "the Trainer rejects `auto_find_batch_size` under ZeRO 3",
                    "ZeRO 3 下 Trainer 拒绝 `auto_find_batch_size`"
                ),
            )
        } else {
            continue;
        };
        if reported.insert(given.place, "") {
            let finding = finding_of(cx, set, &RULE, severity, given.place, message).with_help(message!(
                "remove it, and lower `per_device_train_batch_size` yourself",
                "删除它，并自行减小 `per_device_train_batch_size`"
            ));
            let title = message!("remove `auto_find_batch_size`", "删除 `auto_find_batch_size`");
            let edit = vramlint_semantic::arguments::remove(cx.project, set, given);
            out.push(crate::argument_findings::with_fix(finding, title, vramlint_base::Applicability::Unsafe, edit));
        }
    }
}

/// The stage of a dict for `deepspeed` in the arguments themselves.
fn own_stage(set: &ArgumentSet) -> Option<i64> {
    let block = set.get("deepspeed")?.entries.iter().find(|entry| entry.key == "zero_optimization")?;
    let Value::Map(entries) = block.value.as_ref()? else { return None };
    entries.iter().find(|(key, _)| key.as_str() == Some("stage"))?.1.as_int()
}
