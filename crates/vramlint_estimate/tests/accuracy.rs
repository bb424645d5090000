//! The thresholds that estimates hold over the traced records of this project.

#[path = "../src/bin/accuracy/measure.rs"]
mod measure;
#[path = "../src/bin/accuracy/published.rs"]
mod published;
#[path = "../src/bin/accuracy/report.rs"]
mod report;

use measure::{Measured, PARTS, Reading};
use report::Summary;
use std::path::PathBuf;
use std::sync::LazyLock;

fn records_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../vramlint_memory/tests/records")
}

fn text(name: &str) -> String {
    std::fs::read_to_string(records_folder().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

static RECORDS: LazyLock<Vec<Measured>> = LazyLock::new(|| {
    let (records, unread) = measure::measure(&(text("own.jsonl") + "\n" + &text("shared.jsonl")), Reading::Family);
    assert_eq!(unread, Vec::<String>::new(), "records that describe no setup");
    records
});

fn one_gpu() -> Summary {
    Summary::of(RECORDS.iter().filter(|record| !record.sharded))
}

fn several_gpus() -> Summary {
    Summary::of(RECORDS.iter().filter(|record| record.sharded))
}

/// Fails with the records that are farthest off.
fn at_most(what: &str, value: f64, limit: f64) {
    assert!(value <= limit, "{what}: {value:.3} % instead of at most {limit} %\n{}", report::worst(&RECORDS));
}

#[test]
fn there_are_as_many_records_as_the_files_say() {
    let single = RECORDS.iter().filter(|record| !record.sharded).count();
    assert!(single >= 576 && RECORDS.len() >= 648, "{single} of {}", RECORDS.len());
}

#[test]
fn tensors_of_one_gpu() {
    let tensors = one_gpu().tensors;
    at_most("median", tensors.median, 0.3);
    at_most("95 of 100", tensors.p95, 2.0);
    at_most("worst", tensors.worst, 5.0);
}

#[test]
fn reserved_of_one_gpu() {
    let reserved = one_gpu().reserved;
    at_most("median", reserved.median, 2.5);
    at_most("95 of 100", reserved.p95, 8.0);
}

#[test]
fn tensors_of_several_gpus() {
    let tensors = several_gpus().tensors;
    at_most("median", tensors.median, 2.0);
    at_most("95 of 100", tensors.p95, 8.0);
}

#[test]
fn every_part() {
    for (kind, summary) in [("one GPU", one_gpu()), ("several GPUs", several_gpus())] {
        for (part, name) in PARTS.iter().enumerate() {
            at_most(&format!("{name}, {kind}"), summary.parts[part], 3.0);
        }
    }
}

#[test]
fn bounds_hold_what_was_reserved_and_are_narrow() {
    for (kind, summary) in [("one GPU", one_gpu()), ("several GPUs", several_gpus()), ("all", Summary::of(RECORDS.iter()))] {
        assert!(summary.coverage >= 98.0, "{kind}: {:.1} % held\n{}", summary.coverage, report::worst(&RECORDS));
        at_most(&format!("width, {kind}"), summary.width, 12.0);
    }
}
