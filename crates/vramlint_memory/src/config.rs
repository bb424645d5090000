//! The `config.json` of a model, as data that the caller has read.

use std::collections::BTreeMap;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`.
    Null,
    /// A truth value.
    Bool(bool),
    /// A number. Every integer that a `config.json` holds is exact in it.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Config),
}

/// The keys of a `config.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    entries: BTreeMap<String, Value>,
}

impl Config {
    /// Sets a key.
    pub fn set(&mut self, key: impl Into<String>, value: Value) {
        self.entries.insert(key.into(), value);
    }

    /// The value of a key; `null` counts as absent.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key).filter(|value| **value != Value::Null)
    }

    /// Whether the key is written, be it as `null`.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// A count: a non-negative integer.
    pub fn count(&self, key: &str) -> Option<u64> {
        match self.get(key)? {
            #[allow(clippy::cast_sign_loss)] // not negative: just compared
            Value::Number(number) if *number >= 0.0 && number.fract() == 0.0 && *number < 9e15 => Some(*number as u64),
            _ => None,
        }
    }

    /// A number.
    pub fn number(&self, key: &str) -> Option<f64> {
        match self.get(key)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A truth value.
    pub fn flag(&self, key: &str) -> Option<bool> {
        match self.get(key)? {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// A text.
    pub fn text(&self, key: &str) -> Option<&str> {
        match self.get(key)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A list.
    pub fn list(&self, key: &str) -> Option<&[Value]> {
        match self.get(key)? {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// An object inside.
    pub fn object(&self, key: &str) -> Option<&Self> {
        match self.get(key)? {
            Value::Object(config) => Some(config),
            _ => None,
        }
    }

    /// The keys in alphabetical order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }
}
