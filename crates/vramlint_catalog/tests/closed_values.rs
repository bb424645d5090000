//! Closed sets of values stand in the tables alone: no other source spells them out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use vramlint_catalog::{classes, keys};

/// So many values of one closed field in one list are a copy of the table.
const COPIED: usize = 4;

/// Lists that look like a copy and are something else: file, first value, why.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("vramlint_ide/src/complete/common_values.rs", "sdpa", "a selection, the usual ones first"),
    ("vramlint_resolve/src/run/training_evidence.rs", "sft", "words in the names of scripts"),
    ("vramlint_rules/src/frameworks/refusals/axolotl.rs", "dpo", "which trainings it rejects together with another key"),
    ("vramlint_rules/src/frameworks/refusals/openrlhf.rs", "rloo", "which estimators need several samples"),
    ("vramlint_rules/src/frameworks/refusals/swift.rs", "float32", "spellings of torch's data types"),
    ("vramlint_rules/src/precision/quantized_model_cast.rs", "float16", "attributes of torch"),
    ("vramlint_rules/src/precision/unknown_dtype_name.rs", "float16", "attributes of torch"),
    ("vramlint_rules/src/syntax_and_keys/inert_key/accelerate_blocks.rs", "FULL_SHARD", "which strategies it holds for"),
    ("vramlint_rules/src/sharding/deepspeed_precision_conflict.rs", "bf16", "spellings of torch's data types"),
    ("vramlint_rules/src/sharding/fp32_gradients_unsharded.rs", "fp32", "spellings of torch's data types"),
];

/// The values of every closed field with enough of them, and its name.
fn closed() -> Vec<(String, BTreeSet<&'static str>)> {
    let fields = classes::tables().flat_map(|table| &table.classes).flat_map(|class| {
        let closed = class.fields.iter().filter(|field| field.is_closed());
        closed.map(|field| (format!("{}.{}", class.name, field.name), field.all_values().into_iter().collect()))
    });
    let keys = keys::accelerate().iter().chain(keys::deepspeed()).map(|key| {
        let values: BTreeSet<&str> = key.values.iter().map(String::as_str).collect();
        (key.path.clone(), values)
    });
    fields.chain(keys).filter(|(_, values)| values.len() >= COPIED).collect()
}

/// The runs of string literals that only commas, bars and white space part: items of an array, alternatives of a pattern.
fn lists(source: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    let mut list: Vec<&str> = Vec::new();
    let mut rest = source;
    while let Some(start) = rest.find('"') {
        if !rest[..start].chars().all(|c| c.is_whitespace() || matches!(c, ',' | '|')) {
            found.push(std::mem::take(&mut list));
        }
        let text = &rest[start + 1..];
        let mut escaped = false;
        let end = text.find(|c| {
            let closes = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            closes
        });
        let Some(end) = end else { break };
        list.push(&text[..end]);
        rest = &text[end + 1..];
    }
    found.push(list);
    found.retain(|list| list.len() >= COPIED);
    found
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let path = entry.path();
        if path.is_dir() {
            if !matches!(path.file_name().and_then(|name| name.to_str()), Some("tests" | "target")) {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The part of a source before its tests.
fn without_tests(source: &str) -> &str {
    source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default()
}

#[test]
fn closed_values_stand_in_the_tables_alone() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of the crates");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(crates).expect("the folder of the crates").flatten() {
        let source = entry.path().join("src");
        if entry.file_name() != "vramlint_catalog" && source.is_dir() {
            sources(&source, &mut files);
        }
    }
    files.sort();
    assert!(files.len() > 100);
    let closed = closed();
    let (mut copies, mut used) = (Vec::new(), BTreeSet::new());
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a source");
        let name = file.strip_prefix(crates).expect("below the crates").to_string_lossy().replace('\\', "/");
        if name.ends_with("/tests.rs") {
            continue;
        }
        for list in lists(without_tests(&text)) {
            let items: BTreeSet<&str> = list.iter().copied().collect();
            let Some((field, _)) = closed.iter().find(|(_, values)| items.intersection(values).count() >= COPIED) else {
                continue;
            };
            match ALLOWED.iter().position(|(file, first, _)| *file == name && *first == list[0]) {
                Some(index) => drop(used.insert(index)),
                None => copies.push(format!("{name}: {list:?} copies values of {field}: look them up in vramlint_catalog")),
            }
        }
    }
    assert!(copies.is_empty(), "{}", copies.join("\n"));
    let unused: Vec<_> = ALLOWED.iter().enumerate().filter(|(index, _)| !used.contains(index)).collect();
    assert!(unused.is_empty(), "no longer needed: {unused:?}");
}

#[test]
fn lists_of_literals_are_found() {
    assert_eq!(lists(r#"const A: &[&str] = &["a", "b", "c", "d"]; f("e")"#), [["a", "b", "c", "d"]]);
    assert_eq!(lists("match x {\n \"a\" | \"b\"\n | \"c\" | \"d\" => 1,\n \"e\" => 2 }"), [["a", "b", "c", "d"]]);
    assert!(lists(r#"[("a", 1), ("b", 2), ("c", 3), ("d", 4)]"#).is_empty());
}
