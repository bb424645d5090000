//! Variables that Python sets: `os.environ["A"] = "1"`, `setdefault`, `putenv`, `update`, and the `env` of a child process.

use super::{Setter, VariableAssignment, inner, is_tracked};
use crate::SourceFile;
use vramlint_base::{FileRange, TextRange};
use vramlint_syntax::python::{Expr, ExprKind, Located, Module, StmtKind};

pub(super) fn collect(file: &SourceFile, module: &Module, found: &mut Vec<VariableAssignment>) {
    for located in module.statements() {
        if let StmtKind::Assign { targets, value: Some(value), .. } = &located.stmt.kind {
            for target in targets {
                let ExprKind::Subscript(base, key) = &target.kind else { continue };
                let Some(name) = key.as_str().filter(|name| is_tracked(name) && is_environment(base)) else { continue };
                found.push(set(file, &located, name, target.range, value));
            }
        }
        for expr in located.stmt.expressions().into_iter().flat_map(Expr::walk) {
            within(file, &located, expr, found);
        }
    }
}

/// `os.environ`, `environ`, and names after them: `env`, `child_env`, `worker.env`.
fn is_environment(base: &Expr) -> bool {
    let (ExprKind::Name(name) | ExprKind::Attribute(_, name, _)) = &base.kind else { return false };
    name.split('_').any(|word| matches!(word, "env" | "environ" | "environment" | "envs"))
}

fn within(file: &SourceFile, located: &Located<'_>, expr: &Expr, found: &mut Vec<VariableAssignment>) {
    match &expr.kind {
        ExprKind::Call(call) if matches!(call.name(), Some("setdefault" | "putenv")) => {
            let name = call.positional(0).and_then(|arg| arg.value.as_str()).filter(|name| is_tracked(name));
            if let Some((name, value)) = name.zip(call.positional(1)) {
                let mut set = set(file, located, name, expr.range, &value.value);
                set.conditional |= call.name() == Some("setdefault");
                found.push(set);
            }
        }
        // `os.environ.update(A="1")`, `dict(os.environ, A="1")`
        ExprKind::Call(call) if matches!(call.name(), Some("update" | "dict")) => {
            for arg in &call.args {
                let Some((name, range)) = arg.name().filter(|(name, _)| is_tracked(name)) else { continue };
                found.push(set(file, located, name, range, &arg.value));
            }
        }
        ExprKind::Dict(entries) => {
            for (key, value) in entries {
                let Some(key) = key else { continue };
                if let Some(name) = key.as_str().filter(|name| is_tracked(name)) {
                    found.push(set(file, located, name, key.range, value));
                }
            }
        }
        _ => {}
    }
}

fn set(file: &SourceFile, located: &Located<'_>, name: &str, key: TextRange, value: &Expr) -> VariableAssignment {
    let text = value.as_str().map(str::to_owned);
    let (range, verbatim) = text.as_deref().map_or((value.range, false), |text| inner(&file.text, value.range, text));
    VariableAssignment {
        file: file.id,
        name: name.to_owned(),
        value: text,
        place: FileRange::new(file.id, range),
        verbatim,
        full_range: FileRange::new(file.id, TextRange::new(key.start, value.range.end.max(key.end))),
        setter: Setter::Python,
        exported: true,
        conditional: !located.context.is_straight(),
    }
}
