//! Small projects for tests: several files in one text, and a cursor.

use std::path::Path;
use vramlint_base::{FileId, FileRange};
use vramlint_project::{Report, Request, check};
use vramlint_resolve::Project;

/// A checked project with a cursor.
pub(crate) struct Fixture {
    /// The report.
    pub report: Report,
    /// The whole file with the cursor.
    pub file: FileId,
    /// The cursor.
    pub offset: u32,
    /// The texts, by path.
    pub files: Vec<(String, String)>,
}

/// Parts `//- PATH` lines off: what follows one is the text of that file. `$0` is the cursor.
pub(crate) fn parse(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("//- ") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
        }
    }
    files
}

/// Checks files that lie in a folder of their own.
pub(crate) fn report(files: &[(String, String)]) -> Report {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("folders");
        std::fs::write(path, text).expect("written");
    }
    let request = Request { cwd: folder.path().to_path_buf(), jobs: 1, ..Request::default() };
    check(&request, &|_, _| {}).expect("a sound configuration")
}

/// The whole file at a path.
pub(crate) fn at(project: &Project, path: &str) -> Option<FileId> {
    project.files.iter().find(|file| file.path == path && file.host.is_none()).map(|file| file.id)
}

impl Fixture {
    /// A project with the cursor mark `$0` in one of its files.
    pub(crate) fn new(text: &str) -> Self {
        Self::of(parse(text))
    }

    /// The same from files.
    pub(crate) fn of(mut files: Vec<(String, String)>) -> Self {
        let marked = files.iter().position(|(_, text)| text.contains("$0")).expect("a cursor");
        let offset = files[marked].1.find("$0").expect("the cursor") as u32;
        files[marked].1 = files[marked].1.replacen("$0", "", 1);
        let report = report(&files);
        let file = at(&report.project, &files[marked].0).expect("read");
        Self { report, file, offset, files }
    }

    /// The text with the cursor.
    pub(crate) fn text(&self) -> &str {
        &self.report.project.file(self.file).text
    }

    /// `path:line text` of each place.
    pub(crate) fn shown(&self, places: &[FileRange]) -> Vec<String> {
        let show = |place: &FileRange| {
            let file = self.report.project.file(place.file);
            let line = file.lines.line_of(place.range.start) + 1;
            format!("{}:{line} {}", file.path, place.range.slice(&file.text))
        };
        places.iter().map(show).collect()
    }
}

/// The case projects, where this machine has them.
pub(crate) fn cases() -> Option<&'static Path> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/cases/projects"));
    if !folder.is_dir() {
        eprintln!("skipped: the case projects are not here");
        return None;
    }
    Some(folder)
}
