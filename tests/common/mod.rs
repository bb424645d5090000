//! What several tests share: checking a folder through the library, and walking folders.
#![allow(dead_code, unreachable_pub, missing_docs)] // each test binary uses its part of a private module

use std::path::{Path, PathBuf};
use vramlint_base::{FileRange, Finding};
use vramlint_project::{Report, Request, check};
use vramlint_test::{files_below, workspace_root};

/// A report, with paths relative to the folder that was checked.
pub struct Checked {
    pub report: Report,
}

/// Checks a folder as `vramlint check .` in it would.
pub fn check_folder(folder: &Path) -> Checked {
    check_as(&Request { cwd: folder.to_path_buf(), ..Request::default() })
}

/// Checks what a request asks for.
pub fn check_as(request: &Request) -> Checked {
    let folder = &request.cwd;
    let report = check(request, &|_, _| {}).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    Checked { report }
}

impl Checked {
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.report.findings.iter()
    }

    /// Path, first and last line of a finding's own place and of every related one.
    pub fn places(&self, finding: &Finding) -> Vec<(String, u32, u32)> {
        let one = |place: FileRange| {
            let (file, start, end) = self.report.project.position(place);
            (file.path.clone(), start.line, end.line)
        };
        std::iter::once(one(finding.place)).chain(finding.related.iter().map(|related| one(related.place))).collect()
    }
}

/// Every folder below `part` that holds a file called `name`, in order.
pub fn folders_with(part: &str, name: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = files_below(&workspace_root().join(part))
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|n| n == name))
        .collect();
    found.sort();
    found.into_iter().filter_map(|path| path.parent().map(Path::to_path_buf)).collect()
}
