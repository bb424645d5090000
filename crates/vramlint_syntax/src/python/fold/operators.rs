//! Operators on values.

use super::numbers::{Number, arithmetic};
use std::cmp::Ordering;
use vramlint_base::Value;
use vramlint_base::value_readers::python_truth;

pub(super) fn unary(op: &str, operand: &Value) -> Option<Value> {
    if op == "not" {
        return Some(Value::Bool(!python_truth(operand)));
    }
    match (op, Number::of(operand)?) {
        ("-", Number::Int(int)) => int.checked_neg().map(Value::Int),
        ("-", Number::Float(float)) => Some(Value::Float(-float)),
        ("+", Number::Int(int)) => Some(Value::Int(int)),
        ("+", Number::Float(float)) => Some(Value::Float(float)),
        ("~", Number::Int(int)) => Some(Value::Int(!int)),
        _ => None,
    }
}

/// `left op right` of arithmetic, text and lists.
pub(super) fn binary(left: Value, op: &str, right: Value) -> Option<Value> {
    match (left, op, right) {
        (Value::Text(left), "+", Value::Text(right)) => Some(Value::Text(left + &right)),
        (Value::List(mut left), "+", Value::List(right)) => {
            left.extend(right);
            Some(Value::List(left))
        }
        // `True & False` is a boolean, the rest of the arithmetic makes integers of them.
        (Value::Bool(left), "&", Value::Bool(right)) => Some(Value::Bool(left & right)),
        (Value::Bool(left), "|", Value::Bool(right)) => Some(Value::Bool(left | right)),
        (Value::Bool(left), "^", Value::Bool(right)) => Some(Value::Bool(left ^ right)),
        (Value::Map(mut left), "|", Value::Map(right)) => {
            for (key, value) in right {
                super::set(&mut left, key, value)?;
            }
            Some(Value::Map(left))
        }
        (left, op, right) => arithmetic(Number::of(&left)?, op, Number::of(&right)?),
    }
}

pub(super) fn compare(left: &Value, op: &str, right: &Value) -> Option<bool> {
    match op {
        "==" => equal(left, right),
        "!=" => equal(left, right).map(|same| !same),
        "is" => identical(left, right),
        "is not" => identical(left, right).map(|same| !same),
        "in" => contains(right, left),
        "not in" => contains(right, left).map(|found| !found),
        op => {
            let order = order(left, right)?;
            match op {
                "<" => Some(order == Ordering::Less),
                "<=" => Some(order != Ordering::Greater),
                ">" => Some(order == Ordering::Greater),
                ">=" => Some(order != Ordering::Less),
                _ => None,
            }
        }
    }
}

/// The order of two numbers or two texts.
pub(super) fn order(left: &Value, right: &Value) -> Option<Ordering> {
    if let (Value::Text(left), Value::Text(right)) = (left, right) {
        return Some(left.cmp(right));
    }
    match (Number::of(left)?, Number::of(right)?) {
        (Number::Int(left), Number::Int(right)) => Some(left.cmp(&right)),
        (left, right) => left.float()?.partial_cmp(&right.float()?),
    }
}

/// `==`; `None` where the tree cannot tell, as between a list and a tuple.
pub(super) fn equal(left: &Value, right: &Value) -> Option<bool> {
    match (left, right) {
        // Equal items may be those of a list and of a tuple, and sets have no order; only the length tells for sure, except of sets.
        (Value::List(left), Value::List(right)) => (left.is_empty() != right.is_empty()).then_some(false),
        (Value::Map(left), Value::Map(right)) if left.is_empty() && right.is_empty() => Some(true),
        (Value::Map(_), Value::Map(_)) => None,
        (Value::Null, Value::Null) => Some(true),
        (Value::Text(left), Value::Text(right)) | (Value::BigInt(left), Value::BigInt(right)) => Some(left == right),
        (left, right) => match (Number::of(left), Number::of(right)) {
            (Some(Number::Int(left)), Some(Number::Int(right))) => Some(left == right),
            #[allow(clippy::float_cmp)] // Python compares them exactly
            (Some(left), Some(right)) => Some(left.float()? == right.float()?),
            (Some(Number::Float(_)), None) | (None, Some(Number::Float(_)))
                if matches!(left, Value::BigInt(_)) || matches!(right, Value::BigInt(_)) =>
            {
                None
            }
            // Different types are never equal.
            _ => Some(false),
        },
    }
}

/// `is`, as far as it follows from the language: `None`, `True` and `False` exist once.
fn identical(left: &Value, right: &Value) -> Option<bool> {
    let single = |value: &Value| matches!(value, Value::Null | Value::Bool(_));
    (single(left) || single(right)).then(|| left == right)
}

fn contains(container: &Value, item: &Value) -> Option<bool> {
    match (container, item) {
        (Value::Text(text), Value::Text(part)) => Some(text.contains(part.as_str())),
        (Value::List(items), item) => {
            let mut unknown = false;
            for one in items {
                match equal(one, item) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => unknown = true,
                }
            }
            (!unknown).then_some(false)
        }
        (Value::Map(entries), item) => find(entries, item).map(|place| place.is_some()),
        _ => None,
    }
}

/// The place of a key in a mapping; `None` where it cannot be decided, `Some(None)` where it is not there.
#[allow(clippy::option_option)] // unknown, absent and present are three answers
pub(super) fn find(entries: &[(Value, Value)], key: &Value) -> Option<Option<usize>> {
    if matches!(key, Value::List(_) | Value::Map(_)) {
        return None; // a tuple may be a key, a list may not: the tree does not tell them apart
    }
    for (place, (one, _)) in entries.iter().enumerate() {
        if equal(one, key)? {
            return Some(Some(place));
        }
    }
    Some(None)
}
