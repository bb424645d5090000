//! Lines above a launch: what it starts, and what can be shown of it.

use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;

/// What a lens does when it is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LensCommand {
    /// Shows the run as it was resolved; its id.
    ShowRun(String),
    /// Shows the memory of the run over one step; its id.
    ShowTimeline(String),
}

/// A line above a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lens {
    /// The launch, or the main line of a run that no command starts; in the whole file.
    pub range: TextRange,
    /// Its text.
    pub title: String,
    /// What it does.
    pub command: LensCommand,
}

/// The lenses of a whole file, in order.
pub fn lenses(report: &Report, file: FileId, lang: Lang) -> Vec<Lens> {
    let _ = (report, file, lang);
    Vec::new()
}
