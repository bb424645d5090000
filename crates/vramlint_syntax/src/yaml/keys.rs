//! Keys and marks in places where YAML 1.2 allows them and PyYAML does not.
//!
//! Source: PyYAML 6.0.3, `scanner.py` (`fetch_value`, `stale_possible_simple_keys`, `scan_plain`), and runs of it.

use super::build::Built;
use super::pyyaml_compat::report;
use crate::SyntaxError;
use crate::data::{DataFile, Entry, Node, NodeId, NodeKind, Style};
use vramlint_base::{TextRange, message};

/// Characters from the start of a key to its colon at most.
const LONGEST_KEY: usize = 1024;

/// Where PyYAML looks at a plain scalar inside brackets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// An item or a key: one `?` at its start is the mark of a key.
    First,
    /// The value of a key.
    Value,
}

/// Checks one mapping.
pub(super) fn mapping(text: &str, built: &Built, node: &Node, entries: &[Entry], errors: &mut Vec<SyntaxError>) {
    let file = &built.file;
    for entry in entries {
        let key = &file.nodes[entry.key.0 as usize];
        let written = key.anchor.is_some() || key.tag.is_some();
        let colon = next_written(text, key.range.start as usize).filter(|at| text[*at..].starts_with(':'));
        if let Some(colon) = colon
            && matches!(key.kind, NodeKind::Missing)
            && !written
            && !explicit(text, key.range.start)
        {
            let message = message!("PyYAML needs a key before this colon", "PyYAML 要求此冒号之前有键");
            report(errors, TextRange::of(colon..colon + 1), message);
        }
        if node.flow {
            question_mark(text, key, Role::First, errors);
            question_mark(text, &file.nodes[entry.value.0 as usize], Role::Value, errors);
            let tag = built.tags.get(&entry.key).map_or(u32::MAX, |at| at.start as u32);
            far_colon(text, key, tag, errors);
        }
    }
}

/// Checks the items of a list in brackets.
pub(super) fn items(text: &str, file: &DataFile, items: &[NodeId], errors: &mut Vec<SyntaxError>) {
    for item in items {
        question_mark(text, &file.nodes[item.0 as usize], Role::First, errors);
    }
}

/// Inside brackets PyYAML takes every `?` outside quotes for the mark of a key, and a `:` at the start for that of a value.
fn question_mark(text: &str, node: &Node, role: Role, errors: &mut Vec<SyntaxError>) {
    let NodeKind::Scalar(scalar) = &node.kind else { return };
    let written = node.range.slice(text);
    let rest = if role == Role::First { written.strip_prefix('?').unwrap_or(written) } else { written };
    if scalar.style != Style::Plain {
        return;
    }
    if written.starts_with(':') {
        let message = message!(
            "PyYAML cannot parse an unquoted value that starts with `:` inside brackets",
            "PyYAML 无法解析括号内以 `:` 开头的未加引号的值"
        );
        report(errors, node.range, message);
    } else if rest.contains('?') && !rest.starts_with(['"', '\'']) {
        let message = message!(
            "PyYAML cannot parse `?` in an unquoted value inside brackets; quote it",
            "PyYAML 无法解析括号内未加引号的值中的 `?`；请加引号"
        );
        report(errors, node.range, message);
    }
}

/// A key and its colon must be on one line, unless `?` marks the key.
fn far_colon(text: &str, key: &Node, tag: u32, errors: &mut Vec<SyntaxError>) {
    let start = key.anchor.as_ref().map_or(key.range.start, |(_, at)| at.start.min(key.range.start)).min(tag);
    let Some(colon) = next_written(text, key.range.end as usize).filter(|at| text[*at..].starts_with(':')) else { return };
    let Some(between) = text.get(start as usize..colon) else { return };
    let far = between.contains(['\n', '\r']) || between.len() > LONGEST_KEY && between.chars().count() > LONGEST_KEY;
    if far && !explicit(text, start) {
        let message = message!(
            "PyYAML requires a key and its colon on one line, at most {LONGEST_KEY} characters apart",
            "PyYAML 要求键与冒号在同一行，且相距不超过 {LONGEST_KEY} 个字符"
        );
        report(errors, TextRange::new(start, key.range.end.max(start + 1)), message);
    }
}

/// Whether the mark `?` is before this place.
fn explicit(text: &str, at: u32) -> bool {
    let mut before = &text[..at as usize];
    loop {
        before = before.trim_end();
        let start = before.rfind(['\n', '\r']).map_or(0, |i| i + 1);
        let line = &before[start..];
        let comment = if line.trim_start().starts_with('#') { Some(0) } else { line.find(" #") };
        match comment {
            Some(comment) => before = &before[..start + comment],
            None => return before.ends_with('?'),
        }
    }
}

/// The next place after `at` that is neither blank nor comment.
fn next_written(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &text[at..];
        at += rest.len() - rest.trim_start().len();
        if !text[at..].starts_with('#') {
            return (at < text.len()).then_some(at);
        }
        at += text[at..].find(['\n', '\r'])?;
    }
}
