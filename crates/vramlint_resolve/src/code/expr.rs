//! Expressions.

use super::builtin::is_builtin;
use super::conditions::conjoin;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::merge::{BranchValue, merge_branches};
use super::modules;
use super::selection::Selection;
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::python::{Expr, ExprKind};

impl<'a> Interpreter<'a> {
    pub(super) fn eval(&mut self, expr: &'a Expr, scope: usize) -> AbstractValue {
        if !self.budget.step() {
            return AbstractValue::unknown();
        }
        let val = self.nested(None, |this| Some(this.eval_kind(expr, scope)));
        val.unwrap_or_else(|| AbstractValue::located(ValueKind::Unknown, FileRange::new(self.scopes[scope].file, expr.range)))
    }

    fn eval_kind(&mut self, expr: &'a Expr, scope: usize) -> AbstractValue {
        let place = FileRange::new(self.scopes[scope].file, expr.range);
        match &expr.kind {
            ExprKind::Value(value) => AbstractValue::located(ValueKind::Scalar(value.clone()), place),
            ExprKind::Name(name) => {
                let val = self.scopes.lookup(name, scope).unwrap_or_else(|| self.unbound_name(name, scope, place));
                self.reads.log(&val);
                val
            }
            ExprKind::Attribute(base, name, _) => {
                let base = self.eval(base, scope);
                let val = self.attribute(&base, name, place);
                self.reads.log(&val);
                val
            }
            ExprKind::Subscript(base, index) => {
                if let Some(words) = self.words_of(expr, scope) {
                    return words;
                }
                let base = self.eval(base, scope);
                if let ExprKind::Slice(bounds) = &index.kind {
                    return self.slice(&base, bounds, place, scope);
                }
                let index = self.eval(index, scope);
                let val = self.subscript(&base, &index, place);
                self.reads.log(&val);
                val
            }
            ExprKind::Call(call) => self.call(call, expr.range, scope),
            ExprKind::Dict(entries) => self.dict(entries, place, scope),
            ExprKind::List(items) => {
                let items = items.iter().map(|item| self.eval(item, scope)).collect();
                AbstractValue::located(ValueKind::Items(Rc::new(items)), place)
            }
            ExprKind::Binary(left, op, right) => {
                let left = self.eval(left, scope);
                if *op == "and" && self.truth(&left) == Some(false) || *op == "or" && self.truth(&left) == Some(true) {
                    return left;
                }
                let right = self.eval(right, scope);
                self.binary(&left, op, &right, place)
            }
            ExprKind::Unary(op, inner) => {
                let inner = self.eval(inner, scope);
                self.unary(op, &inner, place)
            }
            ExprKind::Compare(left, op, right) => {
                let left = self.eval(left, scope);
                let right = self.eval(right, scope);
                if matches!(*op, "in" | "not in")
                    && let (Some(Value::Text(name)), Some(holder)) = (left.constant(), right.single())
                    && let Some(has) = self.has_member(holder, name)
                {
                    return AbstractValue::located(ValueKind::Scalar(Value::Bool(has == (*op == "in"))), place);
                }
                if matches!(*op, "in" | "not in")
                    && let Some(has) = contains(&right, &left)
                {
                    return AbstractValue::located(ValueKind::Scalar(Value::Bool(has == (*op == "in"))), place);
                }
                if let Some(selection) = Selection::compared(&left, op, &right) {
                    return AbstractValue::located(ValueKind::Selection(Rc::new(selection)), place);
                }
                compare(&left, op, &right, place)
            }
            ExprKind::Conditional { test, body, orelse } => self.conditional(test, body, orelse, place, scope),
            ExprKind::Walrus(target, value) => {
                let val = self.eval(value, scope);
                self.assign(target, val.clone(), scope);
                val
            }
            ExprKind::FString(inner) => {
                for inner in inner {
                    self.eval(inner, scope);
                }
                AbstractValue::located(ValueKind::Unknown, place)
            }
            ExprKind::Comprehension { parts, pairs } => self.comprehension(parts, *pairs, place, scope),
            ExprKind::Slice(bounds) => {
                bounds.iter().flatten().for_each(|bound| {
                    self.eval(bound, scope);
                });
                AbstractValue::located(ValueKind::Unknown, place)
            }
            ExprKind::Lambda(inner) | ExprKind::Other(inner) => {
                let items: Vec<AbstractValue> = inner.iter().map(|inner| self.eval(inner, scope)).collect();
                if items.iter().any(|item| item.objects().next().is_some()) {
                    AbstractValue::located(ValueKind::Bundle(Rc::new(items)), place)
                } else {
                    AbstractValue::located(ValueKind::Unknown, place)
                }
            }
        }
    }

