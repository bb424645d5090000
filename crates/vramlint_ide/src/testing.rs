//! Small projects for tests: several files in one text, with a mark where the cursor stands.

use std::collections::HashMap;
use std::path::PathBuf;
use vramlint_base::FileId;
use vramlint_project::{Report, Request, check};

/// A checked project and the offset of its mark.
pub(crate) struct Fixture {
    /// What was found.
    pub(crate) report: Report,
    /// The file with the mark; the first where there is none.
    pub(crate) file: FileId,
    /// Where the mark stood; 0 where there is none.
    pub(crate) offset: u32,
}

/// Where the cursor stands.
pub(crate) const MARK: &str = "$0";

/// Files and their texts, from one text in which `//- path` begins each. What stands before the first is no file.
pub(crate) fn files(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        match (line.strip_prefix("//- "), files.last_mut()) {
            (Some(path), _) => files.push((path.trim_end().to_owned(), String::new())),
            (None, Some((_, text))) => text.push_str(line),
            (None, None) => {}
        }
    }
    files
}

impl Fixture {
    /// Of a text with files, see [`files`].
    pub(crate) fn new(text: &str) -> Self {
        Self::of(&files(text))
    }

    /// Of files. Only their texts count: nothing of the machine is read but the empty folder that they are laid over.
    pub(crate) fn of(files: &[(String, String)]) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let marked = files.iter().find_map(|(path, text)| Some((path, text.find(MARK)?)));
        let overlay: HashMap<PathBuf, Vec<u8>> =
            files.iter().map(|(path, text)| (PathBuf::from(path), text.replacen(MARK, "", 1).into_bytes())).collect();
        let request = Request { cwd: folder.path().to_path_buf(), overlay, jobs: 1, ..Request::default() };
        let report = check(&request, &|_, _| {}).expect("the configuration of a fixture is sound");
        let path = marked.map_or_else(|| files.first().map(|(path, _)| path), |(path, _)| Some(path));
        let found = report.project.files.iter().find(|file| file.host.is_none() && Some(&file.path) == path);
        let found = found.expect("the file is read");
        // A mark of the encoding is no text.
        let bom = files.iter().find(|(own, _)| Some(own) == path).is_some_and(|(_, text)| text.starts_with('\u{feff}'));
        let bom = if bom && !found.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let offset = marked.map_or(0, |(_, at)| at - bom) as u32;
        Self { file: found.id, offset, report }
    }

    /// The text of the file with the mark.
    pub(crate) fn text(&self) -> &str {
        &self.report.project.file(self.file).text
    }
}
