//! Resolves imports to files of the project.

use crate::SourceFile;
use crate::features::Feature;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use vramlint_base::FileId;
use vramlint_catalog::libraries;

/// The Python files of a project by path, and their folders. Built once for all entries.
#[derive(Debug, Default)]
pub struct ModuleIndex {
    files: HashMap<String, FileId>,
    folders: HashSet<String>,
    /// Last parts of modules and folders. Any other name belongs to a library.
    names: HashSet<String>,
    /// Folders that are a package themselves, by the name in the `setup.py` beside their `__init__.py`: the name of the folder into
    /// which the repository is cloned.
    distributions: HashMap<String, String>,
    /// Results by folder of the entry, folder of the importer, level and name. Entries share most of their imports.
    found: Mutex<HashMap<String, Option<ImportTarget>>>,
}

/// The modules as an entry sees them.
pub(super) struct ModuleResolver {
    index: Arc<ModuleIndex>,
    entry_folder: String,
}

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ImportTarget {
    /// A module, or a package with `__init__.py`.
    File(FileId),
    /// A folder without `__init__.py`: a namespace package.
    Folder(String),
}

impl ModuleIndex {
    /// Over the files of a project.
    pub fn new<'a>(files: impl IntoIterator<Item = &'a SourceFile>) -> Self {
        let mut index = Self::default();
        for file in files.into_iter().filter(|file| file.host.is_none() && file.is_python()) {
            let path = normalized(&file.path).into_owned();
            let mut folder = parent_folder(&path);
            while let Some(name) = folder {
                if !index.folders.insert(name.to_string()) {
                    break;
                }
                index.names.insert(leaf(name).to_string());
                folder = parent_folder(name);
            }
            index.names.insert(leaf(&path).trim_end_matches(".py").to_string());
            if let Some(name) = (leaf(&path) == "setup.py").then(|| distribution_name(file)).flatten() {
                index.distributions.insert(name, parent_folder(&path).unwrap_or("").to_string());
            }
            index.files.insert(path, file.id);
        }
        let Self { files, distributions, names, .. } = &mut index;
        distributions.retain(|_, folder| files.contains_key(&join_path(folder, "__init__.py")));
        names.extend(distributions.keys().cloned());
        index
    }
}

/// The file of the project that an import names, for a file that is an entry itself. `level` counts the dots of a relative import.
pub(crate) fn imported(index: &ModuleIndex, dotted: &str, level: u32, from_path: &str) -> Option<FileId> {
    if !index.may_hold(dotted, level) {
        return None;
    }
    let own = normalized(from_path);
    let folder = parent_folder(&own).unwrap_or("");
    match index.search(folder, dotted, level, folder) {
        Some(ImportTarget::File(file)) => Some(file),
        _ => None,
    }
}

impl ModuleResolver {
    pub(super) fn new(index: Arc<ModuleIndex>, files: &[SourceFile], entry: FileId) -> Self {
        let entry_folder = files
            .iter()
            .find(|file| file.id == entry)
            .map_or(String::new(), |file| parent_folder(&normalize_path(&file.path)).unwrap_or("").to_string());
        Self { index, entry_folder }
    }

    /// The module `dotted` as `from_path` imports it; `level` counts the dots of a relative import.
    pub(super) fn find(&self, dotted: &str, level: u32, from_path: &str) -> Option<ImportTarget> {
        if !self.index.may_hold(dotted, level) {
            return None;
        }
        let own = from_path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let key = format!("{}\n{own}\n{level}\n{dotted}", self.entry_folder);
        if let Some(found) = self.index.found.lock().ok().and_then(|known| known.get(&key).cloned()) {
            return found;
        }
        let path = normalized(from_path);
        let found = self.index.search(&self.entry_folder, dotted, level, parent_folder(&path).unwrap_or(""));
        if let Ok(mut known) = self.index.found.lock() {
            known.insert(key, found.clone());
        }
        found
    }

    /// The module or package at this path without `.py`.
    pub(super) fn module_at(&self, path: &str) -> Option<ImportTarget> {
        self.index.module_at(path)
    }
}

