//! The dependency direction: crates know only what stands to their right in the table of `CONTRIBUTING.md`.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};

/// Which crates of the workspace each crate may know. Adding an edge is a decision, made here.
fn allowed() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    [
        ("vramlint_base", vec![]),
        ("vramlint_syntax", vec!["vramlint_base"]),
        ("vramlint_catalog", vec!["vramlint_base"]),
        ("vramlint_resolve", vec!["vramlint_base", "vramlint_catalog", "vramlint_syntax"]),
        ("vramlint_edit", vec!["vramlint_base", "vramlint_resolve", "vramlint_syntax"]),
        ("vramlint_semantic", vec!["vramlint_base", "vramlint_catalog", "vramlint_edit", "vramlint_resolve", "vramlint_syntax"]),
        ("vramlint_memory", vec![]),
        ("vramlint_measured", vec![]),
        ("vramlint_oom", vec!["vramlint_base"]),
        (
            "vramlint_estimate",
            vec![
                "vramlint_base",
                "vramlint_catalog",
                "vramlint_memory",
                "vramlint_resolve",
                "vramlint_semantic",
                "vramlint_syntax",
            ],
        ),
        ("vramlint_test", vec![]),
        (
            "vramlint_rules",
            vec![
                "vramlint_base",
                "vramlint_catalog",
                "vramlint_edit",
                "vramlint_estimate",
                "vramlint_memory",
                "vramlint_resolve",
                "vramlint_semantic",
                "vramlint_syntax",
            ],
        ),
        (
            "vramlint_project",
            vec![
                "vramlint_base",
                "vramlint_catalog",
                "vramlint_estimate",
                "vramlint_memory",
                "vramlint_resolve",
                "vramlint_rules",
                "vramlint_semantic",
                "vramlint_syntax",
            ],
        ),
        ("vramlint_gpu", vec!["vramlint_base"]),
        (
            "vramlint_view",
            vec![
                "vramlint_base",
                "vramlint_catalog",
                "vramlint_estimate",
                "vramlint_measured",
                "vramlint_memory",
                "vramlint_oom",
                "vramlint_project",
                "vramlint_resolve",
            ],
        ),
        (
            "vramlint_ide",
            vec![
                "vramlint_base",
                "vramlint_catalog",
                "vramlint_estimate",
                "vramlint_memory",
                "vramlint_project",
                "vramlint_resolve",
                "vramlint_rules",
                "vramlint_semantic",
                "vramlint_syntax",
                "vramlint_view",
            ],
        ),
        (
            "vramlint_server",
            vec!["vramlint_base", "vramlint_estimate", "vramlint_ide", "vramlint_project", "vramlint_resolve", "vramlint_view"],
        ),
        (
            "vramlint",
            vec![
                "vramlint_base",
                "vramlint_catalog",
                "vramlint_estimate",
                "vramlint_gpu",
                "vramlint_measured",
                "vramlint_memory",
                "vramlint_oom",
                "vramlint_project",
                "vramlint_resolve",
                "vramlint_rules",
                "vramlint_server",
                "vramlint_view",
            ],
        ),
    ]
    .into_iter()
    .map(|(name, known)| (name, known.into_iter().collect()))
    .collect()
}

/// Libraries that touch a disk, a terminal, a clock or the network: only the outer crates may use them.
const IMPURE: &[&str] =
    &["ignore", "tempfile", "clap", "indicatif", "miette", "owo-colors", "ratatui", "sys-locale", "tokio", "rayon", "anyhow"];
const PURE: &[&str] = &[
    "vramlint_base",
    "vramlint_syntax",
    "vramlint_catalog",
    "vramlint_resolve",
    "vramlint_edit",
    "vramlint_semantic",
    "vramlint_memory",
    "vramlint_measured",
    "vramlint_oom",
    "vramlint_estimate",
    "vramlint_rules",
];

#[test]
fn crates_depend_only_in_the_agreed_direction() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs in a checkout");
    let allowed = allowed();
    let mut seen = BTreeSet::new();
    for package in &metadata.packages {
        let name = package.name.as_str();
        let known = allowed.get(name).unwrap_or_else(|| panic!("{name} is not in the table of tests/architecture.rs"));
        seen.insert(name);
        let normal = package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal);
        for dependency in normal {
            let to = dependency.name.as_str();
            if to.starts_with("vramlint") {
                assert!(known.contains(to), "{name} must not know {to}");
            }
            assert!(!(PURE.contains(&name) && IMPURE.contains(&to)), "{name} is pure and must not use {to}");
        }
    }
    assert_eq!(seen, allowed.keys().copied().collect(), "the table names crates that are not there");
}

#[test]
fn pure_crates_do_not_read_the_world() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut offenders = Vec::new();
    for name in PURE {
        let mut folders = vec![root.join("crates").join(name).join("src")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("the folder is there") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    // Tests may read what they like, and so may tools that are no part of the library.
                    if path.file_name().is_none_or(|name| name != "tests" && name != "bin") {
                        folders.push(path);
                    }
                } else if path.extension().is_some_and(|e| e == "rs") && path.file_stem().is_none_or(|stem| stem != "tests") {
                    let text = std::fs::read_to_string(&path).expect("readable");
                    for word in [
                        "std::fs",
                        "std::env",
                        "std::net",
                        "SystemTime",
                        "Instant::now",
                        "std::process",
                        "async fn",
                        "println!",
                        "eprintln!",
                    ] {
                        let used = text.lines().any(|line| line.contains(word) && !line.trim_start().starts_with("//"));
                        if used {
                            offenders.push(format!("{}: {word}", path.strip_prefix(root).unwrap_or(&path).display()));
                        }
                    }
                }
            }
        }
    }
    assert!(offenders.is_empty(), "{offenders:#?}");
}