    /// An unbound name: a builtin, or possibly one from `import *`.
    fn unbound_name(&self, name: &str, scope: usize, place: FileRange) -> AbstractValue {
        let mut root = scope;
        while let Some(parent) = self.scopes[root].parent {
            root = parent;
        }
        if name == "__name__" {
            let main = place.file == self.sources.entry;
            return AbstractValue::located(ValueKind::Scalar(Value::Text(if main { "__main__" } else { "" }.to_string())), place);
        }
        if name == "__file__" {
            let path = self.sources.file(place.file).map_or("", |file| file.path.as_str());
            return AbstractValue::located(ValueKind::Scalar(Value::Text(path.to_string())), place);
        }
        if is_builtin(name) {
            return AbstractValue::located(ValueKind::External(format!("builtins.{name}").into()), place);
        }
        match self.scopes[root].star_imports.as_slice() {
            [] => AbstractValue::located(ValueKind::Unknown, place),
            [module] => AbstractValue::located(ValueKind::External(format!("{module}.{name}").into()), place),
            _ => AbstractValue::located(ValueKind::External(format!("?.{name}").into()), place),
        }
    }

    fn conditional(&mut self, test: &'a Expr, body: &'a Expr, orelse: &'a Expr, place: FileRange, scope: usize) -> AbstractValue {
        let val = self.eval(test, scope);
        match self.truth(&val) {
            Some(true) => return self.eval(body, scope),
            Some(false) => return self.eval(orelse, scope),
            None => {}
        }
        let condition: Rc<str> =
            self.sources.text(FileRange::new(place.file, test.range)).split_whitespace().collect::<Vec<_>>().join(" ").into();
        let (first, second) = (self.eval(body, scope), self.eval(orelse, scope));
        // `x if x is not None else y`: y is the fallback if x is absent.
        if let ExprKind::Compare(left, op, _) = &test.kind
            && let (Some(asked), Some(shown)) = (left.dotted(), body.dotted())
            && *op == "is not"
            && asked == shown
        {
            return first.or_else(second);
        }
        let negated: Rc<str> = format!("not ({condition})").into();
        merge_branches(
            place,
            vec![
                BranchValue { condition: Some(condition), val: first, unchanged: false },
                BranchValue { condition: Some(negated), val: second, unchanged: false },
            ],
        )
    }

    pub(super) fn binary(&mut self, left: &AbstractValue, op: &str, right: &AbstractValue, place: FileRange) -> AbstractValue {
        match op {
            "and" | "or" if let (Some(a), Some(b)) = (Selection::of(left), Selection::of(right)) => {
                let (a, b) = (a.as_ref().clone(), b.as_ref().clone());
                let both = if op == "and" { a.and(b) } else { a.or(b) };
                return AbstractValue::located(ValueKind::Selection(Rc::new(both)), place);
            }
            // The other side is decided, and does not decide the whole.
            "and" | "or" if Selection::of(left).is_some() && self.truth(right) == Some(op == "and") => return left.clone(),
            "or" => return self.or_value(left, right),
            "and" => {
                return if self.truth(left) == Some(true) {
                    right.clone()
                } else {
                    AbstractValue::located(ValueKind::Unknown, place)
                };
            }
            // A loss divided by the number of micro-batches is still that loss.
            "/" | "*" | "+" | "-"
                if left.objects().chain(right.objects()).any(|id| matches!(self.heap[id].kind, ObjectKind::Output(_))) =>
            {
                let output = if left.objects().next().is_some() { left } else { right };
                return output.clone();
            }
            // The parameters of several models.
            "+" if is_of_objects(left) && is_of_objects(right) => {
                let both = vec![left.clone(), right.clone()];
                return AbstractValue::located(ValueKind::Bundle(Rc::new(both)), place);
            }
            "|" if left.objects().next().is_some() => {
                let copy = self.copy_dict(left);
                self.update_dict(&copy, right);
                return copy;
            }
            _ => {}
        }
        let mut alternatives = Vec::new();
        for a in &left.alternatives {
            for b in &right.alternatives {
                let known = match (a.scalar(), b.scalar()) {
                    (Some(x), Some(y)) => arithmetic(x, op, y),
                    _ => None,
                };
                // The command line may set another value, so the result is unknown.
                let may_be_overridden = a.source.is_set_outside() || b.source.is_set_outside();
                let is_path = op == "/" && matches!(known, Some(Value::Text(_)));
                let kind = match known {
                    Some(value) if !may_be_overridden || is_path => ValueKind::Scalar(value),
                    _ => ValueKind::Unknown,
                };
                let option = if is_path { b.source.option.clone().or_else(|| a.source.option.clone()) } else { None };
                let source = ValueSource {
                    place: Some(place),
                    may_be_overridden: a.source.may_be_overridden || b.source.may_be_overridden,
                    option,
                    ..ValueSource::default()
                };
                let condition = conjoin(a.condition.as_ref(), b.condition.as_ref());
                alternatives.push(Alternative { kind, source: Rc::new(source), condition, fallback: a.fallback || b.fallback });
            }
        }
        AbstractValue::from_alternatives(alternatives)
    }

