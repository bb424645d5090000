//! Loops over the parts of models: what the loop variable stands for.

use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::Value;
use vramlint_syntax::python::{Expr, ExprKind};

/// Maximum number of parts of models in a list that a loop visits one by one.
const MAX_PARTS: usize = 16;

impl<'a> Interpreter<'a> {
    /// The items of a list of models, parts of models or configurations: `[model.shared, model.encoder]`.
    pub(super) fn listed_objects(&self, over: &AbstractValue) -> Option<Rc<Vec<AbstractValue>>> {
        let ValueKind::Items(items) = &over.single()?.kind else { return None };
        let is_part = |item: &AbstractValue| match item.single().map(|alt| &alt.kind) {
            Some(ValueKind::Object(id)) if matches!(self.heap[*id].kind, ObjectKind::Instance { .. }) => true,
            Some(ValueKind::Object(id) | ValueKind::Method(id, _)) => self.is_model_or_module(*id),
            _ => false,
        };
        (!items.is_empty() && items.len() <= MAX_PARTS && items.iter().all(is_part)).then(|| Rc::clone(items))
    }

    /// What a loop over the parameters or layers of a model visits: the model, or the part of it, stands for each. `over` is the value of
    /// `iter`.
    pub(super) fn visited_part(&mut self, iter: &'a Expr, over: &AbstractValue, scope: usize) -> Option<AbstractValue> {
        let pair = |first: ValueKind, second: AbstractValue| {
            let items = vec![AbstractValue::new(first, ValueSource::default()), second];
            AbstractValue::new(ValueKind::Items(Rc::new(items)), ValueSource::default())
        };
        let ExprKind::Call(call) = &iter.kind else { return self.is_part(over).then(|| over.clone()) };
        if let (Some("enumerate" | "list" | "tuple" | "reversed" | "tqdm"), [first, ..]) =
            (call.callee.dotted().as_deref(), call.args.as_slice())
        {
            let inner = self.without_reads(|this| this.eval(&first.value, scope));
            let counts = call.callee.dotted().as_deref() == Some("enumerate");
            let position = if self.is_part(&inner) && call.args.len() == 1 { ValueKind::Position } else { ValueKind::Unknown };
            let item = self.visited_part(&first.value, &inner, scope)?;
            return Some(if counts { pair(position, item) } else { item });
        }
        let ExprKind::Attribute(_, name, _) = &call.callee.kind else { return None };
        over.alternatives.iter().find(|alt| matches!(alt.kind, ValueKind::Object(_) | ValueKind::Method(..)))?;
        match name.as_str() {
            "parameters" | "modules" | "children" => Some(over.clone()),
            "named_parameters" => Some(pair(ValueKind::ParameterName, over.clone())),
            "named_modules" | "named_children" => Some(pair(ValueKind::Unknown, over.clone())),
            _ => None,
        }
    }

    /// What a loop over a range of known numbers walks through: `for i in range(6)`.
    pub(super) fn walked_range(&mut self, iter: &'a Expr, scope: usize) -> Option<AbstractValue> {
        let ExprKind::Call(call) = &iter.kind else { return None };
        if call.callee.dotted().as_deref() != Some("range") {
            return None;
        }
        let bounds: Vec<AbstractValue> =
            call.args.iter().map(|bound| self.without_reads(|this| this.eval(&bound.value, scope))).collect();
        let number = |val: &AbstractValue| val.nominal().and_then(Value::as_int);
        let (first, end) = match bounds.as_slice() {
            [end] => (0, number(end)?),
            [first, end] => (number(first)?, number(end)?),
            _ => return None,
        };
        Some(AbstractValue::new(ValueKind::Range(first, end), ValueSource::default()))
    }

    /// Whether a value is a part of a model that a loop may visit: `model.model.layers[:8]`.
    fn is_part(&self, val: &AbstractValue) -> bool {
        matches!(val.single().map(|alt| &alt.kind), Some(ValueKind::Method(id, _)) if self.is_model_or_module(*id))
    }
}
