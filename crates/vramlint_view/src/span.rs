//! Source locations for output.

use serde::Serialize;
use vramlint_base::FileRange;
use vramlint_resolve::Project;

/// Line and column from 1 (column in Unicode scalar values), offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in Unicode scalar values.
    pub column: u32,
    /// In bytes from 0.
    pub offset: u32,
}

/// A range in a host file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// The displayed path.
    pub path: String,
    /// First byte.
    pub start: Position,
    /// After the last byte.
    pub end: Position,
}

/// The location of a range in its host file.
pub fn span(project: &Project, place: FileRange) -> Span {
    let host = project.to_host(place);
    let (file, start, end) = project.position(host);
    Span {
        path: file.path.clone(),
        start: Position { line: start.line, column: start.column, offset: host.range.start },
        end: Position { line: end.line, column: end.column, offset: host.range.end },
    }
}

/// `path:line`.
pub fn path_and_line(project: &Project, place: FileRange) -> String {
    let span = span(project, place);
    format!("{}:{}", span.path, span.start.line)
}
