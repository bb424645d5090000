//! Machine-readable output of `estimate`; the text output is in `vramlint_view`.

mod chrome_trace;
mod json;
mod machines_json;
mod snapshot;

pub(crate) use chrome_trace::chrome_trace;
pub(crate) use machines_json::machines_json;
pub(crate) use snapshot::snapshot;

pub(crate) use json::{RunEstimateJson, json, jsonl, step_time_json};
