//! # effective-batch-declared
//!
//! A run's effective batch differs from the one that the team agreed on in `vramlint.toml`.
//!
//! ## Why it matters
//! Learning rate and schedule are tuned to one effective batch. A run on more GPUs, or with another accumulation, trains
//! something else, and nothing says so.
//!
//! ## Fix
//! Unsafe: the accumulation that restores the agreed batch, where one does.
//!
//! ## Sources
//! `[batch] effective` of the governing `vramlint.toml`; the run's own arithmetic, as `vramlint runs` shows it.
//!
//! # 中文
//!
//! 某次运行的有效 batch 与团队在 `vramlint.toml` 中约定的值不同。
//!
//! ## 为什么重要
//! 学习率与学习率调度都是针对某个有效 batch 调好的。换了 GPU 数量或累积步数，训练的就是另一回事，却没有任何提示。
//!
//! ## 修复
//! 不安全：若有累积步数能恢复约定的 batch，则改为该值。
//!
//! ## 来源
//! 对该文件生效的 `vramlint.toml` 中的 `[batch] effective`；运行本身的算法与 `vramlint runs` 显示的一致。

use crate::batch::claim::factors;
use crate::{Context, Group, Rule, Sink, Symptom, needs};
use vramlint_base::{Severity, message};
use vramlint_catalog::Concept;
use vramlint_resolve::Run;

pub(crate) static RULE: Rule = Rule {
    code: "VL202",
    name: "effective-batch-declared",
    group: Group::Batch,
    severity: Severity::Warning,
    since: "0.1.0",
    source: include_str!("effective_batch_declared.rs"),
    check: Some(check),
    needs: needs::BATCH,
    symptoms: &[Symptom::OtherBatch],
    ..Rule::DEFAULT
};

fn check(cx: &Context<'_>, out: &mut Sink) {
    for run in &cx.project.runs {
        let policy = cx.project.policy(run.place.file);
        let Some((agreed, at)) = policy.effective_batch else { continue };
        let (Some(actual), Ok(agreed)) = (run.int(Concept::EffectiveBatch), i64::try_from(agreed)) else { continue };
        // One process that uses several GPUs multiplies the batch by them.
        let several = factors::may_spread(run) && factors::visible_gpus(cx.project, run).is_some_and(|gpus| gpus > 1);
        if actual != agreed && !several {
            let mut finding = finding(run, actual, agreed, policy.file.as_deref().unwrap_or("vramlint.toml"));
            if let Some(place) = at {
                finding = finding.with_related(place, message!("{agreed} is agreed on here", "此处约定为 {agreed}"));
            }
            out.push(finding);
        }
    }
}

fn finding(run: &Run, actual: i64, agreed: i64, file: &str) -> vramlint_base::Finding {
    let formula = factors::formula(run);
    let mut finding = RULE
        .finding(
            run.place,
            message!(
                "the effective batch is {formula} = {actual}; {file} agrees on {agreed}",
                "有效 batch 为 {formula} = {actual}；{file} 约定为 {agreed}"
            ),
        )
        .with_run(&run.id);
    finding.related = factors::factors(run);
    finding.fixes.extend(factors::restore(run, agreed));
    finding.fixes.extend(factors::rescaled(run, agreed, actual));
    finding
}
