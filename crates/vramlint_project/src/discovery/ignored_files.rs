//! Files that `.gitignore` matches although a file of the project names them: git keeps such files if they were added with `-f`, and the
//! launched program reads them. Folders that are ignored are never walked.

use super::file_format::{FileFormat, FormatByName};
use super::mentions::{modules, path_tokens};
use super::walk::is_hidden;
use super::{MAX_FILE_SIZE, Search};
use crate::discovery::walk::format_in_walk;
use crate::overlay_fs::OverlayFs;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// Folders with more entries hold data or outputs and are not listed.
const MAX_FOLDER_ENTRIES: usize = 20_000;
/// Maximum number of ignored files in a project.
const MAX_IGNORED_FILES: usize = 2_000;

/// What a text says about another file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mention {
    Path(Box<str>),
    Module { dots: usize, name: Box<str> },
}

/// Which texts name ignored files.
#[derive(Debug, Default)]
pub(crate) struct IgnoredFiles {
    /// Names of the files and folders that the walk left out.
    names: HashSet<String>,
    /// What each file mentions that may be one of them.
    mentions: BTreeMap<PathBuf, BTreeSet<Mention>>,
}

impl IgnoredFiles {
    /// Whether this text of a file mentions the same ignored files as the text that was read in discovery.
    pub(crate) fn mentions_same(&self, path: &Path, text: &str, format: FileFormat) -> bool {
        let before = self.mentions.get(path);
        let now = self.mentions_in(text, format);
        before.map_or(now.is_empty(), |before| *before == now)
    }

    fn mentions_in(&self, text: &str, format: FileFormat) -> BTreeSet<Mention> {
        let mut out = BTreeSet::new();
        if self.names.is_empty() {
            return out;
        }
        for token in path_tokens(text).filter(|token| token.contains('.')) {
            if token.split('/').any(|part| self.names.contains(part)) && has_format(token) {
                out.insert(Mention::Path(token.into()));
            }
        }
        modules(text, format, &mut |dots, name| {
            let is_left_out = |part: &str| self.names.contains(part) || self.names.contains(&format!("{part}.py"));
            if name.split('.').any(is_left_out) {
                out.insert(Mention::Module { dots, name: name.into() });
            }
        });
        out
    }
}

/// Whether the name of a path tells a format that is read.
fn has_format(path: &str) -> bool {
    matches!(FileFormat::by_name(Path::new(path)), FormatByName::Format(_))
}

