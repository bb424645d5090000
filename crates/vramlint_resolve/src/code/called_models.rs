//! Frozen models outside of a module that its forward calls: `out = pretrained(**batch)` where `pretrained` is global.

use super::heap::{MODEL_DEPTH, ObjectKind};
use super::interpreter::Interpreter;
use super::qualified_name::leaf;
use super::trained_parameters::object;
use super::training_loop::stops_gradients;
use super::value::{AbstractValue, ValueKind};
use vramlint_base::FileRange;
use vramlint_syntax::python::{Expr, ExprKind, Stmt, StmtKind};

/// The attribute under which a module holds the model that its forward calls.
const CALLED: &str = "<called in forward>";

/// Modules of torch of which a small head is made, with losses that a module may hold.
pub const HEAD_LAYERS: &[&str] = &[
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "CrossEntropyLoss",
    "Dropout",
    "ELU",
    "GELU",
    "Identity",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "MSELoss",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
];

/// A name that a forward calls.
struct CalledName<'a> {
    callee: &'a Expr,
    /// Whether gradients are off around the call.
    without_gradients: bool,
}

impl Interpreter<'_> {
    /// Lets a small head hold the model outside of it that its forward calls, if that gets no gradients. A larger module may be what is
    /// trained, and the model its teacher.
    pub(super) fn hold_called_model(&mut self, id: usize, class: usize) {
        let holds_model = !self.heap.models_in(&object(id), MODEL_DEPTH).is_empty();
        if !self.is_module(id) || holds_model || !self.is_small_head(id) {
            return;
        }
        let Some(forward) = self.definitions.class_attribute(&self.scopes, class, "forward") else { return };
        let Some(ValueKind::Function { id: function, .. }) = forward.single().map(|alternative| &alternative.kind) else {
            return;
        };
        let (file, scope) = (self.definitions.functions[*function].file, self.definitions.functions[*function].scope);
        let mut called = Vec::new();
        collect_called(&self.definitions.functions[*function].def.body, false, &mut called);
        for name in called {
            let val = self.without_reads(|this| this.eval(name.callee, scope));
            let Some(ValueKind::Object(model)) = val.single().map(|alternative| &alternative.kind) else { continue };
            let ObjectKind::Model(load) = self.heap[*model].kind else { continue };
            let frozen = &mut self.facts.models[load].frozen;
            if name.without_gradients {
                *frozen = frozen.or(Some(FileRange::new(file, name.callee.range)));
            }
            if frozen.is_some() {
                self.heap[id].attributes.insert(CALLED.to_owned(), val);
                return;
            }
        }
    }

    /// Whether a module has no parts but those of which small heads are made.
    fn is_small_head(&self, id: usize) -> bool {
        let mut parts = self.heap[id].attributes.values().flat_map(AbstractValue::objects);
        parts.all(|part| match &self.heap[part].kind {
            ObjectKind::Library(path) => HEAD_LAYERS.contains(&leaf(path)),
            _ => !self.is_module(part),
        })
    }
}

/// Collects the names that statements call, in their order.
fn collect_called<'a>(statements: &'a [Stmt], without_gradients: bool, found: &mut Vec<CalledName<'a>>) {
    for stmt in statements {
        let calls = stmt.expressions().into_iter().flat_map(Expr::walk).filter_map(Expr::as_call);
        let names = calls.filter(|call| matches!(call.callee.kind, ExprKind::Name(_)));
        found.extend(names.map(|call| CalledName { callee: &call.callee, without_gradients }));
        let off = match &stmt.kind {
            StmtKind::With { items, .. } => items.iter().any(|(context, _)| stops_gradients(context)),
            _ => false,
        };
        for body in stmt.bodies() {
            collect_called(body, without_gradients || off, found);
        }
    }
}
