//! Reads the installed libraries of virtual environments in a project, from folder names only.

use std::path::Path;
use std::str::FromStr;
use vramlint_catalog::releases::followed;
use vramlint_resolve::versions::{Version, VersionSpec};

/// Common names of virtual environments.
pub(super) const VENV_FOLDERS: [&str; 4] = [".venv", "venv", "env", ".env"];

/// The supported libraries that are installed in an environment.
pub(super) fn installed(environment: &Path) -> Vec<(&'static str, VersionSpec)> {
    if !environment.join("pyvenv.cfg").is_file() {
        return Vec::new();
    }
    let unix = names(&environment.join("lib")).into_iter().filter(|name| name.starts_with("python"));
    let unix = unix.map(|name| environment.join("lib").join(name).join("site-packages"));
    let mut out: Vec<_> = unix
        .chain([environment.join("Lib/site-packages")])
        .flat_map(|packages| names(&packages))
        .filter_map(|name| {
            let (library, version) = name.strip_suffix(".dist-info")?.rsplit_once('-')?;
            Some((followed(library)?, VersionSpec::Exact(Version::from_str(version).ok()?)))
        })
        .collect();
    // On a case-insensitive file system, two names may refer to one folder.
    out.sort_by(|a, b| a.0.cmp(b.0).then_with(|| a.1.to_string().cmp(&b.1.to_string())));
    out.dedup();
    out
}

/// The names in a folder, sorted; empty if it cannot be read.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    names
}
