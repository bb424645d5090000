//! Walks a folder in parallel, respecting `.gitignore`, without following links to folders.

use super::file_format::{FileFormat, FormatByName};
use super::is_read_elsewhere;
use crate::bounded_file::read_file;
use crate::config::glob::{has_too_many_braces, too_many_braces};
use crate::overlay_fs::OverlayFs;
use crate::skipped::SkipReason;
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// When a walk stops: one file must not cause a whole home directory to be read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WalkLimit {
    /// Number of files to read.
    pub files: usize,
    /// Number of files and folders that are visited.
    pub entries: usize,
}

/// A file that a walk found.
#[derive(Debug)]
pub(crate) struct WalkedFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Format.
    pub format: FileFormat,
    /// Size on disk, bytes.
    pub size: u64,
    /// Whether it is a link to a file.
    pub is_link: bool,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct WalkResult {
    /// Files to read.
    pub files: Vec<WalkedFile>,
    /// Folders that were entered.
    pub folders: Vec<PathBuf>,
    /// Folders that could not be read, and why.
    pub unreadable: Vec<(PathBuf, String)>,
    /// Number of files and folders that are not read.
    pub skipped: BTreeMap<SkipReason, usize>,
    /// Whether the limit was reached; the other fields are then incomplete.
    pub limit_reached: bool,
}

/// Walks `root`. `excluded` is called for every entry, with whether it is a folder.
pub(crate) fn walk(
    root: &Path,
    files: &OverlayFs,
    no_ignore: bool,
    jobs: usize,
    limit: Option<WalkLimit>,
    excluded: &(dyn Fn(&Path, bool) -> bool + Sync),
) -> WalkResult {
    let mut result = WalkResult::default();
    let mut obeys = !no_ignore;
    for (path, why) in unreadable_ignore_files(root).filter(|_| !no_ignore) {
        obeys &= !why.stops_the_walk;
        result.unreadable.push((path, why.text));
    }
    let out = Mutex::new(result);
    let (entries, file_count, full) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let refused: Arc<Mutex<Vec<(PathBuf, String)>>> = Arc::default();
    let refuse = Arc::clone(&refused);
    let walker = WalkBuilder::new(root)
        .standard_filters(obeys)
        .parents(obeys && !root.ancestors().skip(1).any(stops_the_walk))
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .threads(jobs)
        .filter_entry(move |entry| {
            // The walker would read the patterns of a folder before anybody is asked.
            let is_folder = obeys && entry.depth() > 0 && entry.file_type().is_some_and(|kind| kind.is_dir());
            let stop = is_folder.then(|| unreadable_ignore_files(entry.path()).find(|(_, why)| why.stops_the_walk)).flatten();
            let enters = stop.is_none();
            refuse.lock().unwrap_or_else(PoisonError::into_inner).extend(stop.map(|(file, why)| (file, why.text)));
            enters
        })
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            if full.load(Ordering::Relaxed) {
                return WalkState::Quit;
            }
            let visit = match entry {
                Ok(entry) => visit(&entry, files, excluded),
                Err(error) => walk_error(&error),
            };
            let is_file = matches!(visit, Visit::File(_));
            let over = |counter: &AtomicUsize, most: usize| counter.fetch_add(1, Ordering::Relaxed) >= most;
            if limit.is_some_and(|limit| over(&entries, limit.entries) || is_file && over(&file_count, limit.files)) {
                full.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
            match visit {
                Visit::File(file) => out.files.push(file),
                Visit::Unreadable(path, why) => out.unreadable.push((path, why)),
                Visit::Skip(reason) => {
                    if let Some(reason) = reason {
                        *out.skipped.entry(reason).or_default() += 1;
                    }
                    return WalkState::Skip;
                }
                Visit::Folder(path) => out.folders.push(path),
                Visit::Pass => {}
            }
            WalkState::Continue
        })
    });
    let mut out = out.into_inner().unwrap_or_else(PoisonError::into_inner);
    out.unreadable.append(&mut refused.lock().unwrap_or_else(PoisonError::into_inner));
    out.limit_reached = full.into_inner();
    out
}

