//! Which Python files import which. An imported module is not an entry, and a file that reaches no training library is not interpreted.

use crate::SourceFile;
use crate::features::Feature;
use crate::file_graph::FileGraph;
use crate::source_set::SourceSet;
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::FileId;
use vramlint_catalog::libraries;
use vramlint_syntax::python::{Stmt, StmtKind};

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
            let Some(code) = file.python() else { continue };
            if imports_training_library(graph, file) {
                imports.training_files.insert(file.id);
            }
            let targets = imports.targets.entry(file.id).or_default();
            let mut add = |module: &str, level: u32| {
                targets.extend(graph.resolve_import(module, level, &file.path).filter(|target| *target != file.id));
            };
            code.body.iter().for_each(|statement| visit_imports(statement, &mut add));
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
    let mut found = sources.features(file.id).has(Feature::BackwardCall);
    let mut add = |module: &str, level: u32| {
        found |= level == 0 && libraries::of_module(module).is_some_and(|library| library.trains);
    };
    file.python().into_iter().flat_map(|code| &code.body).for_each(|statement| visit_imports(statement, &mut add));
    found
}

/// Every module that a file imports, as it is written, wherever the import stands.
pub(super) fn imported_modules(file: &SourceFile) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let mut add = |module: &str, level: u32| found.push((module.to_owned(), level));
    file.python().into_iter().flat_map(|code| &code.body).for_each(|statement| visit_imports(statement, &mut add));
    found
}

fn visit_imports(statement: &Stmt, add: &mut dyn FnMut(&str, u32)) {
    match &statement.kind {
        StmtKind::Import { module, .. } => add(module, 0),
        StmtKind::FromImport { module, level, names } => {
            add(module, *level);
            for name in names {
                let full = if module.is_empty() { name.name.clone() } else { format!("{module}.{}", name.name) };
                add(&full, *level);
            }
        }
        _ => statement.bodies().into_iter().flatten().for_each(|inner| visit_imports(inner, add)),
    }
}
