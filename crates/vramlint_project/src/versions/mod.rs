//! Finds the files that say which versions of libraries a project has, and weighs what they say per folder.
//!
//! They are looked for in every folder that holds a file of the project, and in those above it up to the root of the project.
//! Read only for what they say: a broken one is passed over, it is none of our business.

mod version_files;
mod virtual_env;

pub(crate) use version_files::{VersionFile, find};

use crate::config::Config;
use crate::discovery::paths::{relative, shown};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use vramlint_base::{FileId, FileRange};
use vramlint_resolve::versions::files::pip_installs;
use vramlint_resolve::versions::{EvidenceRank, FolderLibraries, VersionCandidate, VersionEvidence, VersionSpec};
use vramlint_resolve::{SourceFile, Syntax};

/// Folders that serve the one above them.
const HELPER_FOLDERS: [&str; 8] = ["docker", ".docker", ".devcontainer", "scripts", "script", "bin", "install", "setup"];

/// What the files say of the libraries, outermost folder first.
pub(crate) fn libraries(found: &[VersionFile], files: &[SourceFile], cwd: &Path) -> Vec<FolderLibraries> {
    let numbers: HashMap<&str, FileId> =
        files.iter().filter(|file| file.host.is_none()).map(|file| (file.path.as_str(), file.id)).collect();
    let mut by_root: BTreeMap<PathBuf, Vec<(&'static str, VersionCandidate)>> = BTreeMap::new();
    let mut locking: Vec<&Path> = Vec::new();
    for file in found {
        let number = numbers.get(file.shown.as_str());
        let said = file.mentions.iter().map(|mention| {
            let place = number.filter(|_| file.placed).map(|number| FileRange::new(*number, mention.range));
            let (version, source) = (mention.version.clone(), file.shown.clone());
            (mention.library, VersionCandidate { version, rank: mention.rank, place, source })
        });
        by_root.entry(file.root.clone()).or_default().extend(said);
        if file.shown.ends_with("uv.lock") {
            locking.push(&file.root);
        }
    }
    for (file, root) in files.iter().filter_map(|file| Some((file, install_root(file, cwd)?))) {
        let said = pip_installs(&file.text).into_iter().map(|mention| {
            let place = Some(FileRange::new(file.id, mention.range));
            (mention.library, VersionCandidate { version: mention.version, rank: mention.rank, place, source: file.path.clone() })
        });
        let said: Vec<_> = said.collect();
        if !said.is_empty() {
            by_root.entry(root).or_default().extend(said);
        }
    }
    let weigh = |(root, mentioned): (PathBuf, Vec<_>)| FolderLibraries {
        locks_below: locking.contains(&root.as_path()),
        ..FolderLibraries::new(relative(&root, cwd), mentioned)
    };
    let mut all: Vec<FolderLibraries> =
        by_root.into_iter().map(weigh).filter(|libraries| !libraries.evidence.is_empty()).collect();
    all.sort_by_key(FolderLibraries::depth);
    all
}

/// The folder for which a script or a Dockerfile installs, if it does.
fn install_root(file: &SourceFile, cwd: &Path) -> Option<PathBuf> {
    let name = file.name().to_lowercase();
    let is_dockerfile = name.starts_with("dockerfile") || name.ends_with(".dockerfile");
    let installs =
        file.host.is_none() && (is_dockerfile || matches!(file.syntax, Syntax::Script(_))) && file.text.contains("pip");
    if !installs {
        return None;
    }
    let folder = crate::discovery::paths::absolute(cwd, Path::new(file.folder()));
    let serves = folder.file_name().is_some_and(|name| HELPER_FOLDERS.iter().any(|serving| name == *serving));
    Some(if serves { folder.parent().unwrap_or(&folder).to_path_buf() } else { folder })
}

/// `[versions]` of a configuration, whose file has this number.
pub(crate) fn declared(config: &Config, number: Option<FileId>, cwd: &Path) -> BTreeMap<String, VersionEvidence> {
    let source = config.file.as_ref().map_or_else(String::new, |file| shown(file, cwd));
    let said = config.versions.iter().filter_map(|(library, version, range)| {
        let place = number.map(|number| FileRange::new(number, *range));
        let candidate = VersionCandidate {
            version: VersionSpec::clone(version),
            rank: EvidenceRank::Declared,
            place,
            source: source.clone(),
        };
        Some(((*library).to_owned(), VersionEvidence::new(library, vec![candidate])?))
    });
    said.collect()
}

#[cfg(test)]
mod tests;
