//! The second phase of a project: which file refers to which, and what kind each file is by its content and by those references.

use crate::code::{self, ModuleIndex};
use crate::kind::{self, FileClass, FileKind};
use crate::launch::{self, Launch, Launches};
use crate::path_resolver::PathResolver;
use crate::source_set::SourceSet;
use std::ops::Deref;
use std::sync::Arc;
use vramlint_base::FileId;
use vramlint_catalog::UnsupportedFramework;

/// The files of a project with their launches, imports and kinds. Complete once made; dereferences to the phase before.
#[derive(Debug, Default)]
pub struct FileGraph {
    sources: SourceSet,
    /// Finds files on disk by the paths that other files write.
    pub path_resolver: PathResolver,
    /// Every launch command outside documents, in order of file and place.
    pub launches: Vec<Arc<Launch>>,
    /// Those in scripts that other scripts call with arguments, as each call has them.
    pub(crate) called_launches: Vec<Arc<Launch>>,
    /// The project's Python modules.
    modules: Arc<ModuleIndex>,
    /// What each file is, in the order of the files.
    classes: Vec<FileClass>,
}

impl FileGraph {
    /// Finds launches, modules and references, and classifies every file.
    pub fn new(sources: SourceSet) -> Self {
        let path_resolver = PathResolver::new(&sources.files);
        // The catalogue says what matters of libraries, also of copies.
        let own = sources.files.iter().filter(|file| !sources.is_library_code(file.id));
        let modules = Arc::new(ModuleIndex::new(own));
        let Launches { written, called } = launch::find_launches(&sources, &path_resolver);
        let classes = kind::classify_all(&sources, &path_resolver, written.iter().chain(&called));
        Self { sources, path_resolver, launches: written, called_launches: called, modules, classes }
    }

    /// Files without any references between them, none of a known kind. For projects that could not be resolved.
    pub fn unlinked(sources: SourceSet) -> Self {
        let path_resolver = PathResolver::new(&sources.files);
        let classes = sources.files.iter().map(|_| FileClass::other()).collect();
        Self { sources, path_resolver, classes, ..Self::default() }
    }

    /// What a file is by its content and by the files that refer to it. Runs may refine it: [`crate::Project::kind`].
    pub fn classified_kind(&self, id: FileId) -> FileKind {
        self.classes[id.0 as usize].kind
    }

    /// The framework whose settings a file holds, where these are not read.
    pub(crate) fn unsupported_framework(&self, id: FileId) -> Option<UnsupportedFramework> {
        self.classes[id.0 as usize].unsupported
    }

    /// The classification of every file, in their order.
    pub(crate) fn classes(&self) -> &[FileClass] {
        &self.classes
    }

    /// The Python modules, for the interpreter.
    pub(crate) const fn modules(&self) -> &Arc<ModuleIndex> {
        &self.modules
    }

    /// The file of the project that an import in the file at `from` names; `level` counts the dots of a relative import.
    pub(crate) fn resolve_import(&self, dotted: &str, level: u32, from: &str) -> Option<FileId> {
        code::imported(&self.modules, dotted, level, from)
    }
}

impl Deref for FileGraph {
    type Target = SourceSet;

    fn deref(&self) -> &SourceSet {
        &self.sources
    }
}
