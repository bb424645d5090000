//! Real configurations, labelled by the real libraries: nothing crashes, every unreadable file is a finding, and no *error*
//! falls on a file that its library accepts.

mod common;

use common::{Checked, check_folder};
use serde_json::Value;
use std::collections::HashMap;
use vramlint_base::Severity;
use vramlint_test::shared;

/// Labels whose files the real library takes, whole or at some world size.
const TAKEN: &[&str] = &["accepted", "warned", "world_dependent"];

fn labels(folder: &std::path::Path) -> HashMap<String, Value> {
    let text = std::fs::read_to_string(folder.join("LABELS.jsonl")).expect("the corpus has labels");
    text.lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|row| Some((row["path"].as_str()?.to_owned(), row)))
        .collect()
}

#[test]
#[ignore = "needs the reference material in ../shared"]
fn no_error_falls_on_an_accepted_file() {
    let folder = shared("corpus");
    let labels = labels(&folder);
    let checked: Checked = check_folder(&folder);
    // Hidden folders are left out, as in other linters; a handful of the files lie in one.
    let visible = labels.keys().filter(|path| !path.contains("/.")).count();
    assert!(checked.report.files >= visible, "{} files checked of {visible}", checked.report.files);
    let mut wrong = Vec::new();
    for finding in checked.findings().filter(|finding| finding.severity == Severity::Error) {
        let (path, line, _) = checked.places(finding).remove(0);
        let label = labels.get(&path).and_then(|row| row["label"].as_str()).unwrap_or("none");
        if TAKEN.contains(&label) {
            wrong.push(format!("{path}:{line} {} ({label}): {}", finding.name, finding.message.en));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!checked.findings().any(|finding| finding.name == "internal-error"));
}

/// Texts that the reader of YAML refuses although PyYAML takes them, or the other way round, must be findings of their files.
#[test]
#[ignore = "needs the reference material in ../shared"]
fn what_cannot_be_parsed_is_a_finding() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).expect("writable");
    write("accelerate_config.yaml", b"distributed_type: MULTI_GPU\nnum_processes: [1\n");
    write("latin.yaml", b"batch_size: 4 # \xe9\xe8\n");
    write("wide.yaml", b"\xff\xfeb\0a\0t\0c\0h\0");
    write("train.py", b"import torch\n\n\ndef f(:\n    pass\n");
    write("nul.yaml", b"batch_size: 4\0\nlearning_rate: 1.0e-5\n");
    let checked = check_folder(folder.path());
    let found: std::collections::BTreeSet<String> =
        checked.findings().map(|finding| checked.places(finding).remove(0).0).collect();
    for name in ["accelerate_config.yaml", "latin.yaml", "wide.yaml", "train.py", "nul.yaml"] {
        assert!(found.contains(name), "{name} is unreadable and nothing says so: {found:?}");
    }
}
