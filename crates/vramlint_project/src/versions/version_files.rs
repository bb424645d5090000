//! Finds and reads version files.

use super::virtual_env::{VENV_FOLDERS, installed, names};
use crate::discovery::Discovery;
use crate::discovery::paths::{absolute, shown};
use crate::overlay_fs::OverlayFs;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vramlint_base::TextRange;
use vramlint_catalog::files::{is_requirement_folder, is_requirement_list};
use vramlint_resolve::versions::files::{LibraryMention, ManifestKind, includes, read_mentions};
use vramlint_resolve::versions::{EvidenceRank, VersionSpec};

/// Maximum size of a version file, bytes.
const MAX_VERSION_FILE_SIZE: u64 = 1 << 20;
/// Maximum size of a lock file, bytes; lock files list every file of every package.
const MAX_LOCK_SIZE: u64 = 16 << 20;
/// Findings do not point into larger texts, bytes.
const MAX_SHOWN_SIZE: usize = 1 << 20;
/// Maximum depth of includes.
const MAX_INCLUDE_DEPTH: usize = 4;

/// A file or a virtual environment that states library versions.
#[derive(Clone, Debug)]
pub(crate) struct VersionFile {
    /// Path as shown.
    pub shown: String,
    /// The folder that it applies to, absolute.
    pub root: PathBuf,
    /// Its text; empty for an environment.
    pub text: Arc<str>,
    /// The stated versions.
    pub mentions: Vec<LibraryMention>,
    /// Whether findings may point into it.
    pub placed: bool,
}

/// Reads the version files of the project, in order of their folders and names.
pub(crate) fn find(discovered: &Discovery, files: &OverlayFs, cwd: &Path) -> Vec<VersionFile> {
    let folders: Vec<PathBuf> = folders(discovered).into_iter().collect();
    let overlaid: BTreeSet<&Path> = files.overlay.keys().map(PathBuf::as_path).collect();
    let read_folder = |folder: &PathBuf| in_folder(&Reader { files, cwd, overlaid: &overlaid }, folder);
    folders.par_iter().flat_map_iter(read_folder).collect()
}

/// Every folder with a file of the project, and its parent folders up to the root.
fn folders(discovered: &Discovery) -> BTreeSet<PathBuf> {
    let roots: HashSet<&Path> = discovered.roots.iter().map(PathBuf::as_path).collect();
    let mut out: BTreeSet<PathBuf> = roots.iter().map(|root| root.to_path_buf()).collect();
    for file in &discovered.files {
        let Some(folder) = file.path.parent().filter(|folder| !out.contains(*folder)) else { continue };
        if !folder.ancestors().any(|at| roots.contains(at)) {
            out.insert(folder.to_path_buf());
            continue;
        }
        for at in folder.ancestors() {
            // The parents of a known folder have already been added.
            if !out.insert(at.to_path_buf()) || roots.contains(at) {
                break;
            }
        }
    }
    out
}

struct Reader<'a> {
    files: &'a OverlayFs,
    cwd: &'a Path,
    overlaid: &'a BTreeSet<&'a Path>,
}

fn in_folder(reader: &Reader<'_>, folder: &Path) -> Vec<VersionFile> {
    let mut out = Vec::new();
    for name in reader.names(folder) {
        let path = folder.join(&name);
        if let Some(form) = ManifestKind::from_name(&name) {
            reader.read(&path, form, folder, 0, &mut out);
        } else if is_requirement_folder(&name) && path.is_dir() {
            for inner in reader.names(&path) {
                if is_requirement_list(&inner) {
                    reader.read(&path.join(&inner), ManifestKind::Requirements, folder, 0, &mut out);
                }
            }
        } else if VENV_FOLDERS.contains(&name.as_str()) {
            out.extend(reader.environment(&path, folder));
        }
    }
    out
}

impl Reader<'_> {
    /// The file names in a folder, on disk and in the overlay.
    fn names(&self, folder: &Path) -> Vec<String> {
        let mut all = names(folder);
        let laid = self.overlaid.iter().filter(|path| path.parent() == Some(folder)).filter_map(|path| path.file_name());
        all.extend(laid.map(|name| name.to_string_lossy().into_owned()));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Reads a file and the files that it includes.
    fn read(&self, path: &Path, form: ManifestKind, root: &Path, depth: usize, out: &mut Vec<VersionFile>) {
        let largest = if form.is_lock() { MAX_LOCK_SIZE } else { MAX_VERSION_FILE_SIZE };
        let readable = self.files.is_file(path) && self.files.size(path).is_ok_and(|size| size <= largest);
        let name = shown(path, self.cwd);
        if !readable || out.iter().any(|known| known.shown == name) {
            return;
        }
        let Ok(bytes) = self.files.read(path) else { return };
        let Ok(text) = String::from_utf8(bytes) else { return };
        let text: Arc<str> = text.into();
        let placed = text.len() <= MAX_SHOWN_SIZE;
        out.push(VersionFile {
            shown: name,
            root: root.to_path_buf(),
            mentions: read_mentions(form, &text),
            text: Arc::clone(&text),
            placed,
        });
        if form == ManifestKind::Requirements && depth < MAX_INCLUDE_DEPTH {
            let folder = path.parent().unwrap_or(root);
            // A list of another project, or of the machine, is none of this one's.
            let named = includes(&text).into_iter().map(|include| absolute(folder, Path::new(&include.path)));
            for path in named.filter(|path| self.files.is_within(path)) {
                self.read(&path, ManifestKind::Requirements, root, depth + 1, out);
            }
        }
    }

    fn environment(&self, path: &Path, root: &Path) -> Option<VersionFile> {
        let mention =
            |(library, version): (&'static str, VersionSpec)| LibraryMention::installed(library, version, TextRange::at(0));
        let mentions: Vec<LibraryMention> = installed(path).into_iter().map(mention).collect();
        debug_assert!(mentions.iter().all(|mention| mention.rank == EvidenceRank::Installed));
        let (shown, text) = (shown(path, self.cwd), "".into());
        (!mentions.is_empty()).then(|| VersionFile { shown, root: root.to_path_buf(), text, mentions, placed: false })
    }
}
