//! Batches that a training loop makes itself: it slices a list (`for i in range(0, len(rows), size): step(rows[i : i + size])`), or takes
//! the samples one by one.

use super::call::speaks_of_evaluation;
use super::facts_builder::Strength;
use super::interpreter::Interpreter;
use super::row_blocks::block;
use super::training_loop::is_backward;
use super::value::{AbstractValue, ValueKind};
use crate::setting::Resolved;
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::Concept;
use vramlint_syntax::python::{Call, Expr, ExprKind, Stmt, StmtKind};

impl<'a> Interpreter<'a> {
    /// The bodies of code that runs and does not evaluate: those of modules, and of functions that are used, each with its scope.
    pub(super) fn used_bodies(&self) -> Vec<(usize, FileId, &'a [Stmt])> {
        let modules = self.load_order.iter().filter_map(|id| {
            let module = self.sources.file(*id)?.python_if(true)?;
            Some((*self.module_scopes.get(id)?, *id, &module.body[..]))
        });
        let used = self.definitions.functions.iter().filter(|info| info.is_used && !speaks_of_evaluation(&info.def.name));
        modules.chain(used.map(|info| (info.scope, info.file, &info.def.body[..]))).collect()
    }

    /// Adds the rows of a batch where nothing else gives them.
    pub(super) fn collect_sliced_batches(&mut self) {
        let concept = Concept::MicroBatch;
        if self.facts.candidates.iter().any(|(own, ..)| *own == concept) {
            return;
        }
        let bodies = self.used_bodies();
        let found =
            bodies.iter().find_map(|(scope, file, body)| Some((*scope, batch_size(&self.sources.file(*file)?.text, body)?)));
        let Some((scope, size)) = found else {
            if let Some((file, row)) = bodies.iter().find_map(|(_, file, body)| Some((*file, single_row(body)?))) {
                let one = AbstractValue::located(ValueKind::Scalar(Value::Int(1)), FileRange::new(file, row.range));
                for alternative in &one.alternatives {
                    let candidate = self.candidates().candidate(alternative, Resolved::Known(Value::Int(1)), None);
                    self.candidates().push(concept, Strength::Used, candidate);
                }
            }
            return;
        };
        let size = self.without_reads(|this| this.eval(size, scope));
        if let Some(alternative) = size.single().filter(|alt| alt.condition.is_none())
            && let Some(rows) = alternative.scalar().and_then(Value::as_int).filter(|rows| *rows > 0)
        {
            let alternative = alternative.clone();
            let name = alternative.source.name.clone();
            self.add_number(concept, alternative, name, rows);
        }
    }
}

/// The step of the loop that slices its batches and calls backward.
fn batch_size<'a>(text: &str, statements: &'a [Stmt]) -> Option<&'a Expr> {
    statements.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Function(_) | StmtKind::Class(_) => None,
        StmtKind::For { target, iter, body, .. } => {
            let size =
                block(target, iter).filter(|block| calls_backward(body) && block.cuts_in(text, body)).map(|block| block.size);
            size.or_else(|| batch_size(text, body))
        }
        _ => stmt.bodies().into_iter().find_map(|body| batch_size(text, body)),
    })
}

/// The sample of a loop that calls backward and tokenizes it: `for row in rows: tokenizer(row["text"], return_tensors="pt")`.
fn single_row(statements: &[Stmt]) -> Option<&Expr> {
    statements.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Function(_) | StmtKind::Class(_) => None,
        StmtKind::For { target, iter, body, .. } if calls_backward(body) && !speaks_of_batches(target, iter) => {
            let name = target.as_name();
            let is_tokenized = |call: &Call| {
                let text = call.keyword("return_tensors").and(call.positional(0));
                text.is_some_and(|text| name.is_some() && text.value.walk().any(|part| part.as_name() == name))
            };
            let calls = body.iter().flat_map(Stmt::expressions).flat_map(Expr::walk).filter_map(Expr::as_call);
            calls.into_iter().any(is_tokenized).then_some(target).or_else(|| single_row(body))
        }
        _ => stmt.bodies().into_iter().find_map(single_row),
    })
}

/// Whether a loop may go over batches, by its names: `for batch in loader`.
fn speaks_of_batches(target: &Expr, iter: &Expr) -> bool {
    let is_batch = |part: &Expr| match &part.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => {
            let name = name.to_lowercase();
            name.contains("batch") || name.contains("loader")
        }
        _ => false,
    };
    target.walk().chain(iter.walk()).any(is_batch)
}

/// Whether statements call backward, in nested ones too.
pub(super) fn calls_backward(body: &[Stmt]) -> bool {
    let is_call = |expr: &Expr| expr.as_call().is_some_and(|call| is_backward(&call.callee));
    body.iter().any(|stmt| {
        stmt.expressions().into_iter().flat_map(Expr::walk).any(is_call) || stmt.bodies().into_iter().any(calls_backward)
    })
}
