//! Texts that become rows of one batch for each sample: `tokenizer([r["chosen"] for r in rows] + [r["rejected"] for r in rows])`.

use super::interpreter::Interpreter;
use super::sliced_batches::calls_backward;
use vramlint_base::Value;
use vramlint_syntax::python::{Call, Expr, ExprKind, Stmt, StmtKind};

/// Maximum number of names that are followed to what they are assigned.
const MAX_DEPTH: usize = 4;

impl Interpreter<'_> {
    /// How many texts of each sample are in one batch; 1 unless code that runs puts them together.
    pub(super) fn texts_per_sample(&self) -> u64 {
        let bodies = self.used_bodies();
        let texts = bodies.iter().flat_map(|(.., body)| {
            let calls = calls_in(body, false);
            calls
                .into_iter()
                .filter_map(|(call, trains)| tokenized(call, body, trains).or_else(|| joined(call)))
                .collect::<Vec<_>>()
        });
        texts.max().unwrap_or(1).max(1)
    }
}

/// The calls of statements, without the functions that are defined in them, and whether each is in a loop that calls backward.
fn calls_in(body: &[Stmt], trains: bool) -> Vec<(&Call, bool)> {
    let own = |stmt: &&Stmt| !matches!(stmt.kind, StmtKind::Function(_) | StmtKind::Class(_));
    let mut found = Vec::new();
    for stmt in body.iter().filter(own) {
        let calls = stmt.expressions().into_iter().flat_map(Expr::walk).filter_map(Expr::as_call);
        found.extend(calls.map(|call| (call, trains)));
        let is_loop = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. });
        for inner in stmt.bodies() {
            found.extend(calls_in(inner, trains || is_loop && calls_backward(inner)));
        }
    }
    found
}

/// The lists that a call of a tokenizer puts into one batch of tensors. One text that is repeated is a row of the training only in its
/// loop; elsewhere it may be a demonstration.
fn tokenized(call: &Call, body: &[Stmt], trains: bool) -> Option<u64> {
    call.keyword("return_tensors")?;
    let given = &call.positional(0)?.value;
    repeated(given, body).filter(|_| trains).or_else(|| lists(given, body, MAX_DEPTH))
}

/// `answers` of `[prompt] * answers`.
fn repeated(expr: &Expr, body: &[Stmt]) -> Option<u64> {
    let ExprKind::Binary(left, "*", right) = &expr.kind else { return None };
    matches!(&left.kind, ExprKind::List(items) if items.len() == 1).then(|| number(right, body))?
}

/// The batches that `torch.cat` puts into one: `torch.cat([batch["chosen_input_ids"], batch["rejected_input_ids"]])`.
fn joined(call: &Call) -> Option<u64> {
    if !matches!(call.callee.dotted()?.as_str(), "torch.cat" | "torch.concat") {
        return None;
    }
    let dim = call.keyword("dim").or_else(|| call.positional(1));
    if dim.is_some_and(|dim| dim.value.as_value() != Some(&Value::Int(0))) {
        return None;
    }
    let ExprKind::List(parts) = &call.positional(0)?.value.kind else { return None };
    let is_ids = |part: &Expr| match &part.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => name.ends_with("input_ids"),
        ExprKind::Subscript(_, key) => key.as_str().is_some_and(|key| key.ends_with("input_ids")),
        _ => false,
    };
    (parts.len() > 1 && parts.iter().all(is_ids)).then_some(parts.len() as u64)
}

/// How many lists of one text for each sample an expression joins. `None` for what is no such list.
fn lists(expr: &Expr, body: &[Stmt], depth: usize) -> Option<u64> {
    match &expr.kind {
        // Every text twice: `batch + batch`.
        ExprKind::Binary(left, "+", right) if left.as_name().is_some() && left.as_name() == right.as_name() => Some(2),
        ExprKind::Binary(left, "+", right) => Some(lists(left, body, depth)? + lists(right, body, depth)?),
        ExprKind::Comprehension { pairs: false, .. } => Some(1),
        ExprKind::Name(name) if depth > 0 => {
            let mut assigned = values_of(name, body);
            let value = assigned.next().filter(|_| assigned.next().is_none())?;
            match &value.kind {
                ExprKind::List(items) if items.is_empty() => appended(name, body),
                _ => {
                    let more = added_to(name, body).map(|value| lists(value, body, depth - 1));
                    more.fold(lists(value, body, depth - 1), |sum, more| Some(sum? + more?))
                }
            }
        }
        _ => None,
    }
}

/// A number, or the name of one.
fn number(expr: &Expr, body: &[Stmt]) -> Option<u64> {
    let literal = |expr: &Expr| expr.as_value().and_then(Value::as_int).and_then(|number| u64::try_from(number).ok());
    literal(expr).or_else(|| {
        let mut assigned = values_of(expr.as_name()?, body);
        let value = assigned.next().filter(|_| assigned.next().is_none())?;
        literal(value)
    })
}

/// What a name is assigned in statements.
fn values_of<'a>(name: &'a str, body: &'a [Stmt]) -> impl Iterator<Item = &'a Expr> {
    body.iter().filter_map(move |stmt| match &stmt.kind {
        StmtKind::Assign { targets, value: Some(value), .. } => match (targets.as_slice(), &value.kind) {
            ([target], _) if target.as_name() == Some(name) => Some(value),
            // `chosen, rejected = [], []`.
            ([target], ExprKind::List(values)) => match &target.kind {
                ExprKind::List(names) if names.len() == values.len() => {
                    names.iter().position(|one| one.as_name() == Some(name)).map(|at| &values[at])
                }
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

/// What statements add to a name: `rows += [row["rejected"] for row in batch]`.
fn added_to<'a>(name: &'a str, body: &'a [Stmt]) -> impl Iterator<Item = &'a Expr> {
    body.iter().filter_map(move |stmt| match &stmt.kind {
        StmtKind::AugAssign { target, op: "+", value } if target.as_name() == Some(name) => Some(value),
        _ => None,
    })
}

/// How many texts a loop appends to a list for each sample.
fn appended(name: &str, body: &[Stmt]) -> Option<u64> {
    let loops = body.iter().filter_map(|stmt| if let StmtKind::For { body, .. } = &stmt.kind { Some(body) } else { None });
    let texts = loops.map(|body| {
        body.iter()
            .flat_map(Stmt::expressions)
            .flat_map(Expr::walk)
            .filter_map(Expr::as_call)
            .map(|call| appends(call, name))
            .sum()
    });
    texts.max().filter(|texts| *texts > 0)
}

fn appends(call: &Call, name: &str) -> u64 {
    let ExprKind::Attribute(base, method, _) = &call.callee.kind else { return 0 };
    match (base.as_name() == Some(name), method.as_str(), call.positional(0).map(|argument| &argument.value.kind)) {
        (true, "append", _) => 1,
        (true, "extend", Some(ExprKind::List(items))) => items.len() as u64,
        _ => 0,
    }
}
