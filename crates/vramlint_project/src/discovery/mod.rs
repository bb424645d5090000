//! File discovery: the files that the request names, whose findings are reported, and the rest of their project, for context.

pub(crate) mod file_format;
mod ignored_files;
pub(crate) mod mentions;
pub(crate) mod paths;
mod walk;

use crate::config::glob::Globs;
use crate::config::{ConfigError, Configs, has_config};
use crate::overlay_fs::OverlayFs;
use crate::request::Request;
use crate::skipped::{SkipReason, Skipped};
use file_format::{FileFormat, FormatByName};
use ignored_files::IgnoredFiles;
use paths::{absolute, relative, shown};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use vramlint_base::{Message, message};
use walk::{WalkLimit, WalkResult, WalkedFile, format_in_walk, is_env_file, is_hidden, walk};

/// Larger data files are datasets, not configuration, bytes.
pub(crate) const MAX_FILE_SIZE: u64 = 2 << 20;
/// Larger environment files hold something else, bytes.
const MAX_ENV_FILE_SIZE: u64 = 64 << 10;
/// Limit for a project whose root is marked by a configuration or a repository.
const PROJECT_LIMIT: WalkLimit = WalkLimit { files: 20_000, entries: 400_000 };
/// Limit for a file outside a project: its folder may be anything, even a home directory.
const LOOSE_FOLDER_LIMIT: WalkLimit = WalkLimit { files: 2_000, entries: 20_000 };
/// Folders with third-party code or no code, which are excluded unless `exclude` replaces this list.
const DEFAULT_EXCLUDES: [&str; 14] = [
    ".git",
    ".hg",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    "__pycache__",
    "__pypackages__",
    "node_modules",
    "site-packages",
    "venv",
];
static DEFAULT_EXCLUDE_GLOBS: LazyLock<Globs> = LazyLock::new(|| Globs::new(&DEFAULT_EXCLUDES).unwrap_or_default());

/// A file to read.
#[derive(Clone, Debug)]
pub(crate) struct DiscoveredFile {
    /// Absolute path.
    pub path: PathBuf,
    /// Path as shown to the user.
    pub shown: String,
    /// Format.
    pub format: FileFormat,
    /// Whether its findings are reported.
    pub reported: bool,
    /// Number of the configuration that governs it.
    pub config: usize,
    /// Whether it is a link to a file.
    pub is_link: bool,
    /// Why it is not read.
    pub problem: Option<ReadProblem>,
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ReadProblem {
    /// The operating system reports an error.
    Unreadable(String),
    /// Too large, bytes.
    TooLarge(u64),
}

/// The files of a request.
#[derive(Debug, Default)]
pub(crate) struct Discovery {
    /// Files, ordered by path.
    pub files: Vec<DiscoveredFile>,
    /// Files that are not read, and why.
    pub skipped: Skipped,
    /// Whether the projects around the named paths were read in full.
    pub complete: bool,
    /// The roots of the search; nothing outside them belongs to the project.
    pub roots: Vec<PathBuf>,
    /// Which files name ignored files.
    pub ignored: IgnoredFiles,
}

/// Finds the files of a request.
pub(crate) fn discover(request: &Request, files: &OverlayFs, configs: &Configs<'_>) -> Result<Discovery, ConfigError> {
    let exclude = Globs::new(&request.exclude)
        .map_err(|(_, Message { en, zh })| ConfigError::new(message!("--exclude: {en}", "--exclude：{zh}")))?;
    let mut search = Search {
        request,
        files,
        configs,
        exclude,
        files_by_path: BTreeMap::new(),
        skipped: Skipped::default(),
        walked: Vec::new(),
        named_folders: Vec::new(),
        walked_folders: HashSet::new(),
        complete: true,
    };
    let (mut roots, mut bounds) = (Vec::new(), Vec::new());
    for path in search.named_paths() {
        search.add_named(&path)?;
        let (root, marked) = root_above(files, &path, request.isolated);
        // The commands of a loose file are usually run in the working directory.
        let at_cwd = !marked && !path.is_dir() && path.starts_with(&request.cwd);
        bounds.push(if at_cwd { request.cwd.clone() } else { root.clone() });
        roots.push((root, marked));
    }
    search.add_context(roots.clone());
    let ignored = search.add_ignored_files(&bounds);
    search.drop_duplicate_links();
    let roots = roots.into_iter().map(|(root, _)| root).collect();
    Ok(Discovery {
        files: search.files_by_path.into_values().collect(),
        skipped: search.skipped,
        complete: search.complete,
        roots,
        ignored,
    })
}

struct Search<'a> {
    request: &'a Request,
    files: &'a OverlayFs,
    configs: &'a Configs<'a>,
    /// `--exclude`, relative to the working directory.
    exclude: Globs,
    files_by_path: BTreeMap<PathBuf, DiscoveredFile>,
    skipped: Skipped,
    /// Folders that were walked completely.
    walked: Vec<PathBuf>,
    /// Folders that the request names.
    named_folders: Vec<PathBuf>,
    /// Every folder that a complete walk entered.
    walked_folders: HashSet<PathBuf>,
    complete: bool,
}

