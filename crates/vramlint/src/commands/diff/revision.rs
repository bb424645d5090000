//! The files of a revision, read from git's objects. The working tree is not touched.

use crate::exit::user_error;
use anyhow::Result;
use git2::{ObjectType, Repository, TreeWalkMode, TreeWalkResult};
use std::path::{Component, Path, PathBuf};
use tempfile::TempDir;
use vramlint_base::message;
use vramlint_project::MAX_READ;

/// Maximum number of files of a revision.
const MOST_FILES: usize = 200_000;

/// A revision in a temporary folder, which is removed with this value.
pub(super) struct Extracted {
    folder: TempDir,
    /// The working directory inside it, relative to the root of the repository.
    inside: PathBuf,
}

impl Extracted {
    /// The files of `revision` in the repository of `here`. Links and files that no reader takes are left out.
    pub(super) fn new(here: &Path, revision: &str) -> Result<Self> {
        let failed = |error: &git2::Error| {
            let why = error.message();
            user_error(message!("cannot read revision {revision}: {why}", "无法读取版本 {revision}：{why}"))
        };
        let repository = Repository::discover(here).map_err(|error| failed(&error))?;
        let tree =
            repository.revparse_single(revision).and_then(|object| object.peel_to_tree()).map_err(|error| failed(&error))?;
        let folder = tempfile::tempdir()?;
        let mut wrong: Option<anyhow::Error> = None;
        let mut files = 0;
        tree.walk(TreeWalkMode::PreOrder, |parent, entry| {
            let is_file = entry.kind() == Some(ObjectType::Blob) && entry.filemode() & 0o170_000 == 0o100_000;
            let path = entry.name().map(|name| Path::new(parent).join(name)).filter(|path| is_inside(path));
            let (true, Some(path)) = (is_file, path) else { return TreeWalkResult::Ok };
            files += 1;
            match write(&repository, entry.id(), &folder.path().join(path)) {
                Ok(()) if files < MOST_FILES => TreeWalkResult::Ok,
                Ok(()) => TreeWalkResult::Abort,
                Err(error) => {
                    wrong = Some(error);
                    TreeWalkResult::Abort
                }
            }
        })
        .map_err(|error| failed(&error))
        .or_else(|error| if wrong.is_some() || files >= MOST_FILES { Ok(()) } else { Err(error) })?;
        if let Some(error) = wrong {
            return Err(error);
        }
        // Files that git ignores are read in the working tree only by name; the folder is a root of its own as the repository is.
        std::fs::create_dir(folder.path().join(".git")).ok();
        let root = repository.workdir().and_then(|root| root.canonicalize().ok());
        let inside =
            root.zip(here.canonicalize().ok()).and_then(|(root, here)| here.strip_prefix(root).map(Path::to_path_buf).ok());
        Ok(Self { folder, inside: inside.unwrap_or_default() })
    }

    /// What stands for the working directory.
    pub(super) fn folder(&self) -> PathBuf {
        self.folder.path().join(&self.inside)
    }
}

/// Whether a path of a tree stays inside the folder: no `..`, no root, no `.git`.
fn is_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(name) if !name.eq_ignore_ascii_case(".git")))
}

fn write(repository: &Repository, id: git2::Oid, path: &Path) -> Result<()> {
    let blob = repository.find_blob(id)?;
    if blob.size() as u64 > MAX_READ {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, blob.content())?;
    Ok(())
}
