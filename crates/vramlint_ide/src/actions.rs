//! What can be done at a place: fixes, suppressions, the repairs of a run that does not fit.

use vramlint_base::{Edit, FileId, Lang, TextRange};
use vramlint_project::Report;

/// What kind of action; editors group and filter by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionKind {
    /// A fix of a finding.
    QuickFix,
    /// Every safe fix of the file, also on save.
    FixAll,
    /// A comment that silences a finding here.
    Suppress,
    /// A change that makes a run fit its card, the effective batch unchanged.
    Repair,
    /// Opens the page of the rule.
    OpenPage,
}

/// One thing that can be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What it does, as an imperative.
    pub title: String,
    /// What kind.
    pub kind: ActionKind,
    /// The edits, in one or several whole files.
    pub edits: Vec<Edit>,
    /// Index in the report's findings of the one that it settles, if one.
    pub finding: Option<usize>,
    /// Whether it is the one that most would choose.
    pub preferred: bool,
    /// The address of a page to open instead of editing.
    pub page: Option<String>,
}

/// What can be done in a range of a whole file: for every finding that touches it, or stands on one of its lines.
pub fn actions(report: &Report, file: FileId, range: TextRange, lang: Lang) -> Vec<Action> {
    let _ = (report, file, range, lang);
    Vec::new()
}
