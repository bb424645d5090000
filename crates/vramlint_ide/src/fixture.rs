//! Small projects for tests: several files in one string, with a mark at the cursor.

use std::collections::HashMap;
use std::path::PathBuf;
use vramlint_base::{FileId, FileRange};
use vramlint_project::{Report, Request, check};
use vramlint_resolve::Project;

/// The cursor.
pub(crate) const MARK: &str = "$0";

/// A checked project with a cursor.
pub(crate) struct Fixture {
    /// The report.
    pub(crate) report: Report,
    /// The host file with the cursor; the first file if there is no cursor.
    pub(crate) file: FileId,
    /// The cursor; 0 if there is none.
    pub(crate) offset: u32,
    /// Paths and texts, without the mark.
    pub(crate) files: Vec<(String, String)>,
}

/// Splits a string into files: a line `//- PATH` begins each. Text before the first such line is ignored.
pub(crate) fn parse(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("//- "), files.last_mut()) {
            (Some(path), _) => files.push((path.trim().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    files
}

/// Checks files, laid over an empty folder.
pub(crate) fn report(files: &[(String, String)]) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let overlay: HashMap<PathBuf, Vec<u8>> =
        files.iter().map(|(path, text)| (PathBuf::from(path), text.clone().into_bytes())).collect();
    let request = Request { cwd: folder.path().to_path_buf(), overlay, jobs: 1, ..Request::default() };
    check(&request, &|_, _| {}).expect("a valid configuration")
}

/// The host file at a path.
pub(crate) fn file_at(project: &Project, path: &str) -> Option<FileId> {
    project.files.iter().find(|file| file.path == path && file.host.is_none()).map(|file| file.id)
}

impl Fixture {
    /// The project in a string, see [`parse`].
    pub(crate) fn new(text: &str) -> Self {
        Self::from_files(parse(text))
    }

    /// The same from files.
    pub(crate) fn from_files(mut files: Vec<(String, String)>) -> Self {
        let marked = files.iter().position(|(_, source)| source.contains(MARK));
        let (path, text) = &mut files[marked.unwrap_or(0)];
        let path = path.clone();
        let offset = text.find(MARK).unwrap_or(0);
        *text = text.replacen(MARK, "", 1);
        let bom = text.starts_with('\u{feff}');
        let report = report(&files);
        let file = file_at(&report.project, &path).expect("the file is read");
        // The text of a file has no byte order mark.
        let stripped = bom && !report.project.file(file).text.starts_with('\u{feff}');
        let offset = offset.saturating_sub(if stripped { '\u{feff}'.len_utf8() } else { 0 }) as u32;
        Self { report, file, offset, files }
    }

    /// The text with the cursor.
    pub(crate) fn text(&self) -> &str {
        &self.report.project.file(self.file).text
    }

    /// `path:line text` of each range.
    pub(crate) fn display(&self, ranges: &[FileRange]) -> Vec<String> {
        let display = |place: &FileRange| {
            let file = self.report.project.file(place.file);
            let line = file.lines().line_of(place.range.start) + 1;
            format!("{}:{line} {}", file.path, place.range.slice(&file.text))
        };
        ranges.iter().map(display).collect()
    }
}
