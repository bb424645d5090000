//! Folders of Weights & Biases: the summary, the history and the events as JSON, and the binary transaction log.

use crate::{Measured, Source, logged_keys};
use regex::bytes::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Whether a file tells anything.
pub(crate) fn is_read(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    matches!(file, "wandb-summary.json" | "wandb-history.jsonl" | "wandb-events.jsonl") || file.ends_with(".wandb")
}

/// System metrics in the binary log: a key, then its value as JSON text in a protobuf field.
static BINARY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?s-u)gpu\.\d{1,2}\.memoryAllocatedBytes.{0,6}?(\d{4,14}(?:\.\d+)?)").expect("a legal pattern")
});

pub(crate) fn read<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Measured {
    let mut found = Measured::none(Source::Wandb);
    for (name, bytes) in files {
        if name.ends_with(".wandb") {
            for metric in BINARY.captures_iter(bytes) {
                let number = std::str::from_utf8(&metric[1]).ok().and_then(|digits| digits.parse().ok());
                found.process = found.process.max(number.and_then(|number| logged_keys::bytes(number, 1.0)));
            }
            continue;
        }
        let text = String::from_utf8_lossy(bytes);
        let records = serde_json::Deserializer::from_str(&text).into_iter::<Value>().map_while(Result::ok);
        for record in records {
            let Some(record) = record.as_object() else { continue };
            logged_keys::read(record, &mut found);
            for (key, value) in record {
                let is_memory = key.contains("gpu.") && key.ends_with("memoryAllocatedBytes");
                let number = value.as_f64().filter(|_| is_memory);
                found.process = found.process.max(number.and_then(|number| logged_keys::bytes(number, 1.0)));
            }
        }
    }
    found
}
