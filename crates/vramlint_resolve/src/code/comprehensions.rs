//! Comprehensions: over what is known, item by item.

use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, Alternative, ValueKind};
use std::rc::Rc;
use vramlint_base::FileRange;
use vramlint_syntax::python::Expr;

/// Maximum number of items that are visited.
const MAX_ITEMS: usize = 400;

impl<'a> Interpreter<'a> {
    /// `[item for target in iter if condition]` and its kin; see `ExprKind::Comprehension` for `parts`.
    pub(super) fn comprehension(&mut self, parts: &'a [Expr], pairs: bool, place: FileRange, scope: usize) -> AbstractValue {
        let (elements, rest) = parts.split_at(if pairs { 2 } else { 1 });
        let [target, iter, conditions @ ..] = rest else { return AbstractValue::located(ValueKind::Unknown, place) };
        let over = self.eval(iter, scope);
        let inner = self.scopes.open(Some(scope), self.scopes[scope].file);
        match over.single().map(|alt| alt.kind.clone()) {
            Some(ValueKind::Items(items)) if items.len() <= MAX_ITEMS => {
                if pairs {
                    self.dict_of(elements, (target, conditions), &items, place, inner)
                } else {
                    self.list_of(&elements[0], (target, conditions), &items, place, inner)
                }
            }
            _ => {
                let item = self.visited_part(iter, &over, inner).unwrap_or_else(AbstractValue::unknown);
                self.assign(target, item, inner);
                let mut items = vec![over];
                items.extend(elements.iter().map(|part| self.eval(part, inner)).collect::<Vec<_>>());
                for condition in conditions {
                    self.eval(condition, inner);
                }
                if pairs {
                    let dict = self.new_object(ObjectKind::Dict { entries: Vec::new(), open: true });
                    return AbstractValue::located(ValueKind::Object(dict), place);
                }
                let has_object = items.iter().any(|item| item.objects().next().is_some());
                let kind = if has_object { ValueKind::Bundle(Rc::new(items)) } else { ValueKind::Unknown };
                AbstractValue::located(kind, place)
            }
        }
    }

    /// Whether an item is taken; `None` if that is not decided.
    fn takes(&mut self, conditions: &'a [Expr], scope: usize) -> Option<bool> {
        let mut takes = Some(true);
        for condition in conditions {
            let val = self.eval(condition, scope);
            match self.heap.truth(&val) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => takes = None,
            }
        }
        takes
    }

    fn list_of(
        &mut self,
        element: &'a Expr,
        (target, conditions): (&'a Expr, &'a [Expr]),
        items: &[AbstractValue],
        place: FileRange,
        scope: usize,
    ) -> AbstractValue {
        let (mut found, mut certain) = (Vec::new(), true);
        for item in items {
            self.assign(target, item.clone(), scope);
            let takes = self.takes(conditions, scope);
            if takes != Some(false) {
                found.push(self.eval(element, scope));
                certain &= takes.is_some();
            }
        }
        let has_object = found.iter().any(|item| item.objects().next().is_some());
        let kind = match (certain, has_object) {
            (true, _) => ValueKind::Items(Rc::new(found)),
            (false, true) => ValueKind::Bundle(Rc::new(found)),
            (false, false) => ValueKind::Unknown,
        };
        AbstractValue::located(kind, place)
    }

    fn dict_of(
        &mut self,
        elements: &'a [Expr],
        (target, conditions): (&'a Expr, &'a [Expr]),
        items: &[AbstractValue],
        place: FileRange,
        scope: usize,
    ) -> AbstractValue {
        let id = self.new_object(ObjectKind::Dict { entries: Vec::new(), open: false });
        for item in items {
            self.assign(target, item.clone(), scope);
            let takes = self.takes(conditions, scope);
            if takes == Some(false) {
                continue;
            }
            let key = self.eval(&elements[0], scope);
            let val = self.eval(&elements[1], scope);
            match key.single().and_then(Alternative::scalar).cloned() {
                Some(key) => self.set_entry(id, key, val, takes.is_some()),
                None => self.heap.open_dict(id),
            }
        }
        AbstractValue::located(ValueKind::Object(id), place)
    }
}
