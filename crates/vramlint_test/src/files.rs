//! Folders of files that tests read and write.

use crate::Document;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The root of the checkout.
///
/// # Panics
///
/// If the crate does not lie in a checkout.
pub fn workspace_root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A path with `..` in it has other parents than the folder that it names.
    root.canonicalize().expect("the crate lies in the workspace")
}

/// A folder of the reference material next to the checkout.
///
/// Tests that need it carry `#[ignore]` with that reason; `tests/run.sh` includes them when the material is there.
///
/// # Panics
///
/// If the folder does not exist.
pub fn shared(part: &str) -> PathBuf {
    let path = workspace_root().join("../shared").join(part);
    path.canonicalize().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of cases in a folder of the checkout, such as `tests/rules`, in order of name.
pub fn case_documents(folder: &str) -> Vec<Document> {
    let paths = files_below(&workspace_root().join(folder)).into_iter();
    paths.filter(|path| path.extension().is_some_and(|end| end == "md")).map(|path| Document::read(&path)).collect()
}

/// Every file below a folder, in order.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// Writes files, by their path relative to `folder`.
///
/// # Panics
///
/// If a file cannot be written.
pub fn write_files(folder: &Path, files: &BTreeMap<String, Vec<u8>>) {
    for (path, bytes) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("the path has a parent")).expect("the folder can be created");
        std::fs::write(path, bytes).expect("the file can be written");
    }
}
