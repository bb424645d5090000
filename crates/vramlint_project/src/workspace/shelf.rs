//! Files that were read, kept until they change.

use super::thin::Brief;
use crate::discovery::Found;
use crate::discovery::form::Form;
use crate::files::Files;
use crate::layers::Layers;
use crate::read::{Loaded, load};
use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// Trees of Python files that are kept at most; they are large, and most files of a folder are never looked at.
const TREES: usize = 96;

/// Which text of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Stamp {
    /// An unsaved text: the number of the edit.
    Unsaved(u64),
    /// What lies on the disk: when it was written, and how long it is.
    Disk(Option<SystemTime>, u64),
}

impl Stamp {
    /// Of a file on the disk.
    pub(super) fn of_disk(path: &Path) -> Self {
        std::fs::metadata(path).map_or(Self::Disk(None, 0), |data| Self::Disk(data.modified().ok(), data.len()))
    }
}

/// What was read, by path. Snapshots share it.
#[derive(Debug, Default)]
pub(super) struct Shelf {
    loaded: Mutex<Kept<Arc<Loaded>>>,
    briefs: Mutex<Kept<Arc<Brief>>>,
}

#[derive(Debug)]
struct Kept<T> {
    by_path: HashMap<PathBuf, (Stamp, T, u64)>,
    clock: u64,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { by_path: HashMap::new(), clock: 0 }
    }
}

impl<T: Clone> Kept<T> {
    fn get(&mut self, path: &Path, stamp: Stamp) -> Option<T> {
        self.clock += 1;
        let (_, value, used) = self.by_path.get_mut(path).filter(|(known, ..)| *known == stamp)?;
        *used = self.clock;
        Some(value.clone())
    }

    fn put(&mut self, path: &Path, stamp: Stamp, value: T) {
        self.clock += 1;
        self.by_path.insert(path.to_path_buf(), (stamp, value, self.clock));
    }
}

impl Shelf {
    /// A file, read now if it is not known as it is.
    pub(super) fn load(&self, layers: &Layers, files: &Files, found: &Found, stamp: Stamp) -> Arc<Loaded> {
        let kept = || self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = kept().get(&found.path, stamp) {
            return loaded;
        }
        let loaded = Arc::new(load(layers, files, found));
        kept().put(&found.path, stamp, Arc::clone(&loaded));
        loaded
    }

    /// A file as it is known, if it is.
    pub(super) fn known(&self, path: &Path, stamp: Stamp) -> Option<Arc<Loaded>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner).get(path, stamp)
    }

    /// What was noted of a Python file.
    pub(super) fn brief(&self, path: &Path, stamp: Stamp) -> Option<Arc<Brief>> {
        self.briefs.lock().unwrap_or_else(PoisonError::into_inner).get(path, stamp)
    }

    /// Notes it.
    pub(super) fn note(&self, path: &Path, stamp: Stamp, brief: Arc<Brief>) {
        self.briefs.lock().unwrap_or_else(PoisonError::into_inner).put(path, stamp, brief);
    }

    /// Lets go of the Python trees that were not used for longest.
    pub(super) fn tidy(&self) {
        let mut kept = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let python = |path: &Path| {
            matches!(crate::discovery::form::Form::by_name(path), crate::discovery::form::ByName::Form(Form::Python))
        };
        let mut used: Vec<u64> = kept.by_path.iter().filter(|(path, _)| python(path)).map(|(_, (.., used))| *used).collect();
        if used.len() > TREES {
            used.sort_unstable_by(|a, b| b.cmp(a));
            let oldest = used[TREES - 1];
            kept.by_path.retain(|path, (.., used)| *used >= oldest || !python(path));
        }
    }
}
