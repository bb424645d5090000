//! Machine-readable output of `estimate`; the text output is in `vramlint_view`.

mod json;

pub(crate) use json::{RunEstimateJson, json, jsonl};
