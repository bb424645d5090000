//! What names stand for in the modules of a run: functions, and objects of torch that compute a loss.

use std::collections::{BTreeSet, HashMap};
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
    /// Names that get a model: `policy = AutoModelForCausalLM.from_pretrained(…)`.
    loaded: BTreeSet<String>,
}

impl<'a> Functions<'a> {
    pub(super) fn of(modules: &[&'a Module]) -> Self {
        let mut by_name: HashMap<&'a str, Option<&'a Function>> = HashMap::new();
        let mut objects = HashMap::new();
        let mut classes = Vec::new();
        let mut pops_labels = false;
        let mut loaded = BTreeSet::new();
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
                if let StmtKind::Assign { targets, value: Some(value), .. } = &site.stmt.kind
                    && loads_model(value)
                {
                    loaded.extend(targets.iter().filter_map(Expr::dotted));
                }
            }
        }
        Self { by_name, objects, classes, pops_labels, loaded }
    }

    /// Whether the code takes labels out of a batch before the model gets it.
    pub(super) fn takes_labels_out(&self) -> bool {
        self.pops_labels
    }

    /// Whether a name is that of the trained model or of a frozen one.
    pub(super) fn model(&self, dotted: &str) -> Option<bool> {
        let name = dotted.to_lowercase();
        let last = name.rsplit('.').next()?;
        let is_frozen = ["teacher", "reference", "frozen"].iter().any(|word| last.contains(word))
            || last == "ref"
            || last.starts_with("ref_")
            || last.ends_with("_ref");
        let is_model = last.ends_with("model") || last.contains("student") || matches!(last, "net" | "engine" | "lm");
        (is_frozen || is_model || self.loaded.contains(dotted)).then_some(!is_frozen)
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

/// Whether an expression is a model that is loaded here: `AutoModelForCausalLM.from_pretrained(…).to(device)`.
fn loads_model(expr: &Expr) -> bool {
    let Some(call) = expr.as_call() else { return false };
    let loads = call.callee.dotted().is_some_and(|name| {
        let class = name.strip_suffix(".from_pretrained").or_else(|| name.strip_suffix(".from_config"));
        class.and_then(|class| class.rsplit('.').next()).is_some_and(|class| class.contains("Model") || class.contains("For"))
    });
    let base = match &call.callee.kind {
        ExprKind::Attribute(base, _, _) => Some(base),
        _ => None,
    };
    loads || base.is_some_and(|base| loads_model(base))
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
