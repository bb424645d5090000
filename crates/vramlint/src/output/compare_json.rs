//! `compare --output-format json`.

use super::ordered_json::{Node, Object};
use serde::Serialize;
use serde_json::{Value as Json, json};
use vramlint_measured::Measured;
use vramlint_view::compare::error_percent;
use vramlint_view::estimate::EstimateReport;

#[derive(Serialize)]
struct CompareJson<'a> {
    version: u32,
    run: &'a str,
    source: &'static str,
    measured: Json,
    predicted: Json,
    error_percent: Object,
    parts: Node,
}

/// A measured run beside its estimate as one object.
pub(crate) fn render(run: &str, measured: &Measured, report: &EstimateReport) -> String {
    let estimate = &report.estimate;
    let mut errors = Object::default();
    for (name, own, predicted) in [
        ("tensors", measured.tensors, estimate.tensors),
        ("reserved", measured.reserved, estimate.reserved),
        ("process", measured.process, estimate.peak),
    ] {
        errors.put(name, error_percent(own, predicted).map_or(Json::Null, Json::from));
    }
    super::serialize::to_string_pretty(&CompareJson {
        version: super::serialize::VERSION,
        run,
        source: measured.source.name(),
        measured: json!({"tensors": measured.tensors, "reserved": measured.reserved, "process": measured.process}),
        predicted: json!({"tensors": estimate.tensors, "reserved": estimate.reserved, "peak": estimate.peak}),
        error_percent: errors,
        parts: Node::List(Vec::new()),
    })
}
