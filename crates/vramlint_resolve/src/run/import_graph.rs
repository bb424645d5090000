//! Which Python files import which: an imported module is no entry, and a file that reaches no library of training needs no
//! interpretation.

use crate::SourceFile;
use crate::library_calls::is_test_file;
use crate::project::Project;
use std::collections::{BTreeMap, BTreeSet};
use vramlint_base::FileId;
use vramlint_syntax::python::{Stmt, StmtKind};

/// Libraries without one of which no code trains.
const LIBRARIES: &[&str] = &[
    "torch",
    "transformers",
    "trl",
    "accelerate",
    "deepspeed",
    "lightning",
    "pytorch_lightning",
    "peft",
    "unsloth",
    "swift",
    "llamafactory",
    "axolotl",
    "torchtune",
    "openrlhf",
    "verl",
    "bitsandbytes",
    "colossalai",
    "fairscale",
];

/// The import graph of the project's own modules.
#[derive(Debug, Default)]
pub(super) struct ImportGraph {
    targets: BTreeMap<FileId, BTreeSet<FileId>>,
    imported: BTreeSet<FileId>,
    training_files: BTreeSet<FileId>,
}

impl ImportGraph {
    /// Reads every module once.
    pub(super) fn build(project: &Project) -> Self {
        let mut graph = Self::default();
        for file in project.files.iter().filter(|file| file.host.is_none()) {
            let Some(code) = file.python() else { continue };
            if imports_training_library(file) {
                graph.training_files.insert(file.id);
            }
            let own = graph.targets.entry(file.id).or_default();
            let mut add = |module: &str, level: u32| {
                own.extend(project.resolve_import(module, level, &file.path).filter(|target| *target != file.id));
            };
            code.body.iter().for_each(|statement| walk(statement, &mut add));
            // A test that imports a script takes nothing from its being one.
            if !is_test_file(&file.path) {
                graph.imported.extend(own.iter().copied());
            }
        }
        graph
    }

    /// Whether another module imports it.
    pub(super) fn is_imported(&self, file: FileId) -> bool {
        self.imported.contains(&file)
    }

    /// Whether it, or a module that it reaches, imports a library that trains, or calls `backward`.
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
pub(crate) fn imports_training_library(file: &SourceFile) -> bool {
    let mut found = file.text.contains(".backward(");
    let mut add = |module: &str, level: u32| {
        found |= level == 0 && LIBRARIES.contains(&module.split('.').next().unwrap_or(module));
    };
    file.python().into_iter().flat_map(|code| &code.body).for_each(|statement| walk(statement, &mut add));
    found
}

fn walk(statement: &Stmt, add: &mut dyn FnMut(&str, u32)) {
    match &statement.kind {
        StmtKind::Import { module, .. } => add(module, 0),
        StmtKind::FromImport { module, level, names } => {
            add(module, *level);
            for name in names {
                let full = if module.is_empty() { name.name.clone() } else { format!("{module}.{}", name.name) };
                add(&full, *level);
            }
        }
        _ => statement.bodies().into_iter().flatten().for_each(|inner| walk(inner, add)),
    }
}
