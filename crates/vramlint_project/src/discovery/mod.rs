//! Which files are read: the named ones, which are reported, and their project around them, for context.

pub(crate) mod form;
pub(crate) mod paths;
mod walk;

use crate::config::glob::Globs;
use crate::config::{ConfigError, Configs, has_config};
use crate::files::Files;
use crate::request::Request;
use form::{ByName, Form};
use paths::{absolute, relative, shown};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use vramlint_base::{Message, message};
use walk::{Limit, Walked, form_in_walk, is_hidden, is_variables, walk};

/// Data files above this size are datasets, not configuration, bytes.
pub(crate) const LARGEST: u64 = 2 << 20;
/// Files of variables above this size are something else, bytes.
const LARGEST_VARIABLES: u64 = 64 << 10;
/// Context of a project with a root of its own (a configuration or a repository).
const MARKED: Limit = Limit { files: 20_000, entries: 400_000 };
/// Context of a loose file: the folder may be anything, a home directory or `/tmp`.
const LOOSE: Limit = Limit { files: 2_000, entries: 20_000 };
/// Folders that hold other people's code or no code at all, unless `exclude` says otherwise.
const USUAL_EXCLUDES: [&str; 14] = [
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
static USUAL: LazyLock<Globs> = LazyLock::new(|| Globs::new(&USUAL_EXCLUDES).unwrap_or_default());

/// A file to read.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Absolute path.
    pub path: PathBuf,
    /// Path as shown to people.
    pub shown: String,
    /// How to read it.
    pub form: Form,
    /// Whether its findings are reported.
    pub reported: bool,
    /// Number of the configuration that governs it.
    pub config: usize,
    /// Why it is not read.
    pub problem: Option<Problem>,
}

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The machine refuses.
    Unreadable(String),
    /// Too large, bytes.
    TooLarge(u64),
}

/// What is read.
#[derive(Debug, Default)]
pub(crate) struct Discovered {
    /// Files in order of their path.
    pub files: Vec<Found>,
    /// Named paths that are not read, and why.
    pub skipped: Vec<(String, Message)>,
    /// Whether the projects around the named paths were read in full.
    pub complete: bool,
    /// The folders that the search began in: nothing above them belongs to the project.
    pub roots: Vec<PathBuf>,
}

/// Finds the files of a request.
pub(crate) fn discover(request: &Request, files: &Files, configs: &Configs<'_>) -> Result<Discovered, ConfigError> {
    let exclude = Globs::new(&request.exclude)
        .map_err(|(_, Message { en, zh })| ConfigError::new(message!("--exclude: {en}", "--exclude：{zh}")))?;
    let mut search = Search {
        request,
        files,
        configs,
        exclude,
        found: BTreeMap::new(),
        skipped: Vec::new(),
        walked: Vec::new(),
        complete: true,
    };
    let mut roots = Vec::new();
    for path in search.named() {
        search.name(&path)?;
        roots.push(root_above(files, &path, request.isolated));
    }
    search.context(roots.clone());
    search.drop_doubles();
    let roots = roots.into_iter().map(|(root, _)| root).collect();
    Ok(Discovered { files: search.found.into_values().collect(), skipped: search.skipped, complete: search.complete, roots })
}

struct Search<'a> {
    request: &'a Request,
    files: &'a Files,
    configs: &'a Configs<'a>,
    /// `--exclude`, relative to the working directory.
    exclude: Globs,
    found: BTreeMap<PathBuf, Found>,
    skipped: Vec<(String, Message)>,
    /// Folders that were read in full.
    walked: Vec<PathBuf>,
    complete: bool,
}

