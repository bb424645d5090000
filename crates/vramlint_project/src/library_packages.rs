//! Copies of known libraries among the files: vendored, installed, or the repository of the library itself.

use crate::discovery::paths::absolute;
use std::path::Path;
use vramlint_catalog::libraries;
use vramlint_resolve::{Feature, SourceFile};

/// The folders that hold a library which the catalogue describes: named like it, and with a version in their `__init__.py`. A project's
/// own folder of that name has no version.
pub(crate) fn library_packages(files: &[SourceFile], cwd: &Path) -> Vec<String> {
    let is_init = |file: &&SourceFile| file.name() == "__init__.py" && file.host.is_none();
    let folder_of_library = |file: &SourceFile| {
        let folder = absolute(cwd, Path::new(file.folder()));
        let name = folder.file_name()?.to_str()?;
        (libraries::is_not_followed(name) && file.features().has(Feature::PackageVersion)).then(|| file.folder().to_owned())
    };
    files.iter().filter(is_init).filter_map(folder_of_library).collect()
}
