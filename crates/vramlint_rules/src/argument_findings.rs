//! Findings in argument sets.

use crate::{Context, Rule};
use std::collections::BTreeSet;
use vramlint_base::{Applicability, Edit, FileRange, Finding, Fix, Message, Severity};
use vramlint_resolve::arguments::ArgumentSet;
use vramlint_semantic::arguments::{capped, run};

/// A finding in a set, with its severity capped and its run named.
pub(crate) fn finding(cx: &Context<'_>, set: &ArgumentSet, rule: &Rule, at: FileRange, message: Message) -> Finding {
    finding_of(cx, set, rule, rule.severity, at, message)
}

/// As [`finding`], with another severity.
pub(crate) fn finding_of(
    cx: &Context<'_>,
    set: &ArgumentSet,
    rule: &Rule,
    severity: Severity,
    at: FileRange,
    message: Message,
) -> Finding {
    let found = rule.finding(at, message).with_severity(capped(cx.project, set, severity));
    match run(cx.project, set) {
        Some(run) => found.with_run(&run.id),
        None => found,
    }
}

/// Findings already made: one file may be seen in several runs.
#[derive(Debug, Default)]
pub(crate) struct ReportedFindings(BTreeSet<(FileRange, String)>);

impl ReportedFindings {
    /// Whether this is the first of its kind at this place.
    pub(crate) fn insert(&mut self, place: FileRange, what: &str) -> bool {
        self.0.insert((place, what.to_owned()))
    }
}

/// A fix of one edit, where the edit is possible.
pub(crate) fn with_fix(found: Finding, title: Message, applicability: Applicability, edit: Option<Edit>) -> Finding {
    match edit {
        Some(edit) => found.with_fix(Fix { title, applicability, edits: vec![edit] }),
        None => found,
    }
}
