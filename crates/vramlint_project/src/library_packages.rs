//! Libraries among the files which the catalogue describes: vendored, installed, or in the repository of the library itself.

use crate::discovery::DiscoveredFile;
use crate::discovery::paths::absolute;
use crate::overlay_fs::OverlayFs;
use std::path::Path;
use vramlint_catalog::libraries;
use vramlint_resolve::{Feature, FileFeatures, LibraryPackage, SourceFile};

/// What says how a package is built: beside it, or above a folder `src`, it marks the repository of the library itself.
const BUILD_FILES: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// The packages of libraries among files that were read.
pub(crate) fn library_packages(files: &[SourceFile], disk: &OverlayFs, cwd: &Path) -> Vec<LibraryPackage> {
    // Most files are told apart without making a path of their name.
    let own = files.iter().filter(|file| file.host.is_none() && file.path.ends_with("__init__.py"));
    own.filter_map(|file| package(&absolute(cwd, Path::new(&file.path)), &file.path, disk, || file.features())).collect()
}

/// The packages of libraries among files that were found. Only the `__init__.py` of those is read.
pub(crate) fn discovered_packages(files: &[DiscoveredFile], disk: &OverlayFs) -> Vec<LibraryPackage> {
    let features = |file: &DiscoveredFile| {
        let bytes = if file.problem.is_some() { Vec::new() } else { disk.read_found(file).unwrap_or_default() };
        FileFeatures::scan(&String::from_utf8_lossy(&bytes))
    };
    files.iter().filter_map(|file| package(&file.path, &file.shown, disk, || features(file))).collect()
}

/// Whether a file may make its folder the package of a library.
pub(crate) fn may_mark_library(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    path.ends_with("__init__.py") && folder.is_some_and(libraries::is_not_followed)
}

/// The package whose `__init__.py` this is: named like a library, and with a version. A project's own folder of that name has none.
fn package(path: &Path, shown: &str, disk: &OverlayFs, features: impl FnOnce() -> FileFeatures) -> Option<LibraryPackage> {
    // Most files are told apart without touching the path.
    if !shown.ends_with("__init__.py") || !may_mark_library(path) || !features().has(Feature::PackageVersion) {
        return None;
    }
    let parent = path.parent()?.parent()?;
    let root = if parent.ends_with("src") { parent.parent()? } else { parent };
    let is_copy = !BUILD_FILES.iter().any(|name| disk.is_file(&root.join(name)));
    let folder = shown.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    Some(LibraryPackage { folder, is_copy })
}
