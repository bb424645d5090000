//! A folder and its analyses.

use crate::analysis::Job;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tokio::time::Instant;
use vramlint_project::{CancellationToken, Request, Workspace};
use vramlint_resolve::Target;

/// A workspace folder, or the folder of open files outside all workspace folders.
#[derive(Debug)]
pub(crate) struct Folder {
    /// The path.
    pub root: PathBuf,
    /// Whether the folder exists only for open files outside the workspace: other files in it are context and get no diagnostics.
    pub detached: bool,
    /// The open files of a detached folder.
    pub files: BTreeSet<PathBuf>,
    /// The files.
    pub workspace: Workspace,
    /// Incremented by every change.
    pub revision: u64,
    /// Cancels the analyses of this revision.
    pub cancel: CancellationToken,
    /// The analyses of this revision.
    pub jobs: Vec<Job>,
    /// Changed files that are not analyzed yet.
    pub dirty: BTreeSet<PathBuf>,
    /// When the whole folder is analyzed unless another edit arrives.
    pub settle_at: Option<Instant>,
    /// Pending status computations.
    pub pending_status: usize,
    /// The revision that was analyzed in full.
    pub settled_at: Option<u64>,
}

impl Folder {
    pub(crate) fn new(root: PathBuf, detached: bool, request: Request) -> Self {
        Self {
            root,
            detached,
            files: BTreeSet::new(),
            workspace: Workspace::new(request),
            revision: 0,
            cancel: CancellationToken::default(),
            jobs: Vec::new(),
            dirty: BTreeSet::new(),
            settle_at: None,
            pending_status: 0,
            settled_at: None,
        }
    }

    /// Starts a new revision and cancels running analyses.
    pub(crate) fn changed(&mut self, settle_at: Instant) {
        self.revision += 1;
        self.cancel.cancel();
        self.cancel = CancellationToken::default();
        self.jobs.clear();
        self.settle_at = Some(settle_at);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// The analysis request of a folder.
pub(crate) fn analysis_request(root: PathBuf, paths: Vec<PathBuf>, config: Option<PathBuf>, target: Target) -> Request {
    let config = config.map(|config| root.join(config));
    Request { cwd: root, paths, config, target, hub_caches: vramlint_project::hub_caches(), ..Request::default() }
}
