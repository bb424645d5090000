//! Which Python files import which. An imported module is not an entry, and a file that reaches no training library is not interpreted.

use crate::SourceFile;
use crate::features::Feature;
use crate::file_graph::FileGraph;
use crate::source_set::SourceSet;
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::FileId;
use vramlint_catalog::libraries;
use vramlint_syntax::python::Import;

/// The imports between the project's own modules.
#[derive(Debug, Default)]
pub(super) struct ImportGraph {
    targets: BTreeMap<FileId, BTreeSet<FileId>>,
    imported: BTreeSet<FileId>,
    training_files: BTreeSet<FileId>,
}

impl ImportGraph {
    /// Reads every module once.
    pub(super) fn build(graph: &FileGraph) -> Self {
        let mut imports = Self::default();
        for file in graph.files.iter().filter(|file| file.host.is_none()) {
            if !file.is_python() {
                continue;
            }
            if imports_training_library(graph, file) {
                imports.training_files.insert(file.id);
            }
            let targets = imports.targets.entry(file.id).or_default();
            for Import { level, module } in file.imports() {
                targets.extend(graph.resolve_import(module, *level, &file.path).filter(|target| *target != file.id));
            }
            // A script that only a test imports is still an entry.
            if !file.is_test() {
                imports.imported.extend(targets.iter().copied());
            }
        }
        imports
    }

    /// Whether another module imports a file.
    pub(super) fn is_imported(&self, file: FileId) -> bool {
        self.imported.contains(&file)
    }

    /// Whether a file, or a module that it reaches, imports a library that trains, or calls `backward`.
    pub(super) fn may_train(&self, entry: FileId) -> bool {
        let (mut open, mut seen) = (vec![entry], BTreeSet::from([entry]));
        while let Some(file) = open.pop() {
            if self.training_files.contains(&file) {
                return true;
            }
            open.extend(self.targets.get(&file).into_iter().flatten().copied().filter(|next| seen.insert(*next)));
        }
        false
    }
}

/// Whether a file imports a library that trains, or calls `backward`.
pub(crate) fn imports_training_library(sources: &SourceSet, file: &SourceFile) -> bool {
    let trains = |import: &Import| libraries::of_module(&import.module).is_some_and(|library| library.trains);
    sources.features(file.id).has(Feature::BackwardCall)
        || file.imports().iter().any(|import| import.level == 0 && trains(import))
}
