//! Lengths at which code cuts token ids by a slice: `ids = (prompt + answer)[:MAX_LEN]`.

use super::interpreter::Interpreter;
use vramlint_base::Value;
use vramlint_catalog::Concept;
use vramlint_syntax::python::{Expr, ExprKind, Stmt, StmtKind};

/// Slices that are shorter are no rows.
const SHORTEST: i64 = 16;

impl<'a> Interpreter<'a> {
    /// Adds the length of a row where nothing else gives one and all such slices agree.
    pub(super) fn collect_sliced_lengths(&mut self) {
        let concept = Concept::SequenceLength;
        if !self.facts.text_lengths.is_empty() || self.facts.candidates.iter().any(|(own, ..)| *own == concept) {
            return;
        }
        let mut ends: Vec<(usize, &'a Expr)> = Vec::new();
        // `__getitem__` of a data set has no visible caller.
        for info in &self.definitions.functions {
            slice_ends(&info.def.body, &mut |end| ends.push((info.scope, end)));
        }
        let mut found = None;
        for (scope, end) in ends {
            let val = self.without_reads(|this| this.eval(end, scope));
            let Some(alternative) = val.single().filter(|alt| alt.condition.is_none()) else { continue };
            let Some(length) = alternative.scalar().and_then(Value::as_int).filter(|length| *length >= SHORTEST) else {
                continue;
            };
            match &found {
                Some((other, _)) if *other != length => return,
                _ => found = Some((length, alternative.clone())),
            }
        }
        if let Some((length, alternative)) = found {
            let name = alternative.source.name.clone();
            self.add_number(concept, alternative, name, length);
        }
    }
}

/// Calls `each` with the ends of slices whose names speak of a length, of what is assigned to names of token ids.
fn slice_ends<'a>(body: &'a [Stmt], each: &mut impl FnMut(&'a Expr)) {
    for stmt in body {
        match &stmt.kind {
            StmtKind::Function(_) | StmtKind::Class(_) => continue,
            StmtKind::Assign { targets, value: Some(value), .. } => {
                let of_ids = |target: &Expr| {
                    let name = match &target.kind {
                        ExprKind::Subscript(_, key) => key.as_str(),
                        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => Some(name.as_str()),
                        _ => None,
                    };
                    name.is_some_and(|name| name.ends_with("ids") || name.contains("token") || name.contains("label"))
                };
                if targets.iter().any(of_ids) {
                    value.walk().filter_map(end_of_slice).filter(|end| names_length(end)).for_each(&mut *each);
                }
            }
            _ => {}
        }
        stmt.bodies().into_iter().for_each(|inner| slice_ends(inner, each));
    }
}

/// `n` of `x[:n]`.
fn end_of_slice(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Subscript(_, index) = &expr.kind else { return None };
    let ExprKind::Slice(ends) = &index.kind else { return None };
    match ends.as_ref() {
        [None, Some(end), None] => Some(end),
        _ => None,
    }
}

fn names_length(expr: &Expr) -> bool {
    let name = match &expr.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => name.to_lowercase(),
        _ => return false,
    };
    // `max_samples` and `MAX_SHOWN` count something else.
    ["len", "cutoff", "context", "block", "seq", "token"].iter().any(|word| name.contains(word))
}