impl ModuleIndex {
    /// Whether an import may name something of the project.
    fn may_hold(&self, dotted: &str, level: u32) -> bool {
        let last = dotted.rsplit('.').next().unwrap_or(dotted);
        level > 0 || self.names.contains(last) && !libraries::is_not_followed(dotted)
    }

    /// What an import in a file in `own_folder` names.
    fn search(&self, entry_folder: &str, dotted: &str, level: u32, own_folder: &str) -> Option<ImportTarget> {
        let relative = dotted.replace('.', "/");
        if level > 0 {
            let mut base = own_folder;
            for _ in 1..level {
                base = parent_folder(base)?;
            }
            return self.module_at(&join_path(base, &relative));
        }
        if relative.is_empty() {
            return None;
        }
        let mut namespace = None;
        let of_importer = (own_folder != entry_folder).then(|| search_folders(own_folder)).into_iter().flatten();
        for base in search_folders(entry_folder).chain(of_importer) {
            match self.module_at(&join_path(&base, &relative)) {
                Some(ImportTarget::File(file)) => return Some(ImportTarget::File(file)),
                Some(folder) if namespace.is_none() => namespace = Some(folder),
                _ => {}
            }
        }
        namespace.or_else(|| {
            let (package, rest) = relative.split_once('/').unwrap_or((&relative, ""));
            self.module_at(&join_path(self.distributions.get(package)?, rest))
        })
    }

    /// The module or package at this path without `.py`.
    fn module_at(&self, path: &str) -> Option<ImportTarget> {
        let mut file = String::with_capacity(path.len() + "/__init__.py".len());
        file.push_str(path);
        file.push_str(".py");
        if let Some(module) = self.files.get(&file) {
            return Some(ImportTarget::File(*module));
        }
        // Nothing is below a path that is no folder.
        if !self.folders.contains(path) {
            return None;
        }
        file.truncate(path.len());
        if !path.is_empty() {
            file.push('/');
        }
        file.push_str("__init__.py");
        Some(self.files.get(&file).map_or_else(|| ImportTarget::Folder(path.to_string()), |file| ImportTarget::File(*file)))
    }
}

/// The name that a `setup.py` gives to its distribution, as imports write it.
fn distribution_name(file: &SourceFile) -> Option<String> {
    let calls = file.python_if(file.features().has(Feature::SetupCall))?.calls();
    let mut setups = calls.filter(|site| site.call.callee.dotted().is_some_and(|path| path.rsplit('.').next() == Some("setup")));
    let name = setups.find_map(|site| site.call.keyword("name")?.value.as_str().map(|name| name.replace('-', "_")))?;
    Some(name)
}

/// The folder, its `src`, its parents and theirs: where a script started in `folder` usually finds its modules.
fn search_folders(folder: &str) -> impl Iterator<Item = String> {
    let bases = std::iter::successors(Some(folder), |base| if base.is_empty() { None } else { parent_folder(base) });
    bases.flat_map(|base| [base.to_string(), join_path(base, "src")])
}

/// `folder/name`, where an empty folder is the working directory.
pub(super) fn join_path(folder: &str, name: &str) -> String {
    match (folder.is_empty(), name.is_empty()) {
        (true, _) => name.to_string(),
        (_, true) => folder.to_string(),
        _ => format!("{}/{name}", folder.trim_end_matches('/')),
    }
}

/// The last part of a path.
fn leaf(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The path without its last part; `None` for the empty path.
pub(super) fn parent_folder(path: &str) -> Option<&str> {
    if path.is_empty() { None } else { Some(path.rsplit_once('/').map_or("", |(folder, _)| folder)) }
}

/// The same as [`normalize_path`]; most paths are normal already.
fn normalized(path: &str) -> Cow<'_, str> {
    let is_plain = path.split('/').all(|part| !matches!(part, "" | "." | ".."));
    if is_plain { path.into() } else { normalize_path(path).into() }
}

/// The path without `./`, doubled slashes and `name/..`; a leading `..` stays.
pub(super) fn normalize_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." if !parts.is_empty() || part == "." => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    parts.join("/")
}
