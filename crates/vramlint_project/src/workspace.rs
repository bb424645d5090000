//! A folder that an editor has open: unsaved texts over the disk, and findings that follow every edit.

use crate::ConfigError;
use crate::report::{Report, Request, check};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Tells an analysis that nobody waits for it any more. Clones share the word.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Stops what asks it.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum Stopped {
    /// Cancelled.
    Cancelled,
    /// The configuration is at fault.
    Config(ConfigError),
}

/// What an analysis found.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The project, or the part of it around one file, with its findings.
    pub report: Report,
    /// The files of which `report` holds every finding, as shown; what was known of others stays as it is.
    pub covers: BTreeSet<String>,
}

/// A folder with unsaved texts. A clone is a snapshot: it is cheap, and later edits do not touch it.
#[derive(Clone, Debug)]
pub struct Workspace {
    request: Request,
}

impl Workspace {
    /// The files of a request: a folder and what is laid over it.
    pub fn new(request: Request) -> Self {
        Self { request }
    }

    /// Lays an unsaved text over a file; `None` takes it away again. The path is absolute.
    pub fn edit(&mut self, path: &Path, text: Option<Arc<str>>) {
        match text {
            Some(text) => self.request.overlay.insert(path.to_path_buf(), text.as_bytes().to_vec()),
            None => self.request.overlay.remove(path),
        };
    }

    /// Files that were written, made or removed on the disk; a `vramlint.toml` among them is read anew.
    pub fn changed_on_disk(&mut self, paths: &[PathBuf]) {
        let _ = paths;
    }

    /// Everything that an edit of one file (an absolute path) may touch, at once.
    pub fn around(&self, path: &Path, cancel: &Cancel) -> Result<Answer, Stopped> {
        let _ = path;
        self.whole(cancel)
    }

    /// The whole folder, as `check` sees it.
    pub fn whole(&self, cancel: &Cancel) -> Result<Answer, Stopped> {
        let report = check(&self.request, &|_, _| {}).map_err(Stopped::Config)?;
        if cancel.is_cancelled() {
            return Err(Stopped::Cancelled);
        }
        let files = report.project.files.iter().filter(|file| file.reported && file.host.is_none());
        Ok(Answer { covers: files.map(|file| file.path.clone()).collect(), report })
    }
}
