//! # single-generation
//!
//! GRPO or RLOO with fewer than two completions per prompt.
//!
//! ## Why it matters
//! Both compare the completions of one prompt with each other. A single completion has nothing to compare with, so its advantage is
//! zero. The configuration raises an error.
//!
//! ## Example
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", num_generations=1)
//! ```
//!
//! ## Use instead
//! ```python file=train.py
//! from trl import GRPOConfig
//!
//! args = GRPOConfig(output_dir="out", num_generations=2)
//! ```
//!
//! ## Fix
//! Unsafe: 2, the minimum.
//!
//! ## Sources
//! trl 1.16.0 `trainer/grpo_config.py:1137` and `rloo_config.py:696`, run.
//!
//! # 中文
//!
//! GRPO 或 RLOO 每个提示的补全少于两个。
//!
//! ## 为什么重要
//! 两者都把同一提示的补全相互比较：只有一个时无从比较，优势恒为零。配置会报错。
//!
//! ## 修复
//! 不安全：改为最小值 2。
//!
//! ## 来源
//! trl 1.16.0 `trainer/grpo_config.py:1137` 与 `rloo_config.py:696`，实际运行。

use crate::argument_findings::{ReportedFindings, finding_of};
use crate::frameworks::{self, Check, refusals};
use crate::{Context, Rule, Sink, Symptom, needs};
use vramlint_base::{Applicability, Fix, Severity, Value, message};
use vramlint_catalog::Dialect;
use vramlint_edit as edit;
use vramlint_resolve::arguments::PassedBy;
use vramlint_resolve::versions::VersionRange;
use vramlint_semantic::arguments::{GROUPS, sets_of, written};
use vramlint_semantic::version_gate;

pub(crate) static RULE: Rule = Rule {
    needs: needs::TRAINING,
    symptoms: &[Symptom::RefusedAtStart, Symptom::BadLoss],
    ..Rule::new("VL903", "single-generation", Severity::Error, page!("single_generation.rs"), check)
};

const CHECKS: &[(Dialect, Check)] = &[(Dialect::Axolotl, refusals::axolotl::one_generation)];

fn check(cx: &Context<'_>, out: &mut Sink) {
    let mut reported = ReportedFindings::default();
    for set in sets_of(cx.project, GROUPS) {
        let Some(given) = set.get("num_generations") else { continue };
        let few = given.value.as_ref().and_then(Value::as_int).is_some_and(|number| number < 2);
        let severity = version_gate::severity(cx.project, set.file(), &VersionRange::since("trl", "0.17"), RULE.severity);
        let Some(severity) = severity.filter(|_| few && reported.insert(given.place, "")) else { continue };
        let shown = written(cx.project, given);
        let message = message!(
            "{shown}: fewer than 2 completions per prompt raise an error since trl 0.17",
            "{shown}：每个提示少于 2 个补全时，trl 自 0.17 起会报错"
        );
        let mut found = finding_of(cx, set, &RULE, severity, given.place, message).with_help(message!(
            "use at least 2: advantages compare the completions of one prompt",
            "至少使用 2：优势由同一提示的补全相互比较得出"
        ));
        if matches!(given.by, PassedBy::Keyword | PassedBy::File | PassedBy::Flag) {
            found = found.with_fix(Fix {
                title: message!("generate 2 completions per prompt", "每个提示生成 2 个补全"),
                applicability: Applicability::Unsafe,
                edits: vec![edit::replace(given.value_place, "2")],
            });
        }
        out.push(found);
    }
    frameworks::run(cx, &RULE, CHECKS, out);
}
