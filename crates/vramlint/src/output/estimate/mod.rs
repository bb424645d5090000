//! What `estimate` prints for programs; what it shows to people is `vramlint_view`'s.

mod json;

pub(crate) use json::{RunEstimateJson, json, jsonl};