    /// `a or b`.
    fn or_value(&mut self, left: &AbstractValue, right: &AbstractValue) -> AbstractValue {
        match self.truth(left) {
            Some(true) => left.clone(),
            Some(false) => right.clone(),
            None => left.clone().or_else(right.clone()),
        }
    }

    fn unary(&mut self, op: &str, inner: &AbstractValue, place: FileRange) -> AbstractValue {
        if op == "not" {
            if let Some(selection) = Selection::of(inner) {
                let not = selection.as_ref().clone().negated();
                return AbstractValue::located(ValueKind::Selection(Rc::new(not)), place);
            }
            let may_be_overridden = inner.alternatives.iter().any(|alt| alt.source.may_be_overridden);
            return match self.truth(inner) {
                Some(truth) => AbstractValue::new(
                    ValueKind::Scalar(Value::Bool(!truth)),
                    ValueSource { place: Some(place), may_be_overridden, ..ValueSource::default() },
                ),
                None => AbstractValue::located(ValueKind::Unknown, place),
            };
        }
        let number = inner.single().and_then(|alt| match (op, alt.scalar()?) {
            ("-", Value::Int(n)) => n.checked_neg().map(Value::Int),
            ("-", Value::Float(x)) => Some(Value::Float(-x)),
            ("+", value @ (Value::Int(_) | Value::Float(_))) => Some(value.clone()),
            _ => None,
        });
        match (number, inner.single()) {
            (Some(value), Some(alt)) if alt.source.option.is_none() => AbstractValue::new(
                ValueKind::Scalar(value),
                ValueSource { place: Some(place), may_be_overridden: alt.source.may_be_overridden, ..ValueSource::default() },
            ),
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }
}

/// Whether a value is an object, a part of one, or several of them.
fn is_of_objects(val: &AbstractValue) -> bool {
    let refers = |alt: &Alternative| match &alt.kind {
        ValueKind::Object(_) | ValueKind::Method(..) => true,
        ValueKind::Bundle(items) => items.iter().any(is_of_objects),
        _ => false,
    };
    val.alternatives.iter().all(refers)
}

/// The result of an operator on two scalars. `/` on strings joins paths, as `pathlib` does.
#[allow(clippy::cast_precision_loss)] // Python's own division does the same
fn arithmetic(left: &Value, op: &str, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => match op {
            "+" => a.checked_add(*b).map(Value::Int),
            "-" => a.checked_sub(*b).map(Value::Int),
            "*" => a.checked_mul(*b).map(Value::Int),
            "//" if *b > 0 => Some(Value::Int(a.div_euclid(*b))),
            "%" if *b > 0 => Some(Value::Int(a.rem_euclid(*b))),
            "/" if *b != 0 => Some(Value::Float(*a as f64 / *b as f64)),
            "**" => u32::try_from(*b).ok().and_then(|b| a.checked_pow(b)).map(Value::Int),
            "<<" if (0..=62).contains(b) => a.checked_mul(1 << b).map(Value::Int),
            _ => None,
        },
        (Value::Text(a), Value::Text(b)) => match op {
            "+" => Some(Value::Text(format!("{a}{b}"))),
            "/" if b.starts_with('/') => Some(Value::Text(b.clone())),
            "/" => Some(Value::Text(modules::join_path(a, b))),
            _ => None,
        },
        _ => {
            let (a, b) = (left.as_float()?, right.as_float()?);
            let result = match op {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "/" if b != 0.0 => a / b,
                "**" => a.powf(b),
                _ => return None,
            };
            result.is_finite().then_some(Value::Float(result))
        }
    }
}

