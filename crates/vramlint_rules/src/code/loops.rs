//! Loops of Python code with what is done in each round.

use vramlint_syntax::python::{Call, Context, Expr, ExprKind, Module, Stmt, StmtKind};

/// A loop.
pub(super) struct Loop<'a> {
    /// What is done in each round, inner loops left out.
    pub(super) own: Vec<Own<'a>>,
    /// Where it is.
    pub(super) context: Context<'a>,
}

/// A statement of a loop.
pub(super) struct Own<'a> {
    pub(super) stmt: &'a Stmt,
    /// The tests that it is under, inside of the loop.
    pub(super) tests: Vec<&'a Expr>,
    /// Whether it is in a handler, or in `torch.no_grad()`.
    pub(super) aside: bool,
}

/// Every loop of a module.
pub(super) fn loops(module: &Module) -> Vec<Loop<'_>> {
    let mut found = Vec::new();
    for located in module.statements() {
        if let StmtKind::For { body, .. } | StmtKind::While { body, .. } = &located.stmt.kind {
            let mut own = Vec::new();
            flatten(body, &[], false, &mut own);
            found.push(Loop { own, context: located.context });
        }
    }
    found
}

fn flatten<'a>(body: &'a [Stmt], tests: &[&'a Expr], aside: bool, own: &mut Vec<Own<'a>>) {
    for stmt in body {
        own.push(Own { stmt, tests: tests.to_vec(), aside });
        match &stmt.kind {
            StmtKind::If(arms) => {
                let mut asked = tests.to_vec();
                for arm in arms {
                    asked.extend(arm.test.as_ref());
                    flatten(&arm.body, &asked, aside, own);
                }
            }
            StmtKind::With { items, body } => {
                let off = items.iter().any(|(context, _)| stops_gradients(context));
                flatten(body, tests, aside || off, own);
            }
            StmtKind::Try { body, handlers, orelse, finally } => {
                for block in [body, orelse, finally] {
                    flatten(block, tests, aside, own);
                }
                for (_, block) in handlers {
                    flatten(block, tests, true, own);
                }
            }
            _ => {}
        }
    }
}

/// Whether a `with` turns gradients off.
pub(super) fn stops_gradients(context: &Expr) -> bool {
    let callee = context.as_call().map_or(context, |call| &call.callee);
    callee.dotted().is_some_and(|name| matches!(name.rsplit('.').next(), Some("no_grad" | "inference_mode" | "set_grad_enabled")))
}

impl<'a> Own<'a> {
    /// The calls of the statement itself.
    pub(super) fn calls(&self) -> impl Iterator<Item = (&'a Expr, &'a Call)> + use<'a> {
        let expressions = self.stmt.expressions();
        expressions.into_iter().flat_map(Expr::walk).filter_map(|expr| Some((expr, expr.as_call()?)))
    }

    /// Whether it is under a test of the form `step % N == 0`.
    pub(super) fn every(&self) -> Option<&'a Expr> {
        self.tests.iter().find_map(|test| modulus(test))
    }
}

/// `N` of `(step + 1) % N == 0`, also after `and` and `or`.
fn modulus(test: &Expr) -> Option<&Expr> {
    test.walk().find_map(|expr| match &expr.kind {
        ExprKind::Binary(left, "%", right) if left.as_value().is_none() => Some(&**right),
        _ => None,
    })
}

/// What a method is called on.
pub(super) fn receiver(call: &Call) -> Option<&Expr> {
    if let ExprKind::Attribute(base, ..) = &call.callee.kind { Some(base) } else { None }
}

/// The loss of `loss.backward()` and `scaler.scale(loss).backward()`.
pub(super) fn loss_of(call: &Call) -> Option<&Expr> {
    if call.name() != Some("backward") || call.positional(0).is_some() {
        return None;
    }
    let base = receiver(call)?;
    match base.as_call() {
        Some(inner) if inner.name() == Some("scale") => inner.positional(0).map(|argument| &argument.value),
        _ => Some(base),
    }
}

/// Whether a call steps an optimizer, by its name.
pub(super) fn steps(call: &Call) -> bool {
    call.name() == Some("step") && speaks_of_optimizer(call)
}

/// Whether a call clears gradients.
pub(super) fn clears(call: &Call) -> bool {
    call.name() == Some("zero_grad")
}

fn speaks_of_optimizer(call: &Call) -> bool {
    let name = receiver(call).and_then(Expr::dotted).unwrap_or_default().to_lowercase();
    let last = name.rsplit('.').next().unwrap_or(&name);
    last.contains("optim") || last == "opt" || last.contains("scaler") && call.positional(0).is_some()
}
