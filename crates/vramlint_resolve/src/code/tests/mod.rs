//! Small projects, written inline.

mod bounds;
mod calls;
mod loads;
mod models;
mod options;
mod seeds;
mod trainers;
mod traps;

use super::*;
use crate::setting::{Origin, Resolved};
use crate::syntax_tree::Syntax;
use std::fmt::Write as _;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::python;

/// Python code in a raw string, without the line break after the opening quote: its first line is line 1.
fn source(text: &str) -> &str {
    text.strip_prefix('\n').expect("the code starts on a line of its own")
}

/// The files of a project.
fn project(pairs: &[(&str, &str)]) -> Vec<SourceFile> {
    pairs
        .iter()
        .enumerate()
        .map(|(i, (path, text))| SourceFile {
            id: FileId(i as u32),
            path: (*path).to_string(),
            text: (*text).into(),
            tree: Syntax::Python(python::parse(text).into()).into(),
            decode_errors: Vec::new(),
            host: None,
            policy: 0,
            reported: true,
        })
        .collect()
}

fn facts_of(pairs: &[(&str, &str)], entry: &str) -> CodeFacts {
    let files = project(pairs);
    let entry = files.iter().find(|file| file.path == entry).expect("the entry is one of the files").id;
    facts(&files, entry)
}

/// Asserts that a line is shown.
#[track_caller]
fn has(shown: &str, line: &str) {
    assert!(shown.lines().any(|known| known == line), "no line\n  {line}\nin\n{shown}");
}

/// Asserts that no line starts so.
#[track_caller]
fn lacks(shown: &str, start: &str) {
    assert!(!shown.lines().any(|known| known.starts_with(start)), "a line starts with\n  {start}\nin\n{shown}");
}

/// Asserts that exactly these lines concern a concept, in this order.
#[track_caller]
fn only(shown: &str, concept: &str, lines: &[&str]) {
    let found: Vec<&str> = shown.lines().filter(|line| line.starts_with(&format!("{concept} "))).collect();
    assert_eq!(found, lines, "in\n{shown}");
}

/// Candidates, one a line: concept, value, where, and what else matters.
fn show(pairs: &[(&str, &str)], entry: &str) -> String {
    let files = project(pairs);
    let facts = facts_of(pairs, entry);
    let mut lines = Vec::new();
    for (concept, candidate) in &facts.candidates {
        lines.push(line(&files, *concept, candidate));
    }
    lines.push(format!(
        "dialect={:?} task={:?} accumulates={:?} files={}",
        facts.dialect,
        facts.task,
        facts.accumulates,
        facts.files.iter().map(|id| files[id.0 as usize].path.as_str()).collect::<Vec<_>>().join(",")
    ));
    for load in &facts.loads {
        lines.push(format!(
            "load {:?} option={:?} {:?} {:?} argument={:?}",
            load.path, load.option, load.loader, load.role, load.argument
        ));
    }
    for option in &facts.options {
        lines.push(format!("option {} {:?} switch={}", option.names.join("/"), option.default, option.switch));
    }
    for (name, value, _) in &facts.environment {
        lines.push(format!("env {name}={value:?}"));
    }
    for model in &facts.models {
        let maps: Vec<String> = model.device_map.iter().map(|map| line(&files, Concept::DeviceMap, map)).collect();
        lines.push(format!(
            "model {} {:?} trained={:?} conditional={} via={} [{}]",
            model.class,
            model.model,
            model.trained,
            model.conditional,
            model.call_chain.len(),
            maps.join("; ")
        ));
    }
    lines.join("\n")
}

fn line(files: &[SourceFile], concept: Concept, candidate: &CodeCandidate) -> String {
    let value = match &candidate.candidate.value {
        Resolved::Known(value) => value.to_string(),
        Resolved::Unknown(_) => "?".to_string(),
    };
    let (name, place) = match &candidate.candidate.origin {
        Origin::Code { place, name } => (name.clone(), *place),
        Origin::OptionDefault { place, option } => (format!("--{option}"), *place),
        other => (format!("{other:?}"), FileRange::new(FileId(0), vramlint_base::TextRange::at(0))),
    };
    let file = &files[place.file.0 as usize];
    let mut text = format!(
        "{} {value} {name} {}:{}",
        concept.name(),
        file.path,
        file.lines().line_column(&file.text, place.range.start).line
    );
    if candidate.reaches_call {
        text.push_str(" call");
    }
    if !candidate.used {
        text.push_str(" unread");
    }
    if candidate.fallback {
        text.push_str(" fallback");
    }
    if let Some((load, route)) = &candidate.loaded_key {
        let _ = write!(text, " key={load}:{}", route.join("."));
    }
    if let Some(option) = &candidate.option {
        let _ = write!(text, " option={option}");
    }
    if let Some(env) = &candidate.env {
        let _ = write!(text, " env={env}");
    }
    if let Some(stage) = candidate.stage {
        let _ = write!(text, " stage={stage}");
    }
    if let Some(condition) = &candidate.candidate.condition {
        let _ = write!(text, " if[{condition}]");
    }
    if let Some(guard) = &candidate.guard {
        let _ = write!(text, " guard[{guard}]");
    }
    text
}
