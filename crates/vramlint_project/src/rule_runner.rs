//! Runs the rules in parallel. A rule that panics becomes a finding; what it found before and the other rules are not affected.

use crate::backend::Backend;
use crate::internal_error;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;
use tracing::trace;
use vramlint_base::{Finding, message, panic_message};
use vramlint_rules::{Context, Rule, Sink};

/// The findings of all rules that `wanted` accepts, in rule order.
pub(crate) fn run(backend: &Backend, context: &Context<'_>, wanted: impl Fn(&str) -> bool + Sync) -> Vec<Finding> {
    let by_rule: Vec<Vec<Finding>> =
        backend.rules.par_iter().filter(|rule| wanted(rule.code)).map(|rule| run_rule(rule, context)).collect();
    by_rule.into_iter().flatten().collect()
}

fn run_rule(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let start = Instant::now();
    let mut sink = Sink::default();
    let outcome = catch_unwind(AssertUnwindSafe(|| rule.run(context, &mut sink)));
    let mut findings = sink.findings;
    if let Err(payload) = outcome {
        rule.bound_severities(context.project, &mut findings);
        let name = rule.name;
        let what = message!("vramlint failed in rule `{name}`", "vramlint 的规则 `{name}` 执行失败");
        findings.extend(internal_error::in_project(context.project, &what, panic_message(payload.as_ref())));
    }
    trace!("rule {} {}: {} findings in {:?}", rule.code, rule.name, findings.len(), start.elapsed());
    findings
}
