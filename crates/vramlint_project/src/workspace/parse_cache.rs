//! Files that were read, kept until they change.

use super::relevance::FileSummary;
use crate::backend::Backend;
use crate::discovery::DiscoveredFile;
use crate::discovery::file_format::{FileFormat, FormatByName};
use crate::overlay_fs::OverlayFs;
use crate::source_loader::{ParsedSource, load};
use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Trees of Python files that are kept at most; they are large, and most files of a folder are never looked at.
const MAX_PYTHON_TREES: usize = 96;

/// Which text of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FileVersion {
    /// An unsaved text: the number of the edit.
    Unsaved(u64),
    /// What lies on the disk: when it was written, and how long it is.
    Disk(Option<SystemTime>, u64),
}

impl FileVersion {
    /// Of a file on the disk.
    pub(super) fn on_disk(path: &Path) -> Self {
        std::fs::metadata(path).map_or(Self::Disk(None, 0), |data| Self::Disk(data.modified().ok(), data.len()))
    }
}

/// What was read, by path. Snapshots share it.
#[derive(Debug, Default)]
pub(super) struct ParseCache {
    loaded: Mutex<LruMap<Arc<ParsedSource>>>,
    summaries: Mutex<LruMap<Arc<FileSummary>>>,
}

#[derive(Debug)]
struct LruMap<T> {
    by_path: HashMap<PathBuf, (FileVersion, T, u64)>,
    clock: u64,
}

impl<T> Default for LruMap<T> {
    fn default() -> Self {
        Self { by_path: HashMap::new(), clock: 0 }
    }
}

impl<T: Clone> LruMap<T> {
    fn get(&mut self, path: &Path, version: FileVersion) -> Option<T> {
        self.clock += 1;
        let (_, value, used) = self.by_path.get_mut(path).filter(|(cached, ..)| *cached == version)?;
        *used = self.clock;
        Some(value.clone())
    }

    fn put(&mut self, path: &Path, version: FileVersion, value: T) {
        self.clock += 1;
        self.by_path.insert(path.to_path_buf(), (version, value, self.clock));
    }
}

impl ParseCache {
    /// A file, read now if it is not cached as it is.
    pub(super) fn load(
        &self,
        backend: &Backend,
        files: &OverlayFs,
        found: &DiscoveredFile,
        version: FileVersion,
    ) -> Arc<ParsedSource> {
        let kept = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = kept().get(&found.path, version) {
            return loaded;
        }
        let loaded = Arc::new(load(backend, files, found));
        kept().put(&found.path, version, Arc::clone(&loaded));
        loaded
    }

    /// A file as it is cached, if it is.
    pub(super) fn cached(&self, path: &Path, version: FileVersion) -> Option<Arc<ParsedSource>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(path, version)
    }

    /// What was noted of a Python file.
    pub(super) fn summary(&self, path: &Path, version: FileVersion) -> Option<Arc<FileSummary>> {
        self.summaries.lock().unwrap_or_else(PoisonError::into_inner).get(path, version)
    }

    /// Notes it.
    pub(super) fn put_summary(&self, path: &Path, version: FileVersion, summary: Arc<FileSummary>) {
        self.summaries.lock().unwrap_or_else(PoisonError::into_inner).put(path, version, summary);
    }

    /// Lets go of the Python trees that were not used for longest.
    pub(super) fn evict_python(&self) {
        let mut kept = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let python = |path: &Path| matches!(FileFormat::by_name(path), FormatByName::Format(FileFormat::Python));
        let mut used: Vec<u64> = kept.by_path.iter().filter(|(path, _)| python(path)).map(|(_, (.., used))| *used).collect();
        if used.len() > MAX_PYTHON_TREES {
            used.sort_unstable_by(|a, b| b.cmp(a));
            let oldest = used[MAX_PYTHON_TREES - 1];
            kept.by_path.retain(|path, (.., used)| *used >= oldest || !python(path));
        }
    }
}
