//! From a value to who sets or overrides it, and back.

use vramlint_base::{FileId, Place};
use vramlint_project::Report;

/// Where the value at `offset` of a whole file is set for its runs: the winner, or what overrides it; of a reference to a file, the file.
/// Places are in whole files.
pub fn definition(report: &Report, file: FileId, offset: u32) -> Vec<Place> {
    let _ = (report, file, offset);
    Vec::new()
}

/// Every other place that takes part in the value at `offset`: candidates in every run, and the settings derived from it.
pub fn references(report: &Report, file: FileId, offset: u32) -> Vec<Place> {
    let _ = (report, file, offset);
    Vec::new()
}
