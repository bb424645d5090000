//! One value against what is wanted.

use crate::schema::violation::{Bound, Violation};
use vramlint_base::value_readers::{argparse_number, pydantic_bool};
use vramlint_base::{Value, is_templated};
use vramlint_catalog::keys::{self, Key, KeyType};
use vramlint_syntax::data::{Loader, NodeKind, NodeRef};
use vramlint_syntax::yaml::scalar;

/// What a key or a field may hold.
#[derive(Clone, Copy, Debug)]
pub struct Constraint<'a> {
    /// The type.
    pub kind: KeyType,
    /// The values, where they are a set; of a list, those of its items.
    pub values: &'a [String],
    /// Whether the case of the letters in the values does not matter.
    pub case_insensitive: bool,
    /// Whether null means the same as leaving it out.
    pub nullable: bool,
    /// Least value, itself allowed.
    pub min: Option<f64>,
    /// Lower bound, itself rejected.
    pub above: Option<f64>,
    /// Greatest value, itself allowed.
    pub max: Option<f64>,
    /// Upper bound, itself rejected.
    pub below: Option<f64>,
}

impl<'a> Constraint<'a> {
    /// What a key of a table may hold.
    pub fn of(key: &'a Key) -> Self {
        let Key { kind, case_insensitive, nullable, min, above, max, below, .. } = *key;
        Self { kind, values: &key.values, case_insensitive, nullable, min, above, max, below }
    }
}

/// How the program that reads a value takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// As the loader gives it: text is not a number.
    Exact,
    /// As pydantic 2 does unless told to be strict: `"2"`, `2.0` and `true` are numbers, `"false"` and `0` booleans. Run with
    /// DeepSpeed 0.19.8; pydantic 2.13 `docs/concepts/conversion_table.md`.
    Pydantic,
    /// As words of a command line: the text is what counts.
    Words,
}

/// What is wrong with a value; `None` where nothing is, or where it is not for this place to say (`auto`).
pub fn check_value(constraint: &Constraint<'_>, value: &Value, strictness: Strictness) -> Option<Violation> {
    if value.as_str().is_some_and(|text| text == "auto" || is_templated(text)) {
        return None;
    }
    if *value == Value::Null {
        return (!constraint.nullable).then_some(Violation::Null);
    }
    if constraint.kind == KeyType::List {
        return list(constraint, value);
    }
    // A set of words is distinguished from a set of numbers by its type.
    if !constraint.values.is_empty() {
        return set(constraint, value, strictness);
    }
    if !fits(constraint.kind, value, strictness) {
        return Some(Violation::Type { wanted: constraint.kind, got: value.clone(), meant: meant(constraint.kind, value) });
    }
    let number = number_of(value, strictness)?;
    let outside = [
        constraint.min.filter(|min| number < *min).map(Bound::AtLeast),
        constraint.above.filter(|above| number <= *above).map(Bound::Above),
        constraint.max.filter(|max| number > *max).map(Bound::AtMost),
        constraint.below.filter(|below| number >= *below).map(Bound::Below),
    ];
    outside.into_iter().flatten().next().map(|bound| Violation::Range { bound })
}

/// What is wrong with the value of a key, as `loader` reads it.
pub fn check_node(key: &Key, node: NodeRef<'_>, loader: Loader, strictness: Strictness) -> Option<Violation> {
    if matches!(node.follow().raw().kind, NodeKind::Alias { .. }) || node.text().is_some_and(is_templated) {
        return None;
    }
    let value = node.value(loader)?;
    let problem = check_value(&Constraint::of(key), &value, strictness)?;
    // YAML 1.1 reads `no` as a boolean: the word was meant where the key takes words.
    let trap = value.as_bool().and(node.text()).filter(|_| key.kind == KeyType::Text);
    match (problem, trap) {
        (Violation::Type { wanted, got, .. }, Some(word)) => {
            let meant = key.values.iter().find(|known| known.eq_ignore_ascii_case(word)).cloned().map(Value::Text);
            Some(Violation::Type { wanted, got, meant })
        }
        (problem, _) => Some(problem),
    }
}

