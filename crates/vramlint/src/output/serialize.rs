//! Serialization that the JSON formats share.

use serde::Serialize;

/// Version of the JSON formats. It changes only if existing readers would break.
pub(super) const VERSION: u32 = 1;

/// One line of JSON.
pub(super) fn to_string(value: &impl Serialize) -> String {
    // The formats consist of numbers, strings, lists and maps with string keys, which always serialize.
    serde_json::to_string(value).expect("the formats are valid JSON") + "\n"
}

/// Indented JSON.
pub(super) fn to_string_pretty(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("the formats are valid JSON") + "\n"
}