impl Search<'_> {
    /// What the request names: standard input alone, else the paths, else the working directory.
    fn named(&self) -> Vec<PathBuf> {
        let cwd = &self.request.cwd;
        match (&self.request.stdin, self.request.paths.as_slice()) {
            (Some((name, _)), _) => vec![absolute(cwd, name)],
            (None, []) => vec![cwd.clone()],
            (None, paths) => paths.iter().map(|path| absolute(cwd, path)).collect(),
        }
    }

    /// Adds what a named path stands for.
    fn name(&mut self, path: &Path) -> Result<(), ConfigError> {
        let name = shown(path, &self.request.cwd);
        if self.excluded_above(path) {
            self.skipped.push((name, message!("excluded", "已被排除")));
        } else if path.is_dir() && !self.files.overlay.contains_key(path) {
            let walked = self.walk(path, None);
            self.take(walked, true);
            self.overlaid(path, true);
            self.walked.push(path.to_path_buf());
        } else if self.files.overlay.contains_key(path) || path.symlink_metadata().is_ok() {
            self.name_file(path, name);
        } else {
            return Err(ConfigError::new(message!("{name}: no such file or folder", "{name}：没有这个文件或文件夹")));
        }
        Ok(())
    }

    fn name_file(&mut self, path: &Path, name: String) {
        let form = match Form::by_name(path) {
            ByName::Form(form) => form,
            ByName::Dataset => {
                self.skipped.push((name, message!("a dataset, not configuration", "是数据集，不是配置")));
                return;
            }
            ByName::AskShebang | ByName::Other => Form::by_shebang(&self.files.head(path)).unwrap_or(Form::Text),
        };
        let problem = match self.files.size(path) {
            Err(error) => Some(Problem::Unreadable(error.to_string())),
            Ok(size) if size > LARGEST => Some(Problem::TooLarge(size)),
            Ok(_) => None,
        };
        self.add(path.to_path_buf(), form, true, problem);
    }

    fn add(&mut self, path: PathBuf, form: Form, reported: bool, problem: Option<Problem>) {
        if let Some(known) = self.found.get_mut(&path) {
            known.reported |= reported;
            return;
        }
        let config = self.configs.of_folder(path.parent().unwrap_or(&path));
        let shown = shown(&path, &self.request.cwd);
        self.found.insert(path.clone(), Found { path, shown, form, reported, config, problem });
    }

    fn walk(&self, root: &Path, limit: Option<Limit>) -> Walked {
        let excluded = |path: &Path, is_folder: bool| self.excluded(path, is_folder);
        walk(root, self.files, self.request.no_ignore, self.request.jobs, limit, &excluded)
    }

    fn take(&mut self, walked: Walked, reported: bool) {
        for (path, form) in walked.files {
            match self.files.size(&path) {
                Ok(size) if size > LARGEST || form == Form::Variables && size > LARGEST_VARIABLES => {}
                Ok(_) => self.add(path, form, reported, None),
                Err(error) => self.add(path, form, reported, Some(Problem::Unreadable(error.to_string()))),
            }
        }
        if reported {
            for (path, why) in walked.unreadable {
                self.add(path, Form::Text, true, Some(Problem::Unreadable(why)));
            }
        }
    }

    /// Files that exist only in the overlay, below `root`.
    fn overlaid(&mut self, root: &Path, reported: bool) {
        let new: Vec<PathBuf> =
            self.files.overlay.keys().filter(|path| path.starts_with(root) && !path.exists()).cloned().collect();
        for path in new {
            let below = |at: &&Path| at.starts_with(root) && *at != root;
            let hidden = |at: &Path| is_hidden(at) && !(at == path && is_variables(at));
            let hidden = path.ancestors().take_while(below).any(hidden);
            if let (false, false, Some(form)) = (hidden, self.excluded_above(&path), form_in_walk(&path, self.files)) {
                self.add(path, form, reported, None);
            }
        }
    }

    /// Reads the projects around the named paths, the outer ones first, as they hold the inner ones.
    fn context(&mut self, mut roots: Vec<(PathBuf, bool)>) {
        roots.sort();
        roots.dedup();
        for (root, marked) in roots {
            if self.walked.iter().any(|outer| root.starts_with(outer)) {
                continue;
            }
            let walked = self.walk(&root, Some(if marked { MARKED } else { LOOSE }));
            if walked.given_up {
                self.complete = false;
                continue;
            }
            self.take(walked, false);
            self.overlaid(&root, false);
            self.walked.push(root);
        }
    }

    /// Whether the entry itself is excluded; folders above it were asked before.
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
            || self.exclude.names(&relative(path, &self.request.cwd))
            || self.configs.with(self.configs.of_folder(folder), |config| {
                let relative = relative(path, &config.root);
                config.exclude.as_ref().unwrap_or(&USUAL).names(&relative) || config.extend_exclude.names(&relative)
            })
    }

    /// Whether a named path, or a folder above it up to the folder that its configuration governs, is excluded.
    fn excluded_above(&self, path: &Path) -> bool {
        if self.request.no_ignore {
            return false;
        }
        let folder = path.parent().unwrap_or(path);
        self.exclude.hold(&relative(path, &self.request.cwd))
            || self.configs.with(self.configs.of_folder(folder), |config| {
                let relative = relative(path, &config.root);
                let usual = !relative.starts_with("..") && USUAL.hold(&relative);
                config.exclude.as_ref().map_or(usual, |globs| globs.hold(&relative)) || config.extend_exclude.hold(&relative)
            })
    }

    /// A file that is reached both by its own name and through a link is reported once, under its own name.
    fn drop_doubles(&mut self) {
        let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|data| data.is_symlink());
        let reported = self.found.values().filter(|found| found.reported).map(|found| found.path.clone());
        let (links, own): (Vec<_>, Vec<_>) = reported.partition(|path| is_link(path));
        if links.is_empty() {
            return;
        }
        let own: HashSet<PathBuf> = own.iter().filter_map(|path| path.canonicalize().ok()).collect();
        for link in links {
            let double = link.canonicalize().is_ok_and(|target| own.contains(&target));
            if let (true, Some(found)) = (double, self.found.get_mut(&link)) {
                found.reported = false;
            }
        }
    }
}

/// The root of the project that `path` belongs to, and whether something marks it: the nearest folder above with a
/// configuration or a repository; else the named folder, or the folder of the named file.
fn root_above(files: &Files, path: &Path, isolated: bool) -> (PathBuf, bool) {
    let start = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let marks = |folder: &Path| folder.join(".git").exists() || !isolated && has_config(files, folder);
    start.ancestors().find(|folder| marks(folder)).map_or_else(|| (start.to_path_buf(), false), |root| (root.to_path_buf(), true))
}

#[cfg(test)]
mod tests;