impl Search<'_> {
    /// The paths that the request names: standard input alone, otherwise the paths, otherwise the working directory.
    fn named_paths(&self) -> Vec<PathBuf> {
        let cwd = &self.request.cwd;
        match (&self.request.stdin, self.request.paths.as_slice()) {
            (Some((name, _)), _) => vec![absolute(cwd, name)],
            (None, []) => vec![cwd.clone()],
            (None, paths) => paths.iter().map(|path| absolute(cwd, path)).collect(),
        }
    }

    /// Adds a named file, or the files in a named folder.
    fn add_named(&mut self, path: &Path) -> Result<(), ConfigError> {
        let name = shown(path, &self.request.cwd);
        if self.excluded_above(path) {
            self.skipped.add_named(name, SkipReason::Excluded);
        } else if path.is_dir() && !self.files.overlay.contains_key(path) {
            let walked = self.walk(path, None);
            self.add_walked(walked, true);
            self.add_overlay_files(path, true);
            self.walked.push(path.to_path_buf());
            self.named_folders.push(path.to_path_buf());
        } else if self.files.overlay.contains_key(path) || path.symlink_metadata().is_ok() {
            self.add_named_file(path, name);
        } else {
            return Err(ConfigError::new(message!("{name}: no such file or folder", "{name}：文件或文件夹不存在")));
        }
        Ok(())
    }

    fn add_named_file(&mut self, path: &Path, name: String) {
        if self.files.leads_out(path) {
            self.skipped.add_named(name, SkipReason::LeadsOut);
            return;
        }
        let format = match FileFormat::by_name(path) {
            FormatByName::Format(format) => format,
            FormatByName::Dataset => {
                self.skipped.add_named(name, SkipReason::Dataset);
                return;
            }
            FormatByName::AskShebang | FormatByName::Unknown => match FileFormat::by_shebang(&self.files.head(path)) {
                Some(format) => format,
                // The configuration of vramlint, or a file with library versions: another module reads it.
                None if is_read_elsewhere(path) => FileFormat::Text,
                None => {
                    self.skipped.add_named(name, SkipReason::UnsupportedKind);
                    return;
                }
            },
        };
        let problem = match self.files.size(path) {
            Err(error) => Some(ReadProblem::Unreadable(error.to_string())),
            Ok(size) if size > MAX_FILE_SIZE => Some(ReadProblem::TooLarge(size)),
            Ok(_) => None,
        };
        self.add(path.to_path_buf(), format, true, problem);
    }

    fn add(&mut self, path: PathBuf, format: FileFormat, reported: bool, problem: Option<ReadProblem>) {
        if let Some(known) = self.files_by_path.get_mut(&path) {
            known.reported |= reported;
            return;
        }
        let is_link = path.symlink_metadata().is_ok_and(|data| data.is_symlink());
        let file = self.discovered(path, format, is_link, reported, problem);
        self.files_by_path.insert(file.path.clone(), file);
    }

    fn discovered(
        &self,
        path: PathBuf,
        format: FileFormat,
        is_link: bool,
        reported: bool,
        problem: Option<ReadProblem>,
    ) -> DiscoveredFile {
        let config = self.configs.of_folder(path.parent().unwrap_or(&path));
        let shown = shown(&path, &self.request.cwd);
        DiscoveredFile { path, shown, format, reported, config, is_link, problem }
    }

    fn walk(&self, root: &Path, limit: Option<WalkLimit>) -> WalkResult {
        let excluded = |path: &Path, is_folder: bool| self.excluded(path, is_folder);
        walk(root, self.files, self.request.no_ignore, self.request.jobs, limit, &excluded)
    }

    fn add_walked(&mut self, walked: WalkResult, reported: bool) {
        self.walked_folders.extend(walked.folders);
        let mut new = Vec::with_capacity(walked.files.len());
        for WalkedFile { path, format, size, is_link } in walked.files {
            let size = self.files.overlay.get(&path).map_or(size, |bytes| bytes.len() as u64);
            if self.files.leads_out_through(&path, is_link) {
                if reported {
                    self.skipped.add_named(shown(&path, &self.request.cwd), SkipReason::LeadsOut);
                }
            } else if is_too_large(format, size) {
                self.skipped.add(SkipReason::TooLarge, usize::from(reported));
            } else if let Some(known) = self.files_by_path.get_mut(&path) {
                known.reported |= reported;
            } else {
                new.push(self.discovered(path, format, is_link, reported, None));
            }
        }
        // A map made of what is in order already compares each path once.
        new.sort_by_cached_key(|file| in_order(&file.path));
        self.files_by_path.append(&mut new.into_iter().map(|file| (file.path.clone(), file)).collect());
        if reported {
            for (reason, count) in walked.skipped {
                self.skipped.add(reason, count);
            }
            for (path, why) in walked.unreadable {
                self.add(path, FileFormat::Text, true, Some(ReadProblem::Unreadable(why)));
            }
        }
    }

    /// Adds a file unless it is too large to be configuration.
    fn add_sized(&mut self, path: PathBuf, format: FileFormat, size: u64, reported: bool) {
        if is_too_large(format, size) {
            self.skipped.add(SkipReason::TooLarge, usize::from(reported));
        } else {
            self.add(path, format, reported, None);
        }
    }

    /// Files that exist only in the overlay, below `root`.
    fn add_overlay_files(&mut self, root: &Path, reported: bool) {
        let is_new = |path: &Path| path.starts_with(root) && !path.exists();
        let new = self.files.overlay.iter().filter(|(path, _)| is_new(path));
        let new: Vec<(PathBuf, u64)> = new.map(|(path, bytes)| (path.clone(), bytes.len() as u64)).collect();
        for (path, size) in new {
            let below = |at: &&Path| at.starts_with(root) && *at != root;
            let hidden = |at: &Path| is_hidden(at) && !(at == path && is_env_file(at));
            let hidden = path.ancestors().take_while(below).any(hidden);
            if let (false, false, Some(format)) = (hidden, self.excluded_above(&path), format_in_walk(&path, self.files)) {
                self.add_sized(path, format, size, reported);
            }
        }
    }

    /// Adds the projects that contain the named paths. Outer projects come first, because they include the inner ones.
    fn add_context(&mut self, mut roots: Vec<(PathBuf, bool)>) {
        roots.sort();
        roots.dedup();
        for (root, marked) in roots {
            if self.walked.iter().any(|outer| root.starts_with(outer)) {
                continue;
            }
            let walked = self.walk(&root, Some(if marked { PROJECT_LIMIT } else { LOOSE_FOLDER_LIMIT }));
            if walked.limit_reached {
                self.complete = false;
                continue;
            }
            self.add_walked(walked, false);
            self.add_overlay_files(&root, false);
            self.walked.push(root);
        }
    }

    /// Whether the entry itself is excluded; the walk has already checked its parent folders.
    fn excluded(&self, path: &Path, is_folder: bool) -> bool {
        let name = path.file_name().unwrap_or_default();
        if is_folder && name == ".git" {
            return true;
        }
        if self.request.no_ignore {
            return false;
        }
        let folder = path.parent().unwrap_or(path);
        is_folder && path.join("pyvenv.cfg").is_file()
            || !self.exclude.is_empty() && self.exclude.names(&relative(path, &self.request.cwd))
            || self.configs.with(self.configs.of_folder(folder), |config| {
                let relative = relative(path, &config.root);
                config.exclude.as_ref().unwrap_or(&DEFAULT_EXCLUDE_GLOBS).names(&relative)
                    || config.extend_exclude.names(&relative)
            })
    }

    /// Whether a named path or one of its parent folders, up to the root of its configuration, is excluded.
    fn excluded_above(&self, path: &Path) -> bool {
        if self.request.no_ignore {
            return false;
        }
        let folder = path.parent().unwrap_or(path);
        self.exclude.hold(&relative(path, &self.request.cwd))
            || self.configs.with(self.configs.of_folder(folder), |config| {
                let relative = relative(path, &config.root);
                let usual = !relative.starts_with("..") && DEFAULT_EXCLUDE_GLOBS.hold(&relative);
                config.exclude.as_ref().map_or(usual, |globs| globs.hold(&relative)) || config.extend_exclude.hold(&relative)
            })
    }

    /// Reports a file that is also reached through a link only once, under its own name.
    fn drop_duplicate_links(&mut self) {
        let reported = || self.files_by_path.values().filter(|file| file.reported);
        let links: Vec<PathBuf> = reported().filter(|file| file.is_link).map(|file| file.path.clone()).collect();
        if links.is_empty() {
            return;
        }
        let own = reported().filter(|file| !file.is_link);
        let own: HashSet<PathBuf> = own.filter_map(|file| file.path.canonicalize().ok()).collect();
        for link in links {
            let double = link.canonicalize().is_ok_and(|target| own.contains(&target));
            if let (true, Some(file)) = (double, self.files_by_path.get_mut(&link)) {
                file.reported = false;
            }
        }
    }
}

