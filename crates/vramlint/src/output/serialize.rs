//! Serialization that the JSON formats share.

use serde::Serialize;
use std::fmt::Write;
use vramlint_base::visible::acts_on_display;

/// Version of the JSON formats. It changes only if existing readers would break.
pub(super) const VERSION: u32 = 1;

/// One line of JSON.
pub(super) fn to_string(value: &impl Serialize) -> String {
    // The formats consist of numbers, strings, lists and maps with string keys, which always serialize.
    escaped(serde_json::to_string(value).expect("the formats are valid JSON") + "\n")
}

/// Indented JSON.
pub(super) fn to_string_pretty(value: &impl Serialize) -> String {
    escaped(serde_json::to_string_pretty(value).expect("the formats are valid JSON") + "\n")
}

/// JSON in which no character acts on a terminal: those that JSON allows as they are become `\uXXXX`, which every reader undoes.
pub(super) fn escaped(json: String) -> String {
    let acts = |c: char| c != '\n' && acts_on_display(c);
    if !json.chars().any(acts) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::to_string;

    #[test]
    fn what_acts_is_escaped_and_read_back() {
        let text = "a\u{1b}\u{9b}\u{7f}\u{202e}\u{2028}\u{e0041}批\n";
        let json = to_string(&text);
        assert_eq!(json, "\"a\\u001b\\u009b\\u007f\\u202e\\u2028\\udb40\\udc41批\\n\"\n");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), text);
    }
}
