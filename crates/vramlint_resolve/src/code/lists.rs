//! Lists that change.

use super::call_arguments::CallArguments;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind};

/// Methods of a list that change it.
const CHANGING: &[&str] = &["append", "extend", "insert", "remove", "clear", "pop", "sort", "reverse"];

impl<'a> Interpreter<'a> {
    /// `items[lower:upper]` of a list whose items are known; bounds that are not whole numbers leave it open.
    pub(super) fn slice(
        &mut self,
        list: &AbstractValue,
        bounds: &'a [Option<Expr>; 3],
        place: FileRange,
        scope: usize,
    ) -> AbstractValue {
        let unknown = AbstractValue::located(ValueKind::Unknown, place);
        let values = bounds.each_ref().map(|bound| bound.as_ref().map(|bound| self.eval(bound, scope)));
        if let Some(ValueKind::Method(id, part)) = list.single().map(|alt| &alt.kind)
            && self.is_model_or_module(*id)
        {
            let bound = |bound: &Option<AbstractValue>| match bound {
                None => String::new(),
                Some(val) => val.nominal().and_then(Value::as_int).map_or_else(|| "?".to_owned(), |number| number.to_string()),
            };
            let [lower, upper] = [bound(&values[0]), bound(&values[1])];
            let stride = if values[2].is_some() { ":?" } else { "" };
            return AbstractValue::located(ValueKind::Method(*id, format!("{part}[{lower}:{upper}{stride}]").into()), place);
        }
        let Some(ValueKind::Items(items)) = list.single().map(|alt| &alt.kind) else { return unknown };
        let position = |bound: &Option<AbstractValue>, absent: usize| match bound {
            None => Some(absent),
            Some(value) => {
                let index = value.constant().and_then(Value::as_int)?;
                let from_end = items.len().saturating_sub(usize::try_from(index.unsigned_abs()).ok()?);
                Some(if index < 0 { from_end } else { usize::try_from(index).ok()?.min(items.len()) })
            }
        };
        match (position(&values[0], 0), position(&values[1], items.len()), &values[2]) {
            (Some(lower), Some(upper), None) => {
                let kept = items.get(lower..upper.max(lower)).unwrap_or_default().to_vec();
                AbstractValue::located(ValueKind::Items(Rc::new(kept)), place)
            }
            _ => unknown,
        }
    }

    /// `names.append(name)`: the list under this name has one more item. In a loop it is not known how many.
    pub(super) fn grow_list(&mut self, callee: &'a Expr, args: &CallArguments, place: FileRange, scope: usize) {
        let ExprKind::Attribute(target, method, _) = &callee.kind else { return };
        if !CHANGING.contains(&method.as_str()) {
            return;
        }
        let old = self.without_reads(|this| this.eval(target, scope));
        if !old.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Items(_) | ValueKind::Bundle(_))) {
            return;
        }
        let grown = match (old.single().map(|alt| &alt.kind), method.as_str(), args.positional.as_slice()) {
            _ if !self.control.loops.is_empty() => None,
            (Some(ValueKind::Items(items)), "append", [item]) => Some(items.iter().chain([item]).cloned().collect::<Vec<_>>()),
            (Some(ValueKind::Items(items)), "extend", [other]) => match other.single().map(|alt| &alt.kind) {
                Some(ValueKind::Items(more)) => Some(items.iter().chain(more.iter()).cloned().collect()),
                _ => None,
            },
            _ => None,
        };
        let kind = match grown {
            Some(items) => ValueKind::Items(Rc::new(items)),
            None => bundle_of_objects(&old, method, args).unwrap_or(ValueKind::Unknown),
        };
        let val = AbstractValue::located(kind, place);
        match &target.kind {
            // A list of an enclosing scope changes there.
            ExprKind::Name(name) => {
                let owner = self.scopes.owner(name, scope).unwrap_or(scope);
                self.scopes.set(owner, name, val);
            }
            _ => self.assign(target, val, scope),
        }
    }
}

/// The objects in a list that grows an unknown number of times: parameters for an optimizer.
fn bundle_of_objects(old: &AbstractValue, method: &str, args: &CallArguments) -> Option<ValueKind> {
    let (ValueKind::Items(items) | ValueKind::Bundle(items)) = &old.single()?.kind else { return None };
    let [added] = args.positional.as_slice() else { return None };
    let refers = |item: &AbstractValue| {
        item.alternatives
            .iter()
            .any(|alt| matches!(alt.kind, ValueKind::Object(_) | ValueKind::Method(..) | ValueKind::Bundle(_)))
    };
    let grows = matches!(method, "append" | "extend") && (refers(added) || items.iter().any(refers));
    grows.then(|| ValueKind::Bundle(Rc::new(items.iter().chain([added]).cloned().collect())))
}
