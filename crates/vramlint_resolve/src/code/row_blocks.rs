//! Rows that the code cuts from a stream of tokens: all have the length of a block, so nothing is padded.

use super::interpreter::Interpreter;
use super::sliced_batches::calls_backward;
use vramlint_base::Value;
use vramlint_catalog::Concept;
use vramlint_syntax::python::{Expr, ExprKind, Stmt, StmtKind, equal_expressions};

/// Groups of fewer elements are no rows: the choices of a sample, `[v[i : i + 4] for i in range(0, len(v), 4)]`.
const SMALLEST: i64 = 16;

impl Interpreter<'_> {
    /// Whether code that certainly runs cuts rows of one length: `[ids[i : i + size] for i in range(0, total, size)]`. A size that is a
    /// constant is the length of a row where nothing else gives one.
    pub(super) fn collect_row_blocks(&mut self) -> bool {
        let found = self
            .used_bodies()
            .into_iter()
            .find_map(|(scope, file, body)| Some((scope, size_of(&self.sources.file(file)?.text, body)?)));
        let Some((scope, size)) = found else { return false };
        let concept = Concept::SequenceLength;
        if !self.facts.candidates.iter().any(|(own, _, candidate)| *own == concept && candidate.used) {
            let size = self.without_reads(|this| this.eval(size, scope));
            if let Some(alternative) = size.single().filter(|alt| alt.condition.is_none())
                && let Some(length) = alternative.scalar().and_then(Value::as_int).filter(|length| *length > 0)
            {
                let alternative = alternative.clone();
                let name = alternative.source.name.clone();
                self.add_number(concept, alternative, name, length);
            }
        }
        true
    }
}

/// The size of the blocks that statements cut, without the functions that are defined in them.
fn size_of<'a>(text: &str, statements: &'a [Stmt]) -> Option<&'a Expr> {
    statements.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Function(_) | StmtKind::Class(_) => None,
        // A training loop slices batches of rows.
        StmtKind::For { body, .. } if calls_backward(body) => size_of(text, body),
        StmtKind::For { target, iter, body, .. } => {
            let block = block(target, iter).filter(|block| block.cuts_in(text, body));
            block.map(|block| block.size).or_else(|| size_of(text, body))
        }
        _ => {
            let inside = stmt.expressions().into_iter().flat_map(Expr::walk).find_map(|expr| comprehended(text, expr));
            inside.or_else(|| stmt.bodies().into_iter().find_map(|body| size_of(text, body)))
        }
    })
}

fn comprehended<'a>(text: &str, expr: &'a Expr) -> Option<&'a Expr> {
    let ExprKind::Comprehension { parts, pairs: false } = &expr.kind else { return None };
    let [item, target, iter, ..] = parts.as_slice() else { return None };
    block(target, iter)
        .filter(|block| block.is_cut(text, item))
        .map(|block| block.size)
        .or_else(|| numbered(text, item, target, iter))
}

/// The size of blocks that are numbered: `[ids[i * size : (i + 1) * size] for i in range(count)]`.
fn numbered<'a>(text: &str, item: &'a Expr, target: &Expr, iter: &Expr) -> Option<&'a Expr> {
    let number = target.as_name()?;
    iter.as_call().filter(|call| call.name() == Some("range") && call.positional(1).is_none())?;
    item.walk().find_map(|part| {
        let ExprKind::Subscript(_, index) = &part.kind else { return None };
        let ExprKind::Slice(ends) = &index.kind else { return None };
        let [Some(lower), Some(upper), None] = &**ends else { return None };
        let (ExprKind::Binary(first, "*", size), ExprKind::Binary(next, "*", again)) = (&lower.kind, &upper.kind) else {
            return None;
        };
        let ExprKind::Binary(left, "+", one) = &next.kind else { return None };
        let counts = [first, left].iter().all(|expr| expr.as_name() == Some(number)) && one.as_value() == Some(&Value::Int(1));
        (counts && !is_group(size) && equal_expressions(text, size, again)).then_some(&**size)
    })
}

fn is_group(size: &Expr) -> bool {
    size.as_value().and_then(Value::as_int).is_some_and(|size| size < SMALLEST)
}

/// A loop over the starts of blocks.
pub(super) struct Block<'a> {
    start: &'a str,
    pub(super) size: &'a Expr,
}

/// `for start in range(…, …, size)`.
pub(super) fn block<'a>(target: &'a Expr, iter: &'a Expr) -> Option<Block<'a>> {
    let call = iter.as_call().filter(|call| call.name() == Some("range"))?;
    let size = &call.positional(2)?.value;
    (!is_group(size)).then_some(Block { start: target.as_name()?, size })
}

impl Block<'_> {
    /// Whether statements take `start : start + size` of a sequence.
    pub(super) fn cuts_in(&self, text: &str, body: &[Stmt]) -> bool {
        body.iter().flat_map(Stmt::expressions).any(|expr| self.is_cut(text, expr))
    }

    /// Whether an expression takes `start : start + size` of a sequence.
    fn is_cut(&self, text: &str, expr: &Expr) -> bool {
        expr.walk().any(|part| {
            let ExprKind::Subscript(_, index) = &part.kind else { return false };
            let ExprKind::Slice(ends) = &index.kind else { return false };
            let [Some(lower), Some(upper), None] = &**ends else { return false };
            let ExprKind::Binary(left, "+", right) = &upper.kind else { return false };
            // `start + size + 1`: inputs and what follows each of them.
            let (left, right) = match &left.kind {
                ExprKind::Binary(start, "+", size) if right.as_value() == Some(&Value::Int(1)) => (start, size),
                _ => (left, right),
            };
            let is_start = |expr: &Expr| expr.as_name() == Some(self.start);
            is_start(lower) && is_start(left) && equal_expressions(text, right, self.size)
        })
    }
}
