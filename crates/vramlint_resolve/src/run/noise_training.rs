//! Loops that train on random numbers: what tries out a model, as modules do that are started alone.

use vramlint_syntax::python::{CallSite, Expr, ExprKind, Module, StmtKind};

/// Functions of torch that make random numbers.
const RANDOM: &[&str] = &["torch.rand", "torch.randn", "torch.randint", "torch.randperm", "torch.normal"];
/// What the names of functions hold that give a loop its data.
const DATA: &[&str] =
    &["batch", "data", "sampl", "load", "read", "next", "env", "reset", "rollout", "generate", "collate", "episode"];

/// Whether every backward pass runs below `if __name__ == "__main__":`, in one loop that counts and is fed with random numbers.
pub(super) fn trains_on_noise(module: &Module) -> bool {
    let is_backward = |site: &CallSite<'_>| last_name(&site.call.callee) == Some("backward");
    let passes: Vec<CallSite<'_>> = module.calls().filter(is_backward).collect();
    let mut guarded = module.statements().filter(|located| located.context.main_guard);
    !passes.is_empty()
        && passes.iter().all(|site| site.context.main_guard)
        && guarded.any(|located| {
            let whole = located.stmt.range;
            let counts = matches!(&located.stmt.kind, StmtKind::For { iter, .. } if is_count(iter));
            counts && passes.iter().all(|site| whole.contains(site.stmt.range)) && {
                let inner: Vec<CallSite<'_>> = module.calls().filter(|site| whole.contains(site.expr.range)).collect();
                inner.iter().any(|site| site.call.callee.dotted().is_some_and(|path| RANDOM.contains(&path.as_str())))
                    && !inner.iter().any(|site| gives_data(&site.call.callee))
            }
        })
}

fn is_count(iter: &Expr) -> bool {
    iter.as_call().is_some_and(|call| call.callee.as_name() == Some("range"))
}

fn gives_data(callee: &Expr) -> bool {
    let name = last_name(callee).unwrap_or_default().to_lowercase();
    DATA.iter().any(|word| name.contains(word))
}

fn last_name(callee: &Expr) -> Option<&str> {
    match &callee.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => Some(name),
        _ => None,
    }
}
