//! What PyYAML refuses although the parser accepts it. Each row was run against PyYAML 6.0.3; `tests/pyyaml/run.sh` compares.

use super::build::Built;
use super::scalar::{Tag, is_merge_key, refusal, unknown_tag};
use crate::data::{DataFile, Entry, Node, NodeId, NodeKind, NodeRef, Style};
use crate::{RefusedBy, SyntaxError};
use std::collections::HashMap;
use vramlint_base::{LineIndex, Message, TextRange, message};

/// Lines with a misplaced tab that are reported at most.
const TAB_ERRORS: usize = 16;

/// The errors that PyYAML raises on a text that the parser has read.
pub(super) fn check(text: &str, built: &Built) -> Vec<SyntaxError> {
    let mut errors = Vec::new();
    tabs(text, built, &mut errors);
    anchors(text, &built.file, &mut errors);
    nodes(text, built, &mut errors);
    errors
}

fn report(errors: &mut Vec<SyntaxError>, range: TextRange, message: Message) {
    errors.push(SyntaxError { range, message, refused_by: RefusedBy::PyYaml });
}

/// A tab is text inside quotes, block scalars, comments and reserved directives; elsewhere PyYAML's scanner has no rule for it.
fn tabs(text: &str, built: &Built, errors: &mut Vec<SyntaxError>) {
    if !text.contains('\t') {
        return;
    }
    let comments = built.file.comments.iter().map(|comment| (comment.range.as_usize(), false));
    let mut allowed: Vec<_> = built.verbatim.iter().map(|range| (range.clone(), true)).chain(comments).collect();
    allowed.sort_by_key(|(range, _)| range.start);
    let mut ranges = allowed.iter().peekable();
    let mut last_line = None;
    let mut reported = 0;
    for (at, _) in text.match_indices('\t') {
        while ranges.peek().is_some_and(|(range, _)| range.end <= at) {
            ranges.next();
        }
        let inside = ranges.peek().filter(|(range, _)| range.start <= at);
        let line = text[..at].rfind(['\n', '\r']).map_or(0, |i| i + 1);
        let is_text = match inside {
            Some((range, true)) => !before_block_content(text, range, line, at),
            Some(_) => true,
            None => text[line..].starts_with('%'),
        };
        if is_text || last_line == Some(line) || reported == TAB_ERRORS {
            continue;
        }
        last_line = Some(line);
        reported += 1;
        let range = TextRange::of(at..at + 1);
        report(errors, range, message!("PyYAML allows no tab here; use a space", "PyYAML 不允许此处使用制表符（tab），请用空格"));
    }
}

/// Whether a tab in a block scalar stands left of its content, where it is not text. `line` is where its line starts.
fn before_block_content(text: &str, scalar: &std::ops::Range<usize>, line: usize, at: usize) -> bool {
    if !text[scalar.start..].starts_with(['|', '>']) {
        return false;
    }
    if line <= scalar.start {
        return !text[scalar.start..at].contains('#');
    }
    let before = &text[line..at];
    if !before.bytes().all(|b| b == b' ') {
        return false;
    }
    let content = &text[scalar.clone()];
    let mut lines = content.split_inclusive(['\n', '\r']).skip(1);
    let first = lines.find(|line| !line.trim().is_empty()).unwrap_or("");
    before.len() < first.len() - first.trim_start_matches(' ').len()
}

/// Anchors written twice in a document, aliases without an anchor, names that PyYAML cannot read.
fn anchors(text: &str, file: &DataFile, errors: &mut Vec<SyntaxError>) {
    let lines = LineIndex::new(text);
    for document in documents(file) {
        let mut first: HashMap<&str, u32> = HashMap::new();
        for node in document {
            if let NodeKind::Alias { name, target } = &node.kind {
                if target.is_none() {
                    report(
                        errors,
                        node.range,
                        message!("no anchor `&{name}` stands before this alias", "此别名之前没有锚点 `&{name}`"),
                    );
                }
                anchor_name(name, node.range, errors);
            }
            let Some((name, range)) = &node.anchor else { continue };
            anchor_name(name, *range, errors);
            if let Some(start) = first.get(name.as_str()) {
                let line = lines.line_of(*start) + 1;
                let message =
                    message!("anchor `&{name}` is already defined on line {line}", "锚点 `&{name}` 在第 {line} 行已经定义过");
                report(errors, *range, message);
            } else {
                first.insert(name, range.start);
            }
        }
    }
}

/// The nodes of each document: they lie in the order of the text.
fn documents(file: &DataFile) -> Vec<&[Node]> {
    let mut bounds: Vec<usize> = file.documents.iter().filter_map(|document| document.root).map(|root| root.0 as usize).collect();
    bounds.push(file.nodes.len());
    bounds.windows(2).map(|pair| &file.nodes[pair[0]..pair[1]]).collect()
}

