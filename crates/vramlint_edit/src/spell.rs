//! Writes values in the syntax of each language; `None` if the language cannot express the value.

use vramlint_base::Value;
use vramlint_syntax::data::{DataFile, Loader, NodeKind, Scalar, Style};
use vramlint_syntax::yaml::scalar;

/// The value in JSON.
pub fn json(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::BigInt(digits) => digits.clone(),
        Value::Float(number) => number.is_finite().then(|| format!("{number:?}"))?,
        Value::Text(text) | Value::Timestamp(text) => double_quoted(text),
        Value::List(items) => bracketed("[", items.iter().map(json), "]")?,
        Value::Map(entries) => {
            let entry = |(key, value): &(Value, Value)| Some(format!("{}: {}", double_quoted(key.as_str()?), json(value)?));
            bracketed("{", entries.iter().map(entry), "}")?
        }
    })
}

/// The value in Python.
pub fn python(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::List(items) => bracketed("[", items.iter().map(python), "]")?,
        Value::Map(entries) => {
            let entry = |(key, value): &(Value, Value)| Some(format!("{}: {}", python(key)?, python(value)?));
            bracketed("{", entries.iter().map(entry), "}")?
        }
        _ => json(value)?,
    })
}

/// The value in YAML on one line; strings that need quotes get `quote`.
pub(super) fn yaml(value: &Value, quote: Style) -> Option<String> {
    Some(match value {
        Value::Float(number) => {
            let plain = number.is_finite().then(|| format!("{number:?}"))?;
            // PyYAML parses `1e-5` as a string.
            scalar::pyyaml_float_spelling(&plain).unwrap_or(plain)
        }
        Value::Text(text) if is_plain(text) => text.clone(),
        Value::Text(text) | Value::Timestamp(text) => quoted(text, quote),
        Value::List(items) => bracketed("[", items.iter().map(|item| yaml(item, quote)), "]")?,
        Value::Map(entries) => {
            let entry = |(key, value): &(Value, Value)| Some(format!("{}: {}", yaml(key, quote)?, yaml(value, quote)?));
            bracketed("{", entries.iter().map(entry), "}")?
        }
        _ => json(value)?,
    })
}

/// The string in quotes of this style.
pub(super) fn quoted(text: &str, style: Style) -> String {
    let control = text.chars().any(char::is_control);
    if style == Style::Double || control { double_quoted(text) } else { format!("'{}'", text.replace('\'', "''")) }
}

/// Whether every YAML loader reads the unquoted text as this string, in any context.
pub(super) fn is_plain(text: &str) -> bool {
    let safe = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let plain = Scalar { text: text.to_owned(), style: Style::Plain };
    let same = |loader| scalar::resolve(&plain, None, loader) == Value::Text(text.to_owned());
    text.chars().all(safe)
        && text.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '.'))
        && same(Loader::PyYaml)
        && same(Loader::Yaml12)
        && same(Loader::OmegaConf)
}

/// The quotes that a file uses most; single quotes if it has none.
pub(super) fn quotes_of(data: &DataFile) -> Style {
    let count = |style: Style| {
        let has_style = |kind: &NodeKind| matches!(kind, NodeKind::Scalar(scalar) if scalar.style == style);
        data.nodes.iter().filter(|node| has_style(&node.kind)).count()
    };
    if count(Style::Double) > count(Style::Single) { Style::Double } else { Style::Single }
}

fn bracketed(open: &str, parts: impl Iterator<Item = Option<String>>, close: &str) -> Option<String> {
    let parts: Vec<String> = parts.collect::<Option<_>>()?;
    Some(format!("{open}{}{close}", parts.join(", ")))
}

/// The string in double quotes, with the escapes that JSON, YAML and Python share.
fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
