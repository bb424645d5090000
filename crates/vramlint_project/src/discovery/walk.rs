//! The walk through a folder: parallel, obeying `.gitignore`, never following a link to a folder.

use super::form::{ByName, Form};
use crate::files::Files;
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How far a walk goes before it gives up; a home directory must not be read whole for the sake of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    /// Files that would be read.
    pub files: usize,
    /// Files and folders that are looked at.
    pub entries: usize,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// Files to read.
    pub files: Vec<(PathBuf, Form)>,
    /// Folders that could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Whether the limit was reached; the rest is then worth nothing.
    pub given_up: bool,
}

/// Walks below `root`. `excluded` is asked for every entry, with whether it is a folder.
pub(crate) fn walk(
    root: &Path,
    files: &Files,
    no_ignore: bool,
    jobs: usize,
    limit: Option<Limit>,
    excluded: &(dyn Fn(&Path, bool) -> bool + Sync),
) -> Walked {
    let out = Mutex::new(Walked::default());
    let (entries, found, full) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let walker = WalkBuilder::new(root)
        .standard_filters(!no_ignore)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .threads(jobs)
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            if full.load(Ordering::Relaxed) {
                return WalkState::Quit;
            }
            let visit = match entry {
                Ok(entry) => visit(&entry, files, excluded),
                Err(error) => failed(&error),
            };
            let is_file = matches!(visit, Visit::File(..));
            let over = |counter: &AtomicUsize, most: usize| counter.fetch_add(1, Ordering::Relaxed) >= most;
            if limit.is_some_and(|limit| over(&entries, limit.entries) || is_file && over(&found, limit.files)) {
                full.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
            match visit {
                Visit::File(path, form) => out.files.push((path, form)),
                Visit::Unreadable(path, why) => out.unreadable.push((path, why)),
                Visit::Skip => return WalkState::Skip,
                Visit::Pass => {}
            }
            WalkState::Continue
        })
    });
    let mut out = out.into_inner().unwrap_or_else(PoisonError::into_inner);
    out.given_up = full.into_inner();
    out
}

enum Visit {
    File(PathBuf, Form),
    Unreadable(PathBuf, String),
    /// Nothing here; a folder is not entered.
    Skip,
    /// Nothing here; a folder is entered.
    Pass,
}

fn visit(entry: &DirEntry, files: &Files, excluded: &(dyn Fn(&Path, bool) -> bool + Sync)) -> Visit {
    if entry.depth() == 0 {
        return Visit::Pass;
    }
    let path = entry.path();
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if is_hidden(path) && (is_folder || !is_variables(path)) || excluded(path, is_folder) {
        return Visit::Skip;
    }
    if is_folder {
        return Visit::Pass;
    }
    // A link to a file is read, a link to a folder is not entered; pipes and devices would never end.
    if !path.is_file() {
        return Visit::Skip;
    }
    match form_in_walk(path, files) {
        Some(form) => Visit::File(path.to_path_buf(), form),
        None => Visit::Skip,
    }
}

/// The form of a file that nobody named.
pub(crate) fn form_in_walk(path: &Path, files: &Files) -> Option<Form> {
    match Form::by_name(path) {
        ByName::Form(form) => Some(form),
        ByName::AskShebang => Form::by_shebang(&files.head(path)),
        ByName::Dataset | ByName::Other => None,
    }
}

/// Hidden files and folders are left alone, but for the workflows and actions of GitHub.
pub(crate) fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let dotted = name.to_string_lossy().starts_with('.') && name != OsStr::new(".github");
    dotted || folder == OsStr::new(".github") && name != OsStr::new("workflows") && name != OsStr::new("actions")
}

/// `.env`, the one hidden file that is read; a folder of that name is a virtual environment.
pub(crate) fn is_variables(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(".env"))
}

/// An entry that could not be read. Faults inside a `.gitignore` are none of ours.
fn failed(error: &ignore::Error) -> Visit {
    match (path_of(error), error.io_error()) {
        (Some(path), Some(io)) => Visit::Unreadable(path.to_path_buf(), io.to_string()),
        _ => Visit::Pass,
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}
