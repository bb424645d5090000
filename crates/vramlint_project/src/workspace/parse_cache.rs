//! Cache of parsed files.

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

/// Maximum number of cached Python trees, which are large; most files of a folder are never inspected.
const MAX_PYTHON_TREES: usize = 96;

/// The version of a file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum FileVersion {
    /// An unsaved text: the number of the edit.
    Unsaved(u64),
    /// The file on disk: modification time and size.
    Disk(Option<SystemTime>, u64),
}

impl FileVersion {
    /// The version of the file on disk.
    pub(super) fn on_disk(path: &Path) -> Self {
        std::fs::metadata(path).map_or(Self::Disk(None, 0), |data| Self::Disk(data.modified().ok(), data.len()))
    }
}

/// Parsed files by path. Snapshots of a workspace share it.
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
    /// Returns the file from the cache, or loads it.
    pub(super) fn load(
        &self,
        backend: &Backend,
        files: &OverlayFs,
        file: &DiscoveredFile,
        version: FileVersion,
    ) -> Arc<ParsedSource> {
        let kept = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = kept().get(&file.path, version) {
            return loaded;
        }
        let loaded = Arc::new(load(backend, files, file));
        kept().put(&file.path, version, Arc::clone(&loaded));
        loaded
    }

    /// The cached file, if this version is cached.
    pub(super) fn cached(&self, path: &Path, version: FileVersion) -> Option<Arc<ParsedSource>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(path, version)
    }

    /// The cached summary of a Python file.
    pub(super) fn summary(&self, path: &Path, version: FileVersion) -> Option<Arc<FileSummary>> {
        self.summaries.lock().unwrap_or_else(PoisonError::into_inner).get(path, version)
    }

    /// Caches the summary of a Python file.
    pub(super) fn put_summary(&self, path: &Path, version: FileVersion, summary: Arc<FileSummary>) {
        self.summaries.lock().unwrap_or_else(PoisonError::into_inner).put(path, version, summary);
    }

    /// Evicts the least recently used Python trees.
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
