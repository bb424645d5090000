//! `estimate --output-format chrome-trace`: the predicted step in the trace event format of Chrome, which Perfetto opens too.

use super::super::serialize::to_string;
use serde_json::{Map, Value as Json, json};
use vramlint_memory::estimate::Part;
use vramlint_view::estimate::EstimateReport;

/// Bytes by part as a counter, the moments as slices of one microsecond each: time is the order, not a duration.
pub(crate) fn chrome_trace(report: &EstimateReport) -> String {
    let mut events: Vec<Json> = Vec::new();
    for (time, moment) in report.timeline().iter().enumerate() {
        let parts = Part::ALL.iter().zip(moment.parts).filter(|(_, bytes)| *bytes > 0);
        let parts: Map<String, Json> = parts.map(|(part, bytes)| (part.name().to_owned(), bytes.into())).collect();
        events.push(json!({"name": "memory", "ph": "C", "ts": time, "pid": 0, "args": parts}));
        events.push(json!({
            "name": moment.label, "cat": moment.phase.name(), "ph": "X", "ts": time, "dur": 1, "pid": 0, "tid": 0,
            "args": {"bytes": moment.bytes},
        }));
    }
    to_string(&json!({"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"run": report.name(), "time": "order"}}))
}
