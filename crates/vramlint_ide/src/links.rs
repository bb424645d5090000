//! Names of files of the project, as links.

use vramlint_base::{FileId, TextRange};
use vramlint_project::Report;

/// A name of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name, in the whole file.
    pub range: TextRange,
    /// The file.
    pub target: FileId,
}

/// The names of files of the project in a whole file, in order.
pub fn links(report: &Report, file: FileId) -> Vec<Link> {
    let _ = (report, file);
    Vec::new()
}
