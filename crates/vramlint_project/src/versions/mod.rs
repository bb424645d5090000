//! Finds the files that state library versions (requirements, lock files, environments), and collects their evidence per folder.
//!
//! The search covers every folder with a file of the project, and its parent folders up to the root of the project. Files that
//! cannot be read or parsed are skipped without a finding.

mod version_files;
mod virtual_env;

pub(crate) use version_files::{VersionFile, find};

use crate::config::Config;
use crate::discovery::paths::{absolute, relative, shown};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use vramlint_base::{FileId, FileRange};
use vramlint_resolve::SourceFile;
use vramlint_resolve::versions::files::{pip_installs, script_pins};
use vramlint_resolve::versions::{EvidenceRank, FolderLibraries, VersionCandidate, VersionEvidence, VersionSpec};

/// Names of folders whose scripts install for the parent folder.
const HELPER_FOLDERS: [&str; 8] = ["docker", ".docker", ".devcontainer", "scripts", "script", "bin", "install", "setup"];

/// The version evidence per folder, outermost folder first, and per script that names versions for itself.
pub(crate) fn libraries(version_files: &[VersionFile], files: &[SourceFile], cwd: &Path) -> Vec<FolderLibraries> {
    let shown: HashSet<&str> = version_files.iter().map(|file| file.shown.as_str()).collect();
    let is_version_file = |file: &&SourceFile| !shown.is_empty() && file.host.is_none() && shown.contains(file.path.as_str());
    let numbers: HashMap<&str, FileId> = files.iter().filter(is_version_file).map(|file| (file.path.as_str(), file.id)).collect();
    let mut by_root: BTreeMap<PathBuf, Vec<(&'static str, VersionCandidate)>> = BTreeMap::new();
    let mut locking: Vec<&Path> = Vec::new();
    for file in version_files {
        let number = numbers.get(file.shown.as_str());
        let candidates = file.mentions.iter().map(|mention| {
            let place = number.filter(|_| file.placed).map(|number| FileRange::new(*number, mention.range));
            let (version, source) = (mention.version.clone(), file.shown.clone());
            (mention.library, VersionCandidate { version, rank: mention.rank, place, source })
        });
        by_root.entry(file.root.clone()).or_default().extend(candidates);
        if file.shown.ends_with("uv.lock") {
            locking.push(&file.root);
        }
    }
    for file in files {
        let is_module = file.is_python() && file.host.is_none();
        let root = if is_module { None } else { install_root(file, cwd) };
        let mentions = match root {
            _ if is_module => script_pins(&file.text),
            Some(_) => pip_installs(&file.text),
            None => continue,
        };
        if mentions.is_empty() {
            continue;
        }
        let root = root.unwrap_or_else(|| absolute(cwd, Path::new(&file.path)));
        let candidates = mentions.into_iter().map(|mention| {
            let place = Some(FileRange::new(file.id, mention.range));
            (mention.library, VersionCandidate { version: mention.version, rank: mention.rank, place, source: file.path.clone() })
        });
        by_root.entry(root).or_default().extend(candidates);
    }
    let to_libraries = |(root, mentioned): (PathBuf, Vec<_>)| FolderLibraries {
        locks_below: locking.contains(&root.as_path()),
        ..FolderLibraries::new(relative(&root, cwd), mentioned)
    };
    let mut all: Vec<FolderLibraries> =
        by_root.into_iter().map(to_libraries).filter(|libraries| !libraries.evidence.is_empty()).collect();
    all.sort_by_key(FolderLibraries::depth);
    all
}

/// The folder that a script, a Dockerfile or the commands of a document install libraries for; `None` if they install none.
fn install_root(file: &SourceFile, cwd: &Path) -> Option<PathBuf> {
    let name = file.name().to_lowercase();
    let is_dockerfile = name.starts_with("dockerfile") || name.ends_with(".dockerfile");
    let is_script = file.is_script() && (file.host.is_none() || name.ends_with(".md"));
    let installs = is_script || is_dockerfile && file.host.is_none();
    if !installs || !file.text.contains("pip") {
        return None;
    }
    let folder = absolute(cwd, Path::new(file.folder()));
    let is_helper = folder.file_name().is_some_and(|name| HELPER_FOLDERS.iter().any(|helper| name == *helper));
    Some(if is_helper { folder.parent().unwrap_or(&folder).to_path_buf() } else { folder })
}

/// The evidence in `[versions]` of a configuration, whose file is `number`.
pub(crate) fn declared(config: &Config, number: Option<FileId>, cwd: &Path) -> BTreeMap<String, VersionEvidence> {
    let source = config.file.as_ref().map_or_else(String::new, |file| shown(file, cwd));
    let candidates = config.versions.iter().filter_map(|(library, version, range)| {
        let place = number.map(|number| FileRange::new(number, *range));
        let candidate = VersionCandidate {
            version: VersionSpec::clone(version),
            rank: EvidenceRank::Declared,
            place,
            source: source.clone(),
        };
        Some(((*library).to_owned(), VersionEvidence::new(library, vec![candidate])?))
    });
    candidates.collect()
}

#[cfg(test)]
mod tests;
