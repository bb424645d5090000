//! Inlay hints.

mod batch;
mod memory;
mod number;
#[cfg(test)]
mod tests;

use vramlint_base::{FileId, FileRange, Lang, TextRange};
use vramlint_project::Report;
use vramlint_resolve::Project;

/// The kind of a hint; each can be turned off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HintKind {
    /// The effective batch size, after the micro-batch size.
    EffectiveBatch,
    /// The memory of a run and its GPU, after its launch line or main key.
    Memory,
    /// The number that a string such as `2e-5` becomes.
    Number,
}

/// An inlay hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The byte offset in the host file after which it is shown.
    pub offset: u32,
    /// A short label: `≈ 18.3 of 24 GiB`.
    pub label: String,
    /// Details, in Markdown.
    pub tooltip: String,
    /// The kind.
    pub kind: HintKind,
}

/// The hints in a range of a host file, in order.
pub fn hints(report: &Report, file: FileId, range: TextRange, lang: Lang) -> Vec<Hint> {
    if report.project.files.get(file.0 as usize).is_none() {
        return Vec::new();
    }
    let wanted = |place: FileRange| place.file == file && range.start <= place.range.end && place.range.end <= range.end;
    let mut found = batch::batches(report, &wanted, lang);
    found.extend(memory::memories(report, &wanted, lang));
    found.extend(number::numbers(report, file, &wanted, lang));
    found.sort_by_key(|hint| (hint.offset, hint.kind));
    found
}

/// Maps a range to its host file.
fn host(project: &Project, place: FileRange) -> Option<FileRange> {
    project.files.get(place.file.0 as usize).map(|_| project.to_host(place))
}
