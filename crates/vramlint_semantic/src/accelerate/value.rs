//! A value that a launch sets, and where it is set.

use vramlint_base::value_readers::str_to_bool;
use vramlint_base::{FileRange, Value};

/// A value that a flag or a file sets.
#[derive(Clone, Debug)]
pub struct LaunchValue {
    /// As its reader gets it: of a flag text, or true for a switch.
    pub value: Value,
    /// Where the value is written; the flag itself for a switch.
    pub place: FileRange,
    /// The key in the file; `None` for a flag.
    pub key: Option<FileRange>,
}

impl LaunchValue {
    /// Whether a flag gives it.
    pub fn by_flag(&self) -> bool {
        self.key.is_none()
    }

    /// From the key to the end of the value; the flag's value, where a flag gives it.
    pub fn entry(&self) -> FileRange {
        self.key.map_or(self.place, |key| FileRange::new(key.file, key.range.cover(self.place.range)))
    }

    /// The integer: argparse turns the text of a flag into one.
    pub fn as_int(&self) -> Option<i64> {
        match &self.value {
            Value::Int(number) => Some(*number),
            Value::Text(text) if self.by_flag() => text.trim().parse().ok(),
            _ => None,
        }
    }

    /// The text.
    pub fn text(&self) -> Option<&str> {
        self.value.as_str()
    }

    /// The boolean that accelerate's `str_to_bool` makes of it in the environment (utils/environment.py:57), which takes
    /// text and booleans alike.
    pub fn as_bool(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(value) => Some(*value),
            Value::Int(1) => Some(true),
            Value::Int(0) => Some(false),
            Value::Text(text) => str_to_bool(text),
            _ => None,
        }
    }
}
