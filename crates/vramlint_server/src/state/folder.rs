//! A folder with its workspace.

use crate::analysis::Job;
use std::collections::BTreeSet;
use std::path::PathBuf;
use tokio::time::Instant;
use vramlint_project::{CancellationToken, Request, Workspace};
use vramlint_resolve::Target;

/// A folder that the client has open, or that an open file outside of all of them lies in.
#[derive(Debug)]
pub(crate) struct Folder {
    /// Where.
    pub root: PathBuf,
    /// Whether it is only there for files that are open in it: what else lies there is context, not reported.
    pub detached: bool,
    /// The open files of a loose folder.
    pub files: BTreeSet<PathBuf>,
    /// The texts.
    pub workspace: Workspace,
    /// Counts the states of the texts.
    pub revision: u64,
    /// Stops the analyses of this state.
    pub cancel: CancellationToken,
    /// The analyses of this state.
    pub jobs: Vec<Job>,
    /// Files whose surroundings were not analysed since they changed.
    pub dirty: BTreeSet<PathBuf>,
    /// When all of it is analysed, if nobody types until then.
    pub settle_at: Option<Instant>,
    /// How many times the runs of open texts are being looked up.
    pub pending_status: usize,
    /// The state that was analysed in full.
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

    /// The texts are others now: what runs is of no use any more.
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

/// What is asked of a folder.
pub(crate) fn analysis_request(root: PathBuf, paths: Vec<PathBuf>, config: Option<PathBuf>, target: Target) -> Request {
    let config = config.map(|config| root.join(config));
    Request { cwd: root, paths, config, target, hub_caches: vramlint_project::hub_caches(), ..Request::default() }
}