enum Visit {
    File(WalkedFile),
    Unreadable(PathBuf, String),
    /// Skip the entry; do not enter a folder.
    Skip(Option<SkipReason>),
    /// Enter the folder.
    Folder(PathBuf),
    /// Skip an error.
    Pass,
}

fn visit(entry: &DirEntry, files: &OverlayFs, excluded: &(dyn Fn(&Path, bool) -> bool + Sync)) -> Visit {
    let path = entry.path();
    if entry.depth() == 0 {
        return Visit::Folder(path.to_path_buf());
    }
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    if is_hidden(path) && (is_folder || !is_env_file(path)) {
        return Visit::Skip(None);
    }
    if excluded(path, is_folder) {
        return Visit::Skip(Some(SkipReason::Excluded));
    }
    if is_folder {
        return Visit::Folder(path.to_path_buf());
    }
    // A link to a file is read, a link to a folder is not entered. Pipes and devices are skipped: reading them may not end.
    let size = match path.metadata() {
        Ok(data) if data.is_file() => data.len(),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Visit::Unreadable(path.to_path_buf(), error.to_string());
        }
        _ => return Visit::Skip(None),
    };
    match format_in_walk(path, files) {
        Some(format) => Visit::File(WalkedFile { path: path.to_path_buf(), format, size, is_link: entry.path_is_symlink() }),
        None => Visit::Skip(skip_reason(path)),
    }
}

/// The largest file of patterns that is obeyed, bytes.
const MAX_IGNORE_SIZE: u64 = 256 << 10;

/// Why a file of patterns is not obeyed.
struct UnreadableIgnoreFile {
    text: String,
    /// The walker would read it all the same: for ever, or more than is good.
    stops_the_walk: bool,
}

/// The files of patterns in a folder that cannot be obeyed.
fn unreadable_ignore_files(folder: &Path) -> impl Iterator<Item = (PathBuf, UnreadableIgnoreFile)> {
    let files = [".gitignore", ".ignore", ".git/info/exclude"].map(|name| folder.join(name));
    files.into_iter().filter_map(|path| {
        let (text, stops_the_walk) = match read_file(&path, MAX_IGNORE_SIZE) {
            Ok(patterns) => (patterns.split(|byte| *byte == b'\n').any(has_too_many_braces).then(|| too_many_braces().en)?, true),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) || path.is_dir() => return None,
            Err(error) => (error.to_string(), error.kind() != ErrorKind::PermissionDenied),
        };
        Some((path, UnreadableIgnoreFile { text, stops_the_walk }))
    })
}

/// Whether the walker would read a file of patterns in this folder that it must not.
fn stops_the_walk(folder: &Path) -> bool {
    unreadable_ignore_files(folder).any(|(_, why)| why.stops_the_walk)
}

/// Why a file without a format is skipped; `None` if another module reads it.
fn skip_reason(path: &Path) -> Option<SkipReason> {
    match FileFormat::by_name(path) {
        FormatByName::Dataset => Some(SkipReason::Dataset),
        _ if is_read_elsewhere(path) => None,
        _ => Some(SkipReason::UnsupportedKind),
    }
}

/// The format of a file that the command line does not name.
pub(crate) fn format_in_walk(path: &Path, files: &OverlayFs) -> Option<FileFormat> {
    match FileFormat::by_name(path) {
        FormatByName::Format(format) => Some(format),
        FormatByName::AskShebang => FileFormat::by_shebang(&files.head(path)),
        FormatByName::Dataset | FormatByName::Unknown => None,
    }
}

/// Whether the entry is hidden. The folders of GitHub workflows and actions do not count.
pub(crate) fn is_hidden(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    let dotted = name.to_string_lossy().starts_with('.') && name != OsStr::new(".github");
    dotted || folder == OsStr::new(".github") && name != OsStr::new("workflows") && name != OsStr::new("actions")
}

/// Whether this is `.env`, the only hidden file that is read; a folder with that name is a virtual environment.
pub(crate) fn is_env_file(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new(".env"))
}

/// Records an entry that could not be read. Errors in a `.gitignore` are ignored.
fn walk_error(error: &ignore::Error) -> Visit {
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
