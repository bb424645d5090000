//! A value that a launch gets, and who gives it.

use vramlint_base::{FileRange, Value};

/// What a launch says of one of its settings.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Nobody gives it.
    Nothing,
    /// Somebody gives it, or may give it, and the value is not known.
    Unknown,
    /// This.
    Is(Given),
}

/// A value that is given.
#[derive(Clone, Debug)]
pub struct Given {
    /// As its reader gets it: of a flag text, or true for a switch.
    pub value: Value,
    /// Where the value is written; the flag itself for a switch.
    pub place: FileRange,
    /// The key in the file; `None` for a flag.
    pub key: Option<FileRange>,
}

impl Answer {
    /// The value, where known.
    pub fn known(self) -> Option<Given> {
        if let Self::Is(given) = self { Some(given) } else { None }
    }
}

impl Given {
    /// Whether a flag gives it.
    pub fn by_flag(&self) -> bool {
        self.key.is_none()
    }

    /// From the key to the end of the value; the flag's value, where a flag gives it.
    pub fn whole(&self) -> FileRange {
        self.key.map_or(self.place, |key| FileRange::new(key.file, key.range.cover(self.place.range)))
    }

    /// The whole number: argparse turns the text of a flag into one.
    pub fn int(&self) -> Option<i64> {
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

    /// The truth value that accelerate's `str_to_bool` makes of it behind the environment (utils/environment.py:57), which takes
    /// text and truth values alike.
    pub fn truth(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(value) => Some(*value),
            Value::Int(1) => Some(true),
            Value::Int(0) => Some(false),
            Value::Text(text) => truth(text),
            _ => None,
        }
    }
}

/// `str_to_bool`: any case of `y`, `yes`, `t`, `true`, `on`, `1` and their opposites.
pub fn truth(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "t" | "true" | "on" | "1" => Some(true),
        "n" | "no" | "f" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}
