//! Values as a loader returns them.

use std::fmt;

/// A typed value, as the program that reads the file sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, `None`.
    Null,
    /// A boolean.
    Bool(bool),
    /// An integer that fits in 64 bits.
    Int(i64),
    /// A larger integer, in decimal digits.
    BigInt(String),
    /// A float.
    Float(f64),
    /// A string.
    Text(String),
    /// A YAML 1.1 date or time, as written; PyYAML creates an object that no supported library expects.
    Timestamp(String),
    /// A list, tuple or set.
    List(Vec<Value>),
    /// A mapping in file order. Keys are typed as well: YAML's `on:` is `true`.
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// The string, if the value is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The integer, if the value is one (a boolean is not).
    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(number) = self { Some(*number) } else { None }
    }

    /// The number as a float, if the value is a number.
    #[allow(clippy::cast_precision_loss)] // quantities here are far below 2^53
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Self::Int(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The boolean, if the value is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Self::Bool(value) = self { Some(*value) } else { None }
    }

    /// Python's name of the type, for messages: `int`, `str`, `NoneType`, …
    pub fn python_type(&self) -> &'static str {
        match self {
            Self::Null => "NoneType",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::BigInt(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::Timestamp(_) => "datetime",
            Self::List(_) => "list",
            Self::Map(_) => "dict",
        }
    }
}

/// Formats the value like Python's `repr`, so that messages distinguish strings from numbers.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("None"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Int(number) => write!(f, "{number}"),
            Self::BigInt(digits) => f.write_str(digits),
            Self::Float(number) if *number != 0.0 && (number.abs() < 1e-4 || number.abs() >= 1e16) => write!(f, "{number:e}"),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Timestamp(text) => f.write_str(text),
            Self::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Map(entries) => {
                f.write_str("{")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}