fn anchor_name(name: &str, range: TextRange, errors: &mut Vec<SyntaxError>) {
    // `?`, `:`, `%`, `@` and a backquote end a name for PyYAML; what follows then does not fit.
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) {
        let message = message!(
            "PyYAML takes only letters, digits, `-` and `_` in the name `{name}`",
            "PyYAML 的锚点名 `{name}` 只能包含字母、数字、`-` 和 `_`"
        );
        report(errors, range, message);
    }
}

/// What PyYAML's constructor raises on: unknown tags, impossible numbers and dates, lists and mappings as keys, merges of what
/// is no mapping.
fn nodes(text: &str, built: &Built, errors: &mut Vec<SyntaxError>) {
    let file = &built.file;
    let mut as_key = vec![false; file.nodes.len()];
    for node in &file.nodes {
        if let NodeKind::Mapping(entries) = &node.kind {
            entries.iter().for_each(|entry| as_key[entry.key.0 as usize] = true);
        }
    }
    for (i, node) in file.nodes.iter().enumerate() {
        let id = NodeId(i as u32);
        let place =
            built.tags.get(&id).map_or(node.range, |at| if at.is_empty() { node.range } else { TextRange::of(at.clone()) });
        let tag = node.tag.as_deref();
        match &node.kind {
            NodeKind::Scalar(scalar) => {
                if let Some(message) = refusal(scalar, tag, as_key[i]) {
                    report(errors, if tag.is_some() { place } else { node.range }, message);
                }
            }
            NodeKind::Sequence(items) => {
                if !matches!(Tag::of(tag), Tag::None | Tag::NonSpecific | Tag::Core("seq" | "omap" | "pairs")) {
                    report(errors, place, wrong_tag(tag));
                }
                if matches!(Tag::of(tag), Tag::Core("omap" | "pairs")) {
                    pairs(file, items, place, errors);
                }
                if node.flow {
                    items.iter().for_each(|item| question_mark(text, file, *item, errors));
                }
            }
            NodeKind::Mapping(entries) => {
                if !matches!(Tag::of(tag), Tag::None | Tag::NonSpecific | Tag::Core("map" | "set")) {
                    report(errors, place, wrong_tag(tag));
                }
                for entry in entries {
                    key_and_merge(file, *entry, errors);
                    if node.flow {
                        question_mark(text, file, entry.key, errors);
                        question_mark(text, file, entry.value, errors);
                    }
                }
            }
            NodeKind::Missing | NodeKind::Alias { .. } => {}
        }
    }
}

fn wrong_tag(tag: Option<&str>) -> Message {
    let tag = tag.unwrap_or_default();
    match Tag::of(Some(tag)) {
        Tag::Core(
            "str" | "int" | "float" | "bool" | "null" | "binary" | "timestamp" | "seq" | "map" | "set" | "omap" | "pairs",
        ) => {
            message!("tag `{tag}` does not fit what it stands before", "标签 `{tag}` 与其后的内容不符")
        }
        _ => unknown_tag(tag),
    }
}

/// `!!omap` and `!!pairs` take mappings of one entry.
fn pairs(file: &DataFile, items: &[NodeId], place: TextRange, errors: &mut Vec<SyntaxError>) {
    let single = |id: &NodeId| NodeRef { file, id: *id }.entries().count() == 1;
    if !items.iter().all(single) {
        report(errors, place, message!("each item must be a mapping of one key", "每一项都必须是只有一个键的映射"));
    }
}

fn key_and_merge(file: &DataFile, entry: Entry, errors: &mut Vec<SyntaxError>) {
    let key = NodeRef { file, id: entry.key };
    let value = NodeRef { file, id: entry.value };
    if matches!(key.follow().raw().kind, NodeKind::Sequence(_) | NodeKind::Mapping(_)) {
        let message = message!(
            "a list or mapping cannot be a key in Python; `{{{{ … }}}}` must stand in quotes",
            "列表或映射在 Python 中不能作键；`{{{{ … }}}}` 需要加引号"
        );
        report(errors, key.range(), message);
    }
    let list = matches!(value.follow().raw().kind, NodeKind::Sequence(_));
    if is_merge_key(key) && !value.is_mapping() && !(list && value.items().all(NodeRef::is_mapping)) {
        report(errors, value_place(key, value), message!("`<<` can merge mappings only", "`<<` 只能合并映射"));
    }
}

fn value_place(key: NodeRef<'_>, value: NodeRef<'_>) -> TextRange {
    if value.range().is_empty() { key.range() } else { value.range() }
}

/// Inside brackets PyYAML takes every `?` of a plain scalar for the mark of a key.
fn question_mark(text: &str, file: &DataFile, id: NodeId, errors: &mut Vec<SyntaxError>) {
    let node = &file.nodes[id.0 as usize];
    let NodeKind::Scalar(scalar) = &node.kind else { return };
    if scalar.style == Style::Plain && node.range.slice(text).contains('?') {
        let message = message!(
            "PyYAML cannot read a `?` in an unquoted value inside brackets; put it in quotes",
            "PyYAML 无法读取括号内未加引号的值中的 `?`，请加引号"
        );
        report(errors, node.range, message);
    }
}
