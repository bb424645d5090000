//! What each loader makes of a scalar.
//!
//! The tree keeps text and quoting; this module gives them a type. Every row was compared with the real libraries by
//! `tests/pyyaml/run.sh` (PyYAML 6.0.3, OmegaConf 2.4.0, ruamel.yaml 0.19.1).

mod compose;
mod meaning;
mod pattern;

pub use compose::value;
pub(super) use compose::{Hashed, is_merge_key};
pub use meaning::{looks_like_number, pyyaml_float_spelling};

use crate::data::{Loader, Scalar, Style};
use pattern::{Implicit, boolean, implicit, timestamp_parts};
use vramlint_base::number::{python_int, yaml_float, yaml_int};
use vramlint_base::{Message, Value, message};

/// The value that `loader` gives to a scalar with this tag. Where the loader would raise ([`refusal`]), the text.
pub fn resolve(scalar: &Scalar, tag: Option<&str>, loader: Loader) -> Value {
    if loader == Loader::Json {
        return json(scalar);
    }
    let text = scalar.text.as_str();
    let value = match Tag::of(tag) {
        Tag::None if scalar.style != Style::Plain => None,
        Tag::None => construct(implicit(text, loader), text, loader, false),
        // Python's `$` also matches before a line break at the end.
        Tag::NonSpecific => construct(implicit(text.strip_suffix('\n').unwrap_or(text), loader), text, loader, false),
        Tag::Core(name) => core(name).and_then(|kind| construct(kind, text, loader, true)),
        Tag::Other => None,
    };
    value.unwrap_or_else(|| Value::Text(scalar.text.clone()))
}

/// Why PyYAML's `SafeLoader` raises on this scalar, if it does. `as_key`: it is the key of a mapping, where `<<` and `=` have
/// their meaning. Source: PyYAML 6.0.3 `constructor.py`.
pub fn refusal(scalar: &Scalar, tag: Option<&str>, as_key: bool) -> Option<Message> {
    let text = scalar.text.as_str();
    let (kind, explicit) = match Tag::of(tag) {
        Tag::None if scalar.style != Style::Plain => return None,
        Tag::None => (implicit(text, Loader::PyYaml), false),
        Tag::NonSpecific => (implicit(text.strip_suffix('\n').unwrap_or(text), Loader::PyYaml), false),
        Tag::Core("str") => return None,
        Tag::Core("binary") => return binary_refusal(text),
        Tag::Core("merge" | "value") if as_key => return None,
        Tag::Core(name) => match core(name) {
            Some(kind) => (kind, true),
            None => return Some(unknown_tag(tag.unwrap_or_default())),
        },
        Tag::Other => return Some(unknown_tag(tag.unwrap_or_default())),
    };
    match kind {
        Implicit::Merge | Implicit::DefaultValue if !as_key => Some(message!(
            "PyYAML cannot load an unquoted `{text}` as a value; quote it",
            "PyYAML 无法把未加引号的 `{text}` 读作值；请加引号"
        )),
        Implicit::Merge | Implicit::DefaultValue | Implicit::Text | Implicit::Null => None,
        _ if construct(kind, text, Loader::PyYaml, explicit).is_some() => None,
        Implicit::Timestamp => Some(message!(
            "PyYAML parses `{text}` as a date, but it is not a valid date; quote it if it is a string",
            "PyYAML 把 `{text}` 解析为日期，但该日期无效；若是字符串请加引号"
        )),
        _ => Some(message!("PyYAML cannot convert `{text}` to a number or boolean", "PyYAML 无法把 `{text}` 转换为数字或布尔值")),
    }
}

pub(super) fn unknown_tag(tag: &str) -> Message {
    message!("`yaml.safe_load` does not support the tag `{tag}`", "`yaml.safe_load` 不支持标签 `{tag}`")
}

fn binary_refusal(text: &str) -> Option<Message> {
    (!text.is_ascii()).then(|| message!("`!!binary` accepts only base64", "`!!binary` 只接受 base64"))
}

