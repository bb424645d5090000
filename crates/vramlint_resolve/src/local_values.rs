//! The values that a file assigns, for claims in the same file.

use crate::run::sources::data_file::loader_of;
use crate::{Project, SourceFile};
use vramlint_base::{FileRange, Value};
use vramlint_catalog::{Concept, Dialect, dialect};
use vramlint_syntax::data::DataFile;
use vramlint_syntax::python::{Expr, ExprKind, Stmt, StmtKind};

/// An integer that a file assigns to a concept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalValue {
    /// The concept.
    pub concept: Concept,
    /// The number.
    pub number: i64,
    /// Where it is written.
    pub place: FileRange,
}

/// Every integer of a data file, or of a Python file's simple assignments, that means a concept.
pub fn local_values(project: &Project, file: &SourceFile) -> Vec<LocalValue> {
    let mut found = Vec::new();
    let mut take = |dialect: Dialect, path: &[&str], value: &Value, place: FileRange| {
        if let Some(meaning) = dialect::meaning(dialect, path, value)
            && let Some(number) = meaning.value.as_int()
        {
            found.push(LocalValue { concept: meaning.concept, number, place });
        }
    };
    if let Some(root) = file.data().and_then(DataFile::root) {
        let kind = project.kind(file.id);
        let loader = loader_of(file, kind);
        let dialect = kind.dialect().unwrap_or(Dialect::Plain);
        crate::kind::visit_scalars(root, &mut Vec::new(), &mut 2_000, &mut |path, node| {
            if let Some(value) = node.value(loader) {
                take(dialect, path, &value, FileRange::new(file.id, node.range()));
            }
        });
    }
    if let Some(module) = file.python() {
        assignments(&module.body, &mut |target, value| {
            if let (Some(name), ExprKind::Value(number)) = (target.dotted(), &value.kind) {
                let last = name.rsplit('.').next().unwrap_or(&name);
                take(Dialect::Plain, &[last], number, FileRange::new(file.id, value.range));
            }
        });
    }
    found
}

/// Assignments of a module and of its classes, not those in functions, where other values may apply.
fn assignments(body: &[Stmt], found: &mut dyn FnMut(&Expr, &Expr)) {
    for statement in body {
        match &statement.kind {
            StmtKind::Assign { targets, value: Some(value), .. } => targets.iter().for_each(|target| found(target, value)),
            StmtKind::Class(class) => assignments(&class.body, found),
            _ => {}
        }
    }
}
