//! Small texts beside what is written.

mod batch;
mod memory;
mod number;
#[cfg(test)]
mod tests;

use vramlint_base::{FileId, FileRange, Lang, TextRange};
use vramlint_project::Report;
use vramlint_resolve::Project;

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

/// A place of any text in its whole file.
fn host(project: &Project, place: FileRange) -> Option<FileRange> {
    project.files.get(place.file.0 as usize).map(|_| project.to_host(place))
}
