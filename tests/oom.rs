//! Logs of failures whose fields are known.

use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use vramlint_test::{files_below, shared};

/// The events that the binary finds in a log.
fn events(log: &PathBuf) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = Command::new(env!("CARGO_BIN_EXE_vramlint"))
        .args(["oom", "--output-format", "json", "--isolated"])
        .arg(log)
        .current_dir(folder.path())
        .output()
        .expect("the binary runs");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    found["events"].as_array().expect("a list").clone()
}

/// What of `expected` differs in `found`; reasons are prose.
fn differences(path: &str, expected: &Value, found: &Value, out: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (name, value) in expected.iter().filter(|(name, _)| *name != "why") {
                differences(&format!("{path}.{name}"), value, found.get(name).unwrap_or(&Value::Null), out);
            }
        }
        (Value::Number(one), Value::Number(other)) if one.as_f64() == other.as_f64() => {}
        _ if expected == found => {}
        _ => out.push(format!("{path}: expected {expected}, found {found}")),
    }
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn every_log_parses_to_its_fields() {
    let folder = shared("cases/oom");
    let logs: Vec<PathBuf> =
        files_below(&folder).into_iter().filter(|path| path.extension().is_some_and(|end| end == "log")).collect();
    assert!(logs.len() > 10, "only {} logs", logs.len());
    let mut wrong = Vec::new();
    for log in logs {
        let name = log.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let expected: Value =
            serde_json::from_slice(&std::fs::read(log.with_extension("json")).expect("readable")).expect("JSON");
        let found = events(&log);
        match &found[..] {
            [event] => differences(&name, &expected, event, &mut wrong),
            _ => wrong.push(format!("{name}: {} events", found.len())),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