/// A tag as far as loaders distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag<'a> {
    /// None written.
    None,
    /// `!` alone: typed as if plain.
    NonSpecific,
    /// `!!name`, or the same in full.
    Core(&'a str),
    /// One of the writer's own.
    Other,
}

impl<'a> Tag<'a> {
    pub(super) fn of(tag: Option<&'a str>) -> Self {
        let Some(tag) = tag else { return Self::None };
        if matches!(tag, "!" | "!<!>") {
            return Self::NonSpecific;
        }
        let full = tag.strip_prefix("!<").and_then(|t| t.strip_suffix('>')).unwrap_or(tag);
        full.strip_prefix("tag:yaml.org,2002:").or_else(|| tag.strip_prefix("!!")).map_or(Self::Other, Self::Core)
    }
}

/// What an explicit tag makes of a scalar; `None` for tags that no scalar can have.
fn core(name: &str) -> Option<Implicit> {
    Some(match name {
        "null" => Implicit::Null,
        "bool" => Implicit::Bool,
        "int" => Implicit::Int,
        "float" => Implicit::Float,
        "timestamp" => Implicit::Timestamp,
        "str" | "binary" => Implicit::Text,
        _ => return None,
    })
}

/// The value; `None` where the library raises. `explicit`: a written tag asks for the type, so that the text need not fit the
/// pattern.
fn construct(kind: Implicit, text: &str, loader: Loader, explicit: bool) -> Option<Value> {
    let yaml_11 = loader != Loader::Yaml12;
    match kind {
        Implicit::Null => Some(Value::Null),
        Implicit::Bool if explicit => match text.to_lowercase().as_str() {
            "yes" | "true" | "on" => Some(Value::Bool(true)),
            "no" | "false" | "off" => Some(Value::Bool(false)),
            _ => None,
        },
        Implicit::Bool => boolean(text.trim_end_matches('\n'), loader).map(Value::Bool),
        Implicit::Int => yaml_int(text, yaml_11),
        Implicit::Float => yaml_float(text, yaml_11).map(Value::Float),
        Implicit::Timestamp => timestamp_exists(text).then(|| Value::Timestamp(text.to_string())),
        Implicit::Merge | Implicit::DefaultValue | Implicit::Text => Some(Value::Text(text.to_string())),
    }
}

/// Whether Python's `datetime` takes it: a day of the calendar, a time of the day, a zone within a day of UTC.
fn timestamp_exists(text: &str) -> bool {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let Some(t) = timestamp_parts(text.as_bytes(), true) else { return false };
    let leap = t.year % 4 == 0 && (t.year % 100 != 0 || t.year % 400 == 0);
    let days = match t.month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    t.year > 0 && (1..=days).contains(&t.day) && t.hour < 24 && t.minute < 60 && t.second < 60 && t.zone < 24 * 60
}

/// The literals of JSON, and the three that Python's `json` takes besides (`NaN`, `Infinity`, `-Infinity`). Else text.
fn json(scalar: &Scalar) -> Value {
    let text = scalar.text.as_str();
    let value = match text {
        _ if scalar.style != Style::Plain => None,
        "null" => Some(Value::Null),
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "NaN" => Some(Value::Float(f64::NAN)),
        "Infinity" => Some(Value::Float(f64::INFINITY)),
        "-Infinity" => Some(Value::Float(f64::NEG_INFINITY)),
        _ => json_number(text),
    };
    value.unwrap_or_else(|| Value::Text(scalar.text.clone()))
}

fn json_number(text: &str) -> Option<Value> {
    let unsigned = text.strip_prefix('-').unwrap_or(text).as_bytes();
    let digits = |from: &[u8]| from.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(unsigned);
    if whole == 0 || whole > 1 && unsigned[0] == b'0' {
        return None;
    }
    let mut rest = &unsigned[whole..];
    if rest.is_empty() {
        return python_int(text, 10);
    }
    if let Some(fraction) = rest.strip_prefix(b".") {
        let length = digits(fraction);
        rest = &fraction[length..];
        if length == 0 {
            return None;
        }
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        let exponent = exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
        if exponent.is_empty() || digits(exponent) != exponent.len() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    text.parse().ok().map(Value::Float)
}

#[cfg(test)]
mod tests;
