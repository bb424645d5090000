//! What can be written at a place.

use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;

/// What is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompletionKind {
    /// A key, an argument, a flag.
    Key,
    /// A value of a key.
    Value,
    /// A model.
    Model,
    /// A card.
    Card,
    /// A file of the project.
    File,
}

/// One offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows.
    pub label: String,
    /// A few words beside it: type and default.
    pub detail: String,
    /// Its documentation, Markdown that reads as plain text too.
    pub documentation: String,
    /// What is replaced, in the whole file: the word before the cursor, or nothing.
    pub replace: TextRange,
    /// What is written instead.
    pub text: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Whether the libraries of this project no longer have it.
    pub deprecated: bool,
    /// Best first.
    pub rank: u32,
}

/// What can be written at `offset` of a whole file, best first.
pub fn completions(report: &Report, file: FileId, offset: u32, lang: Lang) -> Vec<Completion> {
    let _ = (report, file, offset, lang);
    Vec::new()
}