fn list(constraint: &Constraint<'_>, value: &Value) -> Option<Violation> {
    let Value::List(items) = value else {
        return Some(Violation::Type { wanted: KeyType::List, got: value.clone(), meant: None });
    };
    let known =
        |item: &Value| constraint.values.is_empty() || item.as_str().is_none_or(|text| same_word(constraint, text).is_some());
    let stranger = items.iter().find(|item| !known(item))?;
    let near = stranger.as_str().and_then(|text| keys::nearest(text, constraint.values.iter().map(String::as_str)));
    Some(Violation::Set {
        values: constraint.values.to_vec(),
        got: stranger.clone(),
        meant: near.map(|near| Value::Text(near.to_owned())),
    })
}

fn set(constraint: &Constraint<'_>, value: &Value, strictness: Strictness) -> Option<Violation> {
    let problem = |meant: Option<Value>| Violation::Set { values: constraint.values.to_vec(), got: value.clone(), meant };
    match (constraint.kind, value) {
        (KeyType::Int | KeyType::Float | KeyType::Bool, _) => {
            if !fits(constraint.kind, value, strictness) {
                return Some(Violation::Type {
                    wanted: constraint.kind,
                    got: value.clone(),
                    meant: meant(constraint.kind, value),
                });
            }
            let number = number_of(value, strictness)?;
            let known = constraint.values.iter().any(|known| known.parse() == Ok(number));
            (!known).then(|| problem(None))
        }
        (_, Value::Text(text)) => match same_word(constraint, text) {
            Some(known) if constraint.case_insensitive || known == text => None,
            Some(known) => Some(problem(Some(Value::Text(known.to_owned())))),
            None => {
                let near = keys::nearest(text, constraint.values.iter().map(String::as_str));
                Some(problem(near.map(|near| Value::Text(near.to_owned()))))
            }
        },
        // Several types, one of them with a set: only a text outside of it is certainly wrong.
        (KeyType::Any, _) => None,
        _ => Some(Violation::Type { wanted: constraint.kind, got: value.clone(), meant: None }),
    }
}

/// The known value that is this word, apart from the case of its letters.
fn same_word<'a>(constraint: &Constraint<'a>, text: &str) -> Option<&'a str> {
    let exact = constraint.values.iter().find(|known| *known == text);
    exact.or_else(|| constraint.values.iter().find(|known| known.eq_ignore_ascii_case(text))).map(String::as_str)
}

fn fits(kind: KeyType, value: &Value, strictness: Strictness) -> bool {
    let lax = strictness != Strictness::Exact;
    let word = value.as_str().filter(|_| lax);
    match kind {
        KeyType::Any => true,
        KeyType::Bool => matches!(value, Value::Bool(_)) || lax && pydantic_bool(value).is_some(),
        KeyType::Int => match value {
            Value::Int(_) | Value::BigInt(_) | Value::Bool(_) => true,
            Value::Float(number) => lax && number.fract() == 0.0,
            // `"5_000"` and `"2.0"` are integers to pydantic, `"5e8"` is none.
            _ => word.is_some_and(|word| match argparse_number(word.trim()) {
                Some(Value::Float(number)) => number.fract() == 0.0 && !word.contains(['e', 'E']),
                number => number.is_some(),
            }),
        },
        KeyType::Float => match value {
            Value::Int(_) | Value::BigInt(_) | Value::Float(_) | Value::Bool(_) => true,
            _ => word.is_some_and(|word| argparse_number(word.trim()).is_some()),
        },
        KeyType::Text => matches!(value, Value::Text(_)) || strictness == Strictness::Words,
        KeyType::List => matches!(value, Value::List(_)),
        KeyType::Map => matches!(value, Value::Map(_)),
    }
}

/// The number that a reader makes of it.
fn number_of(value: &Value, strictness: Strictness) -> Option<f64> {
    match value {
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::Text(text) if strictness != Strictness::Exact => number_in(text),
        _ => value.as_float(),
    }
}

fn number_in(text: &str) -> Option<f64> {
    scalar::looks_like_number(text.trim())
}

/// The value that was certainly meant: the number or boolean that a text holds.
#[allow(clippy::cast_possible_truncation)] // checked to be whole and small
fn meant(kind: KeyType, value: &Value) -> Option<Value> {
    let text = value.as_str()?.trim();
    match kind {
        KeyType::Bool => match text.to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        KeyType::Int => {
            let number = number_in(text).filter(|number| number.fract() == 0.0 && number.abs() < 1e15)?;
            Some(Value::Int(number as i64))
        }
        KeyType::Float => number_in(text).map(Value::Float),
        _ => None,
    }
}
