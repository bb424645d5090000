//! Which Python files import which: an imported module is no entry, and a file that reaches no library of training needs no
//! interpretation.

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
pub(super) struct Imports {
    targets: BTreeMap<FileId, BTreeSet<FileId>>,
    imported: BTreeSet<FileId>,
    speaks: BTreeSet<FileId>,
}

impl Imports {
    /// Reads every module once.
    pub(super) fn of(project: &Project) -> Self {
        let mut graph = Self::default();
        for file in project.files.iter().filter(|file| file.host.is_none()) {
            let Some(code) = file.python() else { continue };
            let mut speaks = file.text.contains(".backward(");
            let folder = file.folder();
            let own = graph.targets.entry(file.id).or_default();
            let mut add = |module: &str| {
                speaks |= LIBRARIES.contains(&module.split('.').next().unwrap_or(module));
                let path = module.replace('.', "/");
                let target = [format!("{path}.py"), format!("{path}/__init__.py")]
                    .iter()
                    .find_map(|path| project.lookup.find(path, folder));
                own.extend(target.filter(|target| *target != file.id));
            };
            code.body.iter().for_each(|statement| walk(statement, &mut add));
            graph.imported.extend(own.iter().copied());
            if speaks {
                graph.speaks.insert(file.id);
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
            if self.speaks.contains(&file) {
                return true;
            }
            open.extend(self.targets.get(&file).into_iter().flatten().copied().filter(|next| seen.insert(*next)));
        }
        false
    }
}

fn walk(statement: &Stmt, add: &mut dyn FnMut(&str)) {
    match &statement.kind {
        StmtKind::Import { module, .. } => add(module),
        StmtKind::FromImport { module, names, .. } => {
            add(module);
            for name in names {
                let full = if module.is_empty() { name.name.clone() } else { format!("{module}.{}", name.name) };
                add(&full);
            }
        }
        _ => statement.bodies().into_iter().flatten().for_each(|inner| walk(inner, add)),
    }
}
