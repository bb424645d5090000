//! Modules of the project that wrap a model.

use super::Mapping;
use vramlint_memory::setup::Task;
use vramlint_resolve::code::HEAD_LAYERS;
use vramlint_syntax::python::{Class, Expr, Stmt};

impl Mapping<'_> {
    /// Whether the project wraps models in modules of its own: what they are called with says nothing on what a model gets.
    pub(super) fn wraps_models(&self) -> bool {
        !self.own_modules().is_empty()
    }

    /// Whether all that the project's modules add to a model is a small head for a class per row.
    pub(super) fn adds_small_heads(&self) -> bool {
        self.upper.task == Task::SequenceClassification && self.own_modules().into_iter().all(is_small_head)
    }

    /// The classes of the project that are modules.
    fn own_modules(&self) -> Vec<&Class> {
        let files = self.run.code.iter().flat_map(|code| &code.files);
        let modules = files.filter_map(|file| self.project.file(*file).python());
        modules.flat_map(|module| module.classes().map(|(class, _)| class)).filter(|class| is_module(class)).collect()
    }
}

fn is_module(class: &Class) -> bool {
    let named =
        |base: &Expr| base.dotted().is_some_and(|name| name == "nn.Module" || name == "torch.nn.Module" || name == "Module");
    class.bases.iter().any(named)
}

/// Whether a module makes nothing of torch's modules but what heads are made of.
fn is_small_head(class: &Class) -> bool {
    makes_heads(&class.body)
}

fn makes_heads(statements: &[Stmt]) -> bool {
    statements.iter().all(|stmt| {
        stmt.expressions().into_iter().flat_map(Expr::walk).all(is_of_heads) && stmt.bodies().into_iter().all(makes_heads)
    })
}

/// Whether an expression makes no module of torch, or one of which heads are made.
fn is_of_heads(expr: &Expr) -> bool {
    let Some(name) = expr.as_call().and_then(|call| call.callee.dotted()) else { return true };
    let Some(("nn" | "torch.nn", leaf)) = name.rsplit_once('.') else { return true };
    !leaf.starts_with(char::is_uppercase) || HEAD_LAYERS.contains(&leaf)
}
