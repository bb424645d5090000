//! The files that an interpretation sees.

use super::modules::ModuleIndex;
use crate::SourceFile;
use crate::path_resolver::PathResolver;
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_catalog::LibraryVersions;

/// The files of a project, with what is found in them before anything is interpreted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProjectFiles<'a> {
    /// All files.
    pub(crate) files: &'a [SourceFile],
    /// Their paths.
    pub(crate) paths: &'a PathResolver,
    /// Their Python modules.
    pub(crate) modules: &'a Arc<ModuleIndex>,
    /// The releases of libraries around the entry.
    pub(crate) versions: &'a LibraryVersions,
}

/// Files of the project, and the entry script.
pub(super) struct Sources<'a> {
    pub(super) files: &'a [SourceFile],
    pub(super) paths: &'a PathResolver,
    pub(super) entry: FileId,
    pub(super) versions: &'a LibraryVersions,
}

impl<'a> Sources<'a> {
    /// The file with this number; the list may be any part of a project.
    pub(super) fn file(&self, id: FileId) -> Option<&'a SourceFile> {
        self.files.get(id.0 as usize).filter(|file| file.id == id).or_else(|| self.files.iter().find(|file| file.id == id))
    }

    /// The text at a place.
    pub(super) fn text(&self, place: FileRange) -> &'a str {
        self.file(place.file).map_or("", |file| place.range.slice(&file.text))
    }

    /// The place of the entry as a whole.
    pub(super) fn entry_start(&self) -> FileRange {
        start_of(self.entry)
    }
}

/// The first byte of a file: the place of a module as a whole.
pub(super) fn start_of(file: FileId) -> FileRange {
    FileRange::new(file, TextRange::at(0))
}
