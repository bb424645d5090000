//! What `vramlint.watch()` of the Python package measures: one JSON object.

use crate::{Measured, Source};
use serde_json::Value;

/// `{"source": "watch", "tensors": …, "reserved": …}`, in bytes. `None` for any other JSON.
pub(crate) fn read(json: &Value) -> Option<Measured> {
    let object = json.as_object().filter(|object| object.get("source").and_then(Value::as_str) == Some("watch"))?;
    let bytes = |name: &str| object.get(name).and_then(Value::as_u64);
    Some(Measured { source: Source::Watch, tensors: bytes("tensors"), reserved: bytes("reserved"), process: bytes("process") })
}

#[cfg(test)]
mod tests {
    use crate::{Source, read};

    #[test]
    fn an_object_that_names_itself_is_read() {
        let found = read(b"{\"source\": \"watch\", \"tensors\": 3, \"reserved\": 5}\n").expect("read");
        assert_eq!((found.source, found.tensors, found.reserved, found.process), (Source::Watch, Some(3), Some(5), None));
        assert_eq!(read(b"{\"source\": \"watch\", \"tensors\": -1}"), None);
        assert_eq!(read(b"{\"source\": \"other\", \"tensors\": 3}"), None);
    }
}
