//! Small texts beside what is written.

use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;

/// Which hint; each can be switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HintKind {
    /// The effective batch, beside the micro-batch.
    EffectiveBatch,
    /// The memory of a run against its card, beside its launch line or main key.
    Memory,
    /// The number that a text such as `2e-5` becomes.
    Number,
}

/// A text beside a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// Behind which byte of the whole file.
    pub offset: u32,
    /// What it shows, a few words: `≈ 18.3 of 24 GiB`.
    pub label: String,
    /// More of it, Markdown.
    pub tooltip: String,
    /// Which.
    pub kind: HintKind,
}

/// The hints in a range of a whole file, in order.
pub fn hints(report: &Report, file: FileId, range: TextRange, lang: Lang) -> Vec<Hint> {
    let _ = (report, file, range, lang);
    Vec::new()
}
