//! What names stand for in the modules of a run: functions, and objects of torch that compute a loss.

use std::collections::HashMap;
use vramlint_syntax::python::{Class, Expr, ExprKind, Function, Module, StmtKind};

/// A loss that is an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LossObject {
    CrossEntropy,
    Divergence { log_target: bool, sums: bool },
}

/// The functions and losses of a run.
pub(super) struct Functions<'a> {
    /// By name; `None` where several have it.
    by_name: HashMap<&'a str, Option<&'a Function>>,
    objects: HashMap<String, LossObject>,
    pub(super) classes: Vec<&'a Class>,
    pops_labels: bool,
}

impl<'a> Functions<'a> {
    pub(super) fn of(modules: &[&'a Module]) -> Self {
        let mut by_name: HashMap<&'a str, Option<&'a Function>> = HashMap::new();
        let mut objects = HashMap::new();
        let mut classes = Vec::new();
        let mut pops_labels = false;
        for module in modules {
            for (function, _) in module.functions() {
                by_name.entry(&function.name).and_modify(|known| *known = None).or_insert(Some(function));
            }
            classes.extend(module.classes().map(|(class, _)| class));
            pops_labels |= module.calls().any(|site| {
                site.call.name() == Some("pop")
                    && site.call.positional(0).is_some_and(|argument| argument.value.as_str() == Some("labels"))
            });
            for site in module.statements() {
                if let StmtKind::Assign { targets, value: Some(value), .. } = &site.stmt.kind
                    && let (Some(name), Some(object)) = (targets.first().and_then(Expr::dotted), loss_object(value))
                {
                    objects.insert(name, object);
                }
            }
        }
        Self { by_name, objects, classes, pops_labels }
    }

    /// Whether the code takes labels out of a batch before the model gets it.
    pub(super) fn takes_labels_out(&self) -> bool {
        self.pops_labels
    }

    /// The function that a callee names: `shift_loss`, `self.shift_loss`.
    pub(super) fn function(&self, callee: &Expr) -> Option<&'a Function> {
        let name = callee.dotted()?;
        let own = name.strip_prefix("self.").unwrap_or(&name);
        self.by_name.get(own).copied().flatten()
    }

    /// The loss that a callee is: `criterion`, `nn.CrossEntropyLoss()`.
    pub(super) fn loss(&self, callee: &Expr) -> Option<LossObject> {
        loss_object(callee).or_else(|| self.objects.get(&callee.dotted()?).copied())
    }
}

/// `nn.CrossEntropyLoss(…)`, `nn.KLDivLoss(…)`.
fn loss_object(expr: &Expr) -> Option<LossObject> {
    let ExprKind::Call(call) = &expr.kind else { return None };
    let flag = |name: &str| call.keyword(name).and_then(|argument| argument.value.as_value()?.as_bool()) == Some(true);
    match call.name()? {
        "CrossEntropyLoss" => call.keyword("label_smoothing").is_none().then_some(LossObject::CrossEntropy),
        "KLDivLoss" => {
            let unreduced = call.keyword("reduction").is_some_and(|argument| argument.value.as_str() == Some("none"));
            Some(LossObject::Divergence { log_target: flag("log_target"), sums: !unreduced })
        }
        _ => None,
    }
}
