//! The few calls whose result follows from their arguments.

use super::numbers::{Number, float_of_text, int_of_text, python_repr, truncated};
use super::{EnvironmentDefault, Folder, bounded, operators, set};
use crate::python::{ArgumentKind, Call, ExprKind};
use std::cmp::Ordering;
use vramlint_base::Value;
use vramlint_base::value_readers::python_truth;

/// Functions of one or more plain arguments.
const BUILTINS: [&str; 12] =
    ["int", "float", "str", "bool", "min", "max", "len", "abs", "list", "tuple", "math.ceil", "math.floor"];

impl Folder<'_> {
    pub(super) fn call(&mut self, call: &Call) -> Option<Value> {
        let callee = call.callee.dotted()?;
        match callee.as_str() {
            "os.environ.get" | "environ.get" | "os.getenv" | "getenv" | "os.environ.setdefault" => {
                return self.environment(call);
            }
            "dict" => return self.dict_call(call),
            _ => {}
        }
        if !call.args.iter().all(|arg| arg.kind == ArgumentKind::Positional) {
            return None;
        }
        if !BUILTINS.contains(&callee.as_str()) {
            return self.get(call);
        }
        let arguments = call.args.iter().map(|arg| self.eval(&arg.value)).collect::<Option<Vec<_>>>()?;
        match (callee.as_str(), &arguments[..]) {
            ("min", values) => extreme(values, Ordering::Less),
            ("max", values) => extreme(values, Ordering::Greater),
            (name, [value]) => convert(name, value),
            _ => None,
        }
    }

    /// `os.environ.get(NAME, default)`: the default, noted as assumed.
    fn environment(&mut self, call: &Call) -> Option<Value> {
        if call.has_unpacking() {
            return None;
        }
        let Value::Text(name) = self.eval(&call.argument("key", 0)?.value)? else { return None };
        let default = match call.argument("default", 1) {
            Some(argument) => self.eval(&argument.value)?,
            None => Value::Null,
        };
        self.assume(EnvironmentDefault { name, default: default.clone() });
        Some(default)
    }

    /// `dict(a=1, **more)`.
    fn dict_call(&mut self, call: &Call) -> Option<Value> {
        let mut entries = Vec::new();
        for argument in &call.args {
            let value = self.eval(&argument.value)?;
            match (&argument.kind, value) {
                (ArgumentKind::Keyword(name, _), value) => set(&mut entries, Value::Text(name.clone()), value)?,
                (ArgumentKind::DoubleStar | ArgumentKind::Positional, Value::Map(more)) => {
                    for (key, value) in more {
                        set(&mut entries, key, value)?;
                    }
                }
                _ => return None,
            }
        }
        bounded(Value::Map(entries))
    }

    /// `mapping.get(key, default)` of a known mapping.
    fn get(&mut self, call: &Call) -> Option<Value> {
        let ExprKind::Attribute(base, method, _) = &call.callee.kind else { return None };
        if method != "get" {
            return None;
        }
        let Value::Map(entries) = self.eval(base)? else { return None };
        let key = self.eval(&call.positional(0)?.value)?;
        match operators::find(&entries, &key)? {
            Some(place) => entries.into_iter().nth(place).map(|(_, value)| value),
            None => match call.positional(1) {
                Some(default) => self.eval(&default.value),
                None => Some(Value::Null),
            },
        }
    }
}

/// A conversion or measure of one value.
fn convert(name: &str, value: &Value) -> Option<Value> {
    match (name, value) {
        ("bool", value) => Some(Value::Bool(python_truth(value))),
        ("int", Value::Text(text)) => int_of_text(text).map(Value::Int),
        ("int", Value::Float(float)) => truncated(*float).map(Value::Int),
        ("int", value) => match Number::of(value)? {
            Number::Int(int) => Some(Value::Int(int)),
            Number::Float(_) => None,
        },
        ("float", Value::Text(text)) => float_of_text(text).map(Value::Float),
        ("float", value) => Number::of(value)?.float().map(Value::Float),
        ("str", value) => text_of(value).map(Value::Text),
        ("len", Value::Text(text)) => length(text.chars().count()),
        ("len", Value::List(items)) => length(items.len()),
        ("len", Value::Map(entries)) => length(entries.len()),
        ("list" | "tuple", Value::List(items)) => Some(Value::List(items.clone())),
        ("abs", value) => match Number::of(value)? {
            Number::Int(int) => int.checked_abs().map(Value::Int),
            Number::Float(float) => Some(Value::Float(float.abs())),
        },
        ("math.ceil" | "math.floor", value) => match Number::of(value)? {
            Number::Int(int) => Some(Value::Int(int)),
            Number::Float(float) => truncated(if name == "math.ceil" { float.ceil() } else { float.floor() }).map(Value::Int),
        },
        _ => None,
    }
}

/// `str(value)` of a scalar.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Float(float) => Some(python_repr(*float)),
        Value::Text(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::BigInt(_) => Some(value.to_string()),
        Value::Timestamp(_) | Value::List(_) | Value::Map(_) => None,
    }
}

fn length(count: usize) -> Option<Value> {
    i64::try_from(count).ok().map(Value::Int)
}

/// `min` or `max`, of the arguments or of one list; the first of equals, as in Python.
fn extreme(values: &[Value], wanted: Ordering) -> Option<Value> {
    let values = match values {
        [Value::List(items)] => &items[..],
        [_] => return None,
        values => values,
    };
    let (first, rest) = values.split_first()?;
    // A lone item is compared with itself, so that one without an order stays unknown.
    operators::order(first, first)?;
    let mut best = first;
    for value in rest {
        if operators::order(value, best)? == wanted {
            best = value;
        }
    }
    Some(best.clone())
}
