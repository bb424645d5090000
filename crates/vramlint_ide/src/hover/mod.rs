//! What is under the pointer.

use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;

/// A text about a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// What it is about, in the whole file.
    pub range: TextRange,
    /// Markdown that reads as plain text too.
    pub text: String,
}

/// What is to be said about the place at `offset` of a whole file; never what a finding there says already.
pub fn hover(report: &Report, file: FileId, offset: u32, lang: Lang) -> Option<Hover> {
    let _ = (report, file, offset, lang);
    None
}
