//! Lists that change.

use super::call_arguments::CallArguments;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind};
use std::rc::Rc;
use vramlint_base::FileRange;
use vramlint_syntax::python::{Expr, ExprKind};

/// Methods of a list that change it.
const CHANGING: &[&str] = &["append", "extend", "insert", "remove", "clear", "pop", "sort", "reverse"];

impl<'a> Interpreter<'a> {
    /// `names.append(name)`: the list under this name has one more item. In a loop it is not known how many.
    pub(super) fn grow_list(&mut self, callee: &'a Expr, args: &CallArguments, place: FileRange, scope: usize) {
        let ExprKind::Attribute(target, method, _) = &callee.kind else { return };
        if !CHANGING.contains(&method.as_str()) {
            return;
        }
        let old = self.without_reads(|this| this.eval(target, scope));
        if !old.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Items(_))) {
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
        let kind = grown.map_or(ValueKind::Unknown, |items| ValueKind::Items(Rc::new(items)));
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