impl Search<'_> {
    /// Adds the ignored files that the discovered files name, then those that these name, and so on. `bounds` are the folders that a
    /// name may be relative to or inside of.
    pub(super) fn add_ignored_files(&mut self, bounds: &[PathBuf]) -> IgnoredFiles {
        let mut ignored = IgnoredFiles::default();
        if self.request.no_ignore {
            return ignored;
        }
        let walked: HashSet<PathBuf> = self.files_by_path.keys().cloned().collect();
        let mut listed: BTreeSet<PathBuf> = BTreeSet::new();
        let mut added: Vec<PathBuf> = walked.iter().cloned().collect();
        let mut count = 0;
        while !added.is_empty() {
            let own: HashSet<&Path> = added.iter().filter_map(|path| path.parent()).collect();
            let above = own.iter().flat_map(|folder| folders_from(folder, bounds));
            let folders: BTreeSet<PathBuf> = above.chain(self.walked_folders.iter().cloned()).collect();
            let new: Vec<PathBuf> = folders.into_iter().filter(|folder| listed.insert(folder.clone())).collect();
            let names: Vec<Vec<String>> = new.par_iter().map(|folder| self.names_left_out(folder, &walked)).collect();
            let before = ignored.names.len();
            ignored.names.extend(names.into_iter().flatten());
            if ignored.names.is_empty() {
                break;
            }
            // A new name may be what a file that was read before means.
            let again = ignored.names.len() > before;
            let users: Vec<PathBuf> = if again { self.files_by_path.keys().cloned().collect() } else { added };
            let scan = |user: PathBuf| {
                let mentions = ignored.mentions_in(&text_of(self.files, &user), self.files_by_path.get(&user)?.format);
                (!mentions.is_empty()).then_some((user, mentions))
            };
            let mentions: Vec<(PathBuf, BTreeSet<Mention>)> = users.into_par_iter().filter_map(scan).collect();
            added = Vec::new();
            for (user, mentions) in mentions {
                for mention in &mentions {
                    for path in self.files_meant(&user, mention, bounds, &walked) {
                        if count < MAX_IGNORED_FILES && !self.files_by_path.contains_key(&path) {
                            let Some(format) = format_in_walk(&path, self.files) else { continue };
                            let reported = self.named_folders.iter().any(|folder| path.starts_with(folder));
                            self.add(path.clone(), format, reported, None);
                            added.push(path);
                            count += 1;
                        }
                    }
                }
                ignored.mentions.insert(user, mentions);
            }
            added.sort();
        }
        ignored
    }

    /// The names of the entries of a folder that may be read and that the walk left out.
    fn names_left_out(&self, folder: &Path, walked: &HashSet<PathBuf>) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let entries: Vec<_> = entries.take(MAX_FOLDER_ENTRIES + 1).filter_map(Result::ok).collect();
        if entries.len() > MAX_FOLDER_ENTRIES {
            return Vec::new();
        }
        let name = |entry: std::fs::DirEntry| {
            let path = entry.path();
            let is_folder = entry.file_type().ok()?.is_dir();
            let name = entry.file_name().into_string().ok()?;
            let known =
                if is_folder { self.walked_folders.contains(&path) } else { walked.contains(&path) || !has_format(&name) };
            (!known && !is_hidden(&path) && !self.excluded(&path, is_folder)).then_some(name)
        };
        entries.into_iter().filter_map(name).collect()
    }

    /// The ignored files that a mention may mean; none if it means a file that was walked.
    fn files_meant(&self, user: &Path, mention: &Mention, bounds: &[PathBuf], walked: &HashSet<PathBuf>) -> Vec<PathBuf> {
        let bases = folders_above(user, bounds);
        match mention {
            Mention::Path(path) => {
                let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
                for skip in 0..parts.len() {
                    let tail: PathBuf = parts[skip..].iter().collect();
                    for base in &bases {
                        let path = base.join(&tail);
                        if walked.contains(&path) {
                            return Vec::new();
                        }
                        if self.may_be_read(base, &path) {
                            return vec![path];
                        }
                    }
                }
                Vec::new()
            }
            Mention::Module { dots, name } => {
                let bases = if *dots > 0 { bases.get(dots - 1..*dots).unwrap_or_default() } else { &bases };
                for base in bases.iter().flat_map(|base| [base.clone(), base.join("src")]) {
                    let mut found = Vec::new();
                    let (mut path, mut known) = (base.clone(), false);
                    for part in name.split('.') {
                        path.push(part);
                        for file in [path.with_file_name(format!("{part}.py")), path.join("__init__.py")] {
                            known |= walked.contains(&file);
                            if !walked.contains(&file) && self.may_be_read(&base, &file) {
                                found.push(file);
                            }
                        }
                    }
                    if known || !found.is_empty() {
                        return found;
                    }
                }
                Vec::new()
            }
        }
    }

    /// Whether this is a file that is read if it is named: below `base` without hidden or excluded folders or links to folders.
    fn may_be_read(&self, base: &Path, path: &Path) -> bool {
        let Ok(data) = path.metadata() else { return false };
        data.is_file()
            && self.files.size(path).is_ok_and(|size| size <= MAX_FILE_SIZE)
            && !is_hidden(path)
            && !self.excluded(path, false)
            && path.ancestors().skip(1).take_while(|folder| *folder != base).all(|folder| {
                let is_folder = folder.symlink_metadata().is_ok_and(|data| data.is_dir());
                is_folder && !is_hidden(folder) && !self.excluded(folder, true)
            })
    }
}

/// The folder of a file and the folders above it, up to the outermost bound that holds it.
fn folders_above(path: &Path, bounds: &[PathBuf]) -> Vec<PathBuf> {
    folders_from(path.parent().unwrap_or(path), bounds)
}

/// A folder and the folders above it, up to the outermost bound that holds it.
fn folders_from(own: &Path, bounds: &[PathBuf]) -> Vec<PathBuf> {
    let bound = bounds.iter().filter(|bound| own.starts_with(bound)).min_by_key(|bound| bound.components().count());
    let bound = bound.map_or(own, PathBuf::as_path);
    own.ancestors().take_while(|folder| folder.starts_with(bound)).map(Path::to_path_buf).collect()
}

fn text_of(files: &OverlayFs, path: &Path) -> String {
    files.read(path).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}
