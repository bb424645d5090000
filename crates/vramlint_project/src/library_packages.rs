//! Copies of known libraries among the files: vendored, installed, or the repository of the library itself.

use crate::discovery::paths::absolute;
use crate::overlay_fs::OverlayFs;
use std::path::Path;
use vramlint_catalog::libraries;
use vramlint_resolve::{Feature, LibraryPackage, SourceFile};

/// What says how a package is built: beside it, or above a folder `src`, it marks the repository of the library itself.
const BUILD_FILES: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];

/// The folders that hold a library which the catalogue describes: named like it, and with a version in their `__init__.py`. A project's
/// own folder of that name has no version.
pub(crate) fn library_packages(files: &[SourceFile], disk: &OverlayFs, cwd: &Path) -> Vec<LibraryPackage> {
    let is_init = |file: &&SourceFile| file.name() == "__init__.py" && file.host.is_none();
    let folder_of_library = |file: &SourceFile| {
        let folder = absolute(cwd, Path::new(file.folder()));
        let name = folder.file_name()?.to_str()?;
        if !libraries::is_not_followed(name) || !file.features().has(Feature::PackageVersion) {
            return None;
        }
        let parent = folder.parent()?;
        let root = if parent.ends_with("src") { parent.parent()? } else { parent };
        let is_copy = !BUILD_FILES.iter().any(|name| disk.is_file(&root.join(name)));
        Some(LibraryPackage { folder: file.folder().to_owned(), is_copy })
    };
    files.iter().filter(is_init).filter_map(folder_of_library).collect()
}
