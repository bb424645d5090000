//! Resolves the paths that scripts and configurations write to files of the project.

use crate::SourceFile;
use std::collections::{HashMap, HashSet};
use vramlint_base::FileId;

/// Resolves paths to files. A script's working directory is not known, so the folder of the file that names the path is tried first,
/// then each folder above it.
#[derive(Clone, Debug, Default)]
pub struct PathResolver {
    by_path: HashMap<String, FileId>,
    folders: HashSet<String>,
}

impl PathResolver {
    /// A resolver over all files on disk.
    pub fn new(files: &[SourceFile]) -> Self {
        let by_path: HashMap<String, FileId> =
            files.iter().filter(|f| f.host.is_none()).map(|f| (normalize(&f.path), f.id)).collect();
        let mut folders = HashSet::new();
        for path in by_path.keys() {
            let mut folder = parent(path);
            while let Some(found) = folder.filter(|found| !folders.contains(*found)) {
                folder = parent(found);
                folders.insert(found.to_owned());
            }
        }
        Self { by_path, folders }
    }

    /// The folder to which `cd path` leads from `folder`, or from one above it.
    pub fn resolve_folder(&self, path: &str, folder: &str) -> Option<String> {
        if path.is_empty() || path.len() > 1024 {
            return None;
        }
        if let Some(tail) = path.strip_prefix('/') {
            let mut rest = Some(tail);
            while let Some(candidate) = rest.filter(|candidate| !candidate.is_empty()) {
                let candidate_path = normalize(candidate);
                if self.folders.contains(&candidate_path) {
                    return Some(candidate_path);
                }
                rest = candidate.split_once('/').map(|(_, rest)| rest);
            }
            return None;
        }
        let mut base = Some(normalize(folder));
        while let Some(folder) = base {
            let full = normalize(&if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") });
            if self.folders.contains(&full) {
                return Some(full);
            }
            base = parent(&folder).map(str::to_owned);
        }
        None
    }

    /// The file that `path` refers to if it is written in a file of `folder`.
    pub fn resolve(&self, path: &str, folder: &str) -> Option<FileId> {
        let path = path.trim().trim_start_matches("file://").replace('\\', "/");
        if path.is_empty() || path.len() > 1024 || path.contains('\n') {
            return None;
        }
        let mut base = Some(normalize(folder));
        while let Some(folder) = base {
            let full = if folder.is_empty() { path.clone() } else { format!("{folder}/{path}") };
            if let Some(id) = self.by_path.get(&normalize(&full)) {
                return Some(*id);
            }
            base = parent(&folder).map(str::to_owned);
        }
        self.resolve_suffix(&path)
    }

    /// Whether a folder with exactly this path holds files.
    pub fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(&normalize(path))
    }

    /// The file at exactly this path, as displayed.
    pub fn resolve_exact(&self, path: &str) -> Option<FileId> {
        self.by_path.get(&normalize(path)).copied()
    }

    /// An absolute path, or one inside a container (`/app/ds.json`): the file at its longest suffix that exists in the project.
    fn resolve_suffix(&self, path: &str) -> Option<FileId> {
        let tail = path.strip_prefix('/')?;
        let mut rest = Some(tail);
        while let Some(candidate) = rest {
            if let Some(id) = self.by_path.get(&normalize(candidate)) {
                return Some(*id);
            }
            rest = candidate.split_once('/').map(|(_, rest)| rest);
        }
        None
    }
}

/// `a/./b/../c` as `a/c`; leading `..` stay.
pub fn normalize(path: &str) -> String {
    // Most paths are written so.
    if path.split('/').all(|part| !matches!(part, "" | "." | "..")) {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

fn parent(folder: &str) -> Option<&str> {
    if folder.is_empty() || folder.ends_with("..") {
        return None;
    }
    Some(folder.rsplit_once('/').map_or("", |(parent, _)| parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_plain() {
        assert_eq!(normalize("./a//b/../c/"), "a/c");
        assert_eq!(normalize("../x/./y"), "../x/y");
        assert_eq!(normalize("/a/../b"), "/b");
    }

    #[test]
    fn looks_beside_the_file_then_above_it() {
        let resolver = PathResolver {
            by_path: [("p/scripts/a.yaml", 0), ("p/configs/b.yaml", 1), ("ds.json", 2)]
                .map(|(p, i)| (p.to_owned(), FileId(i)))
                .into(),
            ..PathResolver::default()
        };
        assert_eq!(resolver.resolve("./a.yaml", "p/scripts"), Some(FileId(0)));
        assert_eq!(resolver.resolve("configs/b.yaml", "p/scripts"), Some(FileId(1)));
        assert_eq!(resolver.resolve("../configs/b.yaml", "p/scripts"), Some(FileId(1)));
        assert_eq!(resolver.resolve("/app/ds.json", "p"), Some(FileId(2)));
        assert_eq!(resolver.resolve("no.yaml", "p/scripts"), None);
    }
}