fn compare(left: &AbstractValue, op: &str, right: &AbstractValue, place: FileRange) -> AbstractValue {
    let (Some(a), Some(b)) = (left.single(), right.single()) else { return AbstractValue::located(ValueKind::Unknown, place) };
    let may_be_overridden =
        a.source.may_be_overridden || b.source.may_be_overridden || a.condition.is_some() || b.condition.is_some();
    let known = match (&a.kind, op, &b.kind) {
        (ValueKind::Scalar(x), "==" | "is", ValueKind::Scalar(y)) => Some(same_scalar(x, y)),
        (ValueKind::Scalar(x), "!=" | "is not", ValueKind::Scalar(y)) => Some(!same_scalar(x, y)),
        (ValueKind::Scalar(x), "<" | "<=" | ">" | ">=", ValueKind::Scalar(y)) => match (x.as_float(), y.as_float()) {
            (Some(x), Some(y)) => Some(match op {
                "<" => x < y,
                "<=" => x <= y,
                ">" => x > y,
                _ => x >= y,
            }),
            _ => None,
        },
        (ValueKind::Scalar(Value::Text(x)), "in" | "not in", ValueKind::Scalar(Value::Text(y))) => {
            Some(y.contains(x.as_str()) == (op == "in"))
        }
        (ValueKind::Scalar(x), "in" | "not in", ValueKind::Items(items)) => {
            let known: Option<Vec<&Value>> = items.iter().map(AbstractValue::constant).collect();
            known.map(|items| items.iter().any(|item| same_scalar(item, x)) == (op == "in"))
        }
        (
            ValueKind::Object(_) | ValueKind::Items(_) | ValueKind::Class(_) | ValueKind::Function { .. },
            "is" | "==",
            ValueKind::Scalar(Value::Null),
        ) => Some(false),
        (
            ValueKind::Object(_) | ValueKind::Items(_) | ValueKind::Class(_) | ValueKind::Function { .. },
            "is not" | "!=",
            ValueKind::Scalar(Value::Null),
        ) => Some(true),
        (_, "is" | "==", ValueKind::External(path)) if is_no_gpu(path) => Some(false),
        (_, "is not" | "!=", ValueKind::External(path)) if is_no_gpu(path) => Some(true),
        (ValueKind::External(path), "is" | "==", ValueKind::Scalar(Value::Null)) if is_variable(path) || is_dtype(path) => {
            Some(false)
        }
        (ValueKind::External(path), "is not" | "!=", ValueKind::Scalar(Value::Null)) if is_variable(path) || is_dtype(path) => {
            Some(true)
        }
        (ValueKind::External(path), _, ValueKind::Scalar(number)) if is_variable(path) => rank_compared(op, number),
        (ValueKind::Range(first, end), _, ValueKind::Scalar(number)) => range_compared(*first, *end, op, number),
        _ => None,
    };
    match known {
        Some(truth) => AbstractValue::new(
            ValueKind::Scalar(Value::Bool(truth)),
            ValueSource { place: Some(place), may_be_overridden, ..ValueSource::default() },
        ),
        None => AbstractValue::located(ValueKind::Unknown, place),
    }
}

/// Whether a name of accelerate stands for processes that train on no GPU (accelerate 1.15.0 utils/dataclasses.py `DistributedType`).
fn is_no_gpu(path: &str) -> bool {
    let kind = path.strip_prefix("accelerate.").and_then(|path| path.rsplit_once("DistributedType.")).map(|(_, kind)| kind);
    matches!(kind, Some("XLA" | "TPU" | "MULTI_CPU"))
}

/// Whether a name of torch is a type of numbers.
fn is_dtype(path: &str) -> bool {
    path.starts_with("torch.") && vramlint_catalog::dialect::dtype(path).is_some()
}

/// Whether a list of constants has a constant.
fn contains(list: &AbstractValue, item: &AbstractValue) -> Option<bool> {
    let ValueKind::Items(items) = &list.single()?.kind else { return None };
    let item = item.constant()?;
    let items = items.iter().map(AbstractValue::constant).collect::<Option<Vec<_>>>()?;
    Some(items.into_iter().any(|known| same_scalar(known, item)))
}

/// What holds of every number of a range.
fn range_compared(first: i64, end: i64, op: &str, number: &Value) -> Option<bool> {
    let number = number.as_int()?;
    let (below, above) = (number < first, number >= end);
    match op {
        "==" if below || above => Some(false),
        "!=" if below || above => Some(true),
        ">" | ">=" if below => Some(true),
        ">" | ">=" if above => Some(false),
        "<" | "<=" if below => Some(false),
        "<" | "<=" if above => Some(true),
        _ => None,
    }
}

/// What holds of every rank, which is 0 or more.
fn rank_compared(op: &str, number: &Value) -> Option<bool> {
    let number = number.as_float()?;
    match op {
        "!=" | ">" if number < 0.0 => Some(true),
        "==" | "<=" if number < 0.0 => Some(false),
        ">=" if number <= 0.0 => Some(true),
        "<" if number <= 0.0 => Some(false),
        _ => None,
    }
}

/// Whether an external name is that of an environment variable that is set.
pub(super) fn is_variable(path: &str) -> bool {
    path.starts_with("os.environ.")
}

fn same_scalar(a: &Value, b: &Value) -> bool {
    match (a.as_float(), b.as_float()) {
        (Some(a), Some(b)) => a.total_cmp(&b).is_eq(),
        _ => a == b,
    }
}
