//! The file system with an overlay of unsaved texts and fixed texts.

use crate::bounded_file::{MAX_READ, open_regular, read_file, read_own, regular};
use crate::bounds::Bounds;
use crate::discovery::DiscoveredFile;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverlayFs {
    /// Content that overrides the file on disk, by absolute path.
    pub overlay: HashMap<PathBuf, Arc<Vec<u8>>>,
    /// How far links may lead; anywhere if absent.
    pub bounds: Option<Arc<Bounds>>,
}

impl OverlayFs {
    /// The bytes of a file.
    pub(crate) fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        if let Some(bytes) = self.overlay.get(path) {
            return Ok(bytes.as_ref().clone());
        }
        self.check(path, path.symlink_metadata()?.is_symlink())?;
        read_file(path, MAX_READ)
    }

    /// The bytes of a file that the search found, of at most [`MAX_READ`].
    pub(crate) fn read_found(&self, file: &DiscoveredFile) -> io::Result<Vec<u8>> {
        if file.is_link || self.overlay.contains_key(&file.path) {
            return self.read(&file.path);
        }
        self.check(&file.path, false)?;
        // A link may have taken its place since.
        read_own(&file.path, MAX_READ).or_else(|error| if file.path.is_symlink() { self.read(&file.path) } else { Err(error) })
    }

    /// The same files with links followed anywhere: for the numbers of a model, whose folder is often a link into a cache.
    pub(crate) fn without_bounds(&self) -> Self {
        Self { overlay: self.overlay.clone(), bounds: None }
    }

    /// Whether a link leads from this path out of the project.
    pub(crate) fn leads_out(&self, path: &Path) -> bool {
        !self.overlay.contains_key(path) && self.bounds.as_ref().is_some_and(|bounds| bounds.is_left_by(path))
    }

    /// Whether a path that a file of the project names lies in the project.
    pub(crate) fn is_within(&self, path: &Path) -> bool {
        self.bounds.as_ref().is_none_or(|bounds| bounds.hold(path))
    }

    /// The same for a path that is known to be a link or not.
    pub(crate) fn leads_out_through(&self, path: &Path, is_link: bool) -> bool {
        !self.overlay.contains_key(path) && self.bounds.as_ref().is_some_and(|bounds| bounds.is_left_through(path, is_link))
    }

    fn check(&self, path: &Path, is_link: bool) -> io::Result<()> {
        self.bounds.as_ref().map_or(Ok(()), |bounds| bounds.check(path, is_link))
    }

    /// The first bytes of a file, to detect its format; empty if it cannot be read.
    pub(crate) fn head(&self, path: &Path) -> Vec<u8> {
        /// Long enough for a shebang line.
        const HEAD: u64 = 256;
        if let Some(bytes) = self.overlay.get(path) {
            return bytes.iter().take(HEAD as usize).copied().collect();
        }
        let mut head = Vec::new();
        let is_link = path.symlink_metadata().is_ok_and(|data| data.is_symlink());
        if let Ok((file, _)) = self.check(path, is_link).and_then(|()| open_regular(path)) {
            // An unreadable file has no shebang; loading it reports the error.
            let _ = io::Read::read_to_end(&mut io::Read::take(file, HEAD), &mut head);
        }
        head
    }

    /// The size of a regular file, bytes.
    pub(crate) fn size(&self, path: &Path) -> io::Result<u64> {
        if let Some(bytes) = self.overlay.get(path) {
            return Ok(bytes.len() as u64);
        }
        let own = path.symlink_metadata()?;
        self.check(path, own.is_symlink())?;
        let data = if own.is_symlink() { std::fs::metadata(path)? } else { own };
        regular(&data)?;
        Ok(data.len())
    }

    /// Whether this is a regular file or a link to one, not a folder or a pipe.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        self.overlay.contains_key(path) || path.is_file()
    }
}
