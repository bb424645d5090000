//! `vramlint gpu --record`: one JSON object a line.

use crate::{Measured, Source};
use serde_json::Value;

/// The highest memory of a process; of a GPU where no process is listed. `None` if the lines are of another kind.
pub(crate) fn read(text: &str) -> Option<Measured> {
    let mut found = Measured::none(Source::Recording);
    let mut is_recording = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let record: Value = serde_json::from_str(line).ok()?;
        let gpus = record.get("gpus")?.as_array()?;
        is_recording = true;
        for gpu in gpus {
            let processes = gpu.get("processes").and_then(Value::as_array).into_iter().flatten();
            let own = processes.filter_map(|process| process.get("memory").and_then(Value::as_u64)).max();
            let used = gpu.pointer("/memory/used").and_then(Value::as_u64);
            found.process = found.process.max(own.or(used));
        }
    }
    is_recording.then_some(found)
}
