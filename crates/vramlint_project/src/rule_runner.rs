//! Runs the rules, in parallel, so that one that fails does not take the others with it.

use crate::backend::Backend;
use crate::own::INTERNAL_ERROR;
use crate::source_loader::report_request;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use vramlint_base::{FileRange, Finding, TextRange, message};
use vramlint_resolve::Project;
use vramlint_rules::{Context, Rule, Sink};

/// What all rules found, in the order of the rules. Rules of which `wanted` is false are not asked.
pub(crate) fn run(backend: &Backend, context: &Context<'_>, wanted: impl Fn(&str) -> bool + Sync) -> Vec<Finding> {
    let found: Vec<Vec<Finding>> =
        backend.rules.par_iter().filter(|rule| wanted(rule.code)).map(|rule| run_rule(rule, context)).collect();
    found.into_iter().flatten().collect()
}

fn run_rule(rule: &Rule, context: &Context<'_>) -> Vec<Finding> {
    let Some(check) = rule.check else { return Vec::new() };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut sink = Sink::default();
        check(context, &mut sink);
        sink.findings
    }));
    outcome.unwrap_or_else(|_| failure(rule, context.project))
}

/// The finding that stands for a failed rule, at the start of the first reported file.
fn failure(rule: &Rule, project: &Project) -> Vec<Finding> {
    let name = rule.name;
    let what = message!(
        "vramlint failed in its rule `{name}`; this is a bug of vramlint",
        "vramlint 的规则 `{name}` 执行失败，这是 vramlint 的缺陷"
    );
    let first = project.files.iter().find(|file| file.reported && file.host.is_none());
    first
        .map(|file| INTERNAL_ERROR.finding(FileRange::new(file.id, TextRange::at(0)), what).with_help(report_request()))
        .into_iter()
        .collect()
}
