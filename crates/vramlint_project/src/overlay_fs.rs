//! The disk, with texts of editors and of fixes laid over it.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverlayFs {
    /// Bytes that count instead of what is on the disk, by absolute path.
    pub overlay: HashMap<PathBuf, Arc<Vec<u8>>>,
}

impl OverlayFs {
    /// The bytes of a file.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.overlay.get(path) {
            Some(bytes) => Ok(bytes.as_ref().clone()),
            None => std::fs::read(path),
        }
    }

    /// The first bytes of a file, to see what it is; empty where it cannot be read.
    pub(crate) fn head(&self, path: &Path) -> Vec<u8> {
        /// A shebang fits.
        const HEAD: u64 = 256;
        if let Some(bytes) = self.overlay.get(path) {
            return bytes.iter().take(HEAD as usize).copied().collect();
        }
        let mut head = Vec::new();
        if let Ok(file) = std::fs::File::open(path) {
            // What cannot be read has no shebang; the reader reports it where it matters.
            let _ = io::Read::read_to_end(&mut io::Read::take(file, HEAD), &mut head);
        }
        head
    }

    /// Its size in bytes.
    pub(crate) fn size(&self, path: &Path) -> io::Result<u64> {
        match self.overlay.get(path) {
            Some(bytes) => Ok(bytes.len() as u64),
            None => Ok(std::fs::metadata(path)?.len()),
        }
    }

    /// Whether it is a file that can be read to its end: not a folder, not a pipe.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        self.overlay.contains_key(path) || path.is_file()
    }
}