/// Whether a file is too large to be configuration.
fn is_too_large(format: FileFormat, size: u64) -> bool {
    size > MAX_FILE_SIZE || format == FileFormat::EnvFile && size > MAX_ENV_FILE_SIZE
}

/// A key in the order of paths: by components, so that the separator comes before every other character.
fn in_order(path: &Path) -> Vec<u8> {
    let is_separator = |byte: u8| std::path::is_separator(char::from(byte));
    path.as_os_str().as_encoded_bytes().iter().map(|byte| if is_separator(*byte) { 0 } else { *byte }).collect()
}

/// The root of the project of `path`, and whether it is marked: the nearest parent folder with a configuration or a repository;
/// otherwise the named folder, or the folder of the named file.
fn root_above(files: &OverlayFs, path: &Path, isolated: bool) -> (PathBuf, bool) {
    let start = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let marks = |folder: &Path| folder.join(".git").exists() || !isolated && has_config(files, folder);
    start.ancestors().find(|folder| marks(folder)).map_or_else(|| (start.to_path_buf(), false), |root| (root.to_path_buf(), true))
}

/// Whether another module reads a file without a format: as configuration, or for library versions.
pub(crate) fn is_read_elsewhere(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    matches!(&*name, "vramlint.toml" | "pyproject.toml")
        || vramlint_resolve::versions::files::ManifestKind::from_name(&name).is_some()
        || folder.starts_with("req")
}

#[cfg(test)]
mod tests;
