//! Parsing `config.json`.

use std::borrow::Cow;
use vramlint_base::{Message, message};
use vramlint_memory::{Config, Value};

/// Parses a `config.json`. `NaN` and `Infinity`, which Python writes and JSON lacks, count as absent; nesting deeper than
/// 128 is rejected.
pub fn config_from_json(text: &str) -> Result<Config, Message> {
    let text = text.trim_start_matches('\u{feff}');
    let read = serde_json::from_str::<serde_json::Value>(text);
    let value = read.or_else(|error| serde_json::from_str(&without_infinities(text)).map_err(|_| error)).map_err(|error| {
        // An error at a line break has column 0 of the next line.
        let line = if error.column() == 0 { error.line().saturating_sub(1).max(1) } else { error.line() };
        if error.is_eof() {
            message!("unexpected end of JSON at line {line}", "JSON 在第 {line} 行意外结束")
        } else {
            message!("invalid JSON at line {line}", "第 {line} 行不是有效的 JSON")
        }
    })?;
    match convert(value) {
        Value::Object(config) => Ok(config),
        _ => Err(message!(
            "config.json must be an object: {{\"model_type\": …}}",
            "config.json 应是一个对象：{{\"model_type\": …}}"
        )),
    }
}

fn convert(value: serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(flag),
        // Every JSON number has a nearest double.
        serde_json::Value::Number(number) => number.as_f64().map_or(Value::Null, Value::Number),
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Array(items) => Value::List(items.into_iter().map(convert).collect()),
        serde_json::Value::Object(entries) => {
            let mut config = Config::default();
            for (key, value) in entries {
                config.set(key, convert(value));
            }
            Value::Object(config)
        }
    }
}

/// Replaces the constants that only Python accepts by `null`.
fn without_infinities(text: &str) -> Cow<'_, str> {
    const WORDS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut out = String::new();
    let (mut copied, mut at, mut quoted) = (0, 0, false);
    while let Some(byte) = text.as_bytes().get(at) {
        match byte {
            b'"' => quoted = !quoted,
            b'\\' if quoted => at += 1,
            b'-' | b'I' | b'N' if !quoted => {
                if let Some(word) = WORDS.iter().find(|word| text[at..].starts_with(**word)) {
                    out.push_str(&text[copied..at]);
                    out.push_str("null");
                    at += word.len();
                    copied = at;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}
