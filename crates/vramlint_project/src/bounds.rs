//! How far a request may read: a repository may hold links to anything on the machine of who checks it.

use crate::discovery::paths::absolute;
use std::collections::HashMap;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What marks the root of a project.
const MARKS: [&str; 3] = [".git", "vramlint.toml", "pyproject.toml"];

/// The folders of a request: the working directory, and the projects of the named paths.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// As written, absolute.
    written: Vec<PathBuf>,
    /// Without links.
    real: Vec<PathBuf>,
    /// Whether the files in a folder stay within the bounds, or were never within.
    folders: Mutex<HashMap<PathBuf, bool>>,
}

impl Bounds {
    /// The bounds of a request for `named` paths.
    pub(crate) fn new<'a>(cwd: &Path, named: impl IntoIterator<Item = &'a Path>) -> Self {
        let roots = named.into_iter().map(|path| root_of(&absolute(cwd, path)));
        let mut written: Vec<PathBuf> = std::iter::once(cwd.to_path_buf()).chain(roots).collect();
        written.sort_unstable();
        written.dedup();
        let real = written.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
        Self { written, real, folders: Mutex::default() }
    }

    /// Whether a path, as it is written, lies within the bounds.
    pub(crate) fn hold(&self, path: &Path) -> bool {
        self.written.iter().any(|folder| path.starts_with(folder))
    }

    /// Whether a path lies within the bounds as it is written and leads out of them through a link.
    pub(crate) fn is_left_by(&self, path: &Path) -> bool {
        self.is_left_through(path, path.symlink_metadata().is_ok_and(|data| data.is_symlink()))
    }

    /// The same for a path that is known to be a link or not.
    pub(crate) fn is_left_through(&self, path: &Path, is_link: bool) -> bool {
        if is_link {
            return self.hold(path) && path.canonicalize().is_ok_and(|real| !self.really_hold(&real));
        }
        let Some(folder) = path.parent() else { return false };
        let mut folders = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stays) = folders.get(folder) {
            return !stays;
        }
        let stays = !self.hold(path) || folder.canonicalize().is_ok_and(|real| self.really_hold(&real));
        folders.insert(folder.to_path_buf(), stays);
        !stays
    }

    /// Fails for a path that leads out, given whether it is a link.
    pub(crate) fn check(&self, path: &Path, is_link: bool) -> Result<()> {
        if self.is_left_through(path, is_link) {
            return Err(Error::new(ErrorKind::PermissionDenied, "a link leads out of the project; see --follow-links"));
        }
        Ok(())
    }

    fn really_hold(&self, real: &Path) -> bool {
        self.real.iter().any(|folder| real.starts_with(folder))
    }
}

/// The nearest folder above a path with the mark of a project; otherwise the folder that it is, or is in.
fn root_of(path: &Path) -> PathBuf {
    let start = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let marked = |folder: &&Path| MARKS.iter().any(|mark| folder.join(mark).exists());
    start.ancestors().find(marked).unwrap_or(start).to_path_buf()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::testing::Folder;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_may_lead_within_the_project_and_not_out_of_it() {
        let folder = Folder::new(&[("repo/.git/HEAD", ""), ("repo/sub/a.yaml", ""), ("repo/b.yaml", ""), ("out/c.yaml", "")]);
        let repo = folder.path().join("repo");
        symlink("../b.yaml", repo.join("sub/in.yaml")).expect("a link");
        symlink("../../out/c.yaml", repo.join("sub/out.yaml")).expect("a link");
        symlink("../out", repo.join("linked")).expect("a link");
        let bounds = Bounds::new(&repo.join("sub"), [Path::new("a.yaml")]);
        assert!(!bounds.is_left_by(&repo.join("sub/in.yaml")) && !bounds.is_left_by(&repo.join("b.yaml")));
        assert!(bounds.is_left_by(&repo.join("sub/out.yaml")) && bounds.is_left_by(&repo.join("linked/c.yaml")));
        assert!(bounds.check(&repo.join("sub/out.yaml"), true).is_err() && bounds.check(&repo.join("sub/a.yaml"), false).is_ok());
        // What is named outside was named on purpose; who reads it asks.
        assert!(!bounds.is_left_by(&folder.path().join("out/c.yaml")) && !bounds.hold(&folder.path().join("out/c.yaml")));
    }
}
