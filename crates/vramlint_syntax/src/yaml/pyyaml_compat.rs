//! What PyYAML rejects although the parser accepts it. Each row was run against PyYAML 6.0.3; `tests/pyyaml/run.sh` compares.

use super::build::{Built, content_indent};
use super::keys;
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
    documents(text, built, &mut errors);
    block_scalars(text, &built.file, &mut errors);
    anchors(text, &built.file, &mut errors);
    nodes(text, built, &mut errors);
    errors
}

pub(super) fn report(errors: &mut Vec<SyntaxError>, range: TextRange, message: Message) {
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
    let (mut line, mut seen, mut last_line, mut reported) = (0, 0, None, 0);
    for (at, _) in text.match_indices('\t') {
        line = text[seen..at].rfind(['\n', '\r']).map_or(line, |i| seen + i + 1);
        seen = at;
        if reported == TAB_ERRORS {
            break;
        }
        if last_line == Some(line) {
            continue;
        }
        while ranges.peek().is_some_and(|(range, _)| range.end <= at) {
            ranges.next();
        }
        let inside = ranges.peek().filter(|(range, _)| range.start <= at);
        let is_text = match inside {
            Some((range, true)) => !before_block_content(text, range, line, at),
            Some(_) => true,
            None => text[line..].starts_with('%'),
        };
        if is_text {
            continue;
        }
        last_line = Some(line);
        reported += 1;
        let range = TextRange::of(at..at + 1);
        report(
            errors,
            range,
            message!("PyYAML does not allow a tab here; use a space", "PyYAML 不允许此处使用制表符（tab）；请用空格"),
        );
    }
}

/// Whether a tab in a block scalar is left of its content, where it is not text. `line` is where its line starts.
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
    before.len() < content_indent(text, scalar.start)
}

/// After `...` PyYAML starts a document only with `---`.
fn documents(text: &str, built: &Built, errors: &mut Vec<SyntaxError>) {
    for document in built.file.documents.iter().skip(1) {
        if !text[document.range.as_usize()].starts_with("---") {
            let length = document.range.slice(text).find(['\n', '\r']).map_or(document.range.len(), |at| at as u32);
            let range = TextRange::new(document.range.start, document.range.start + length);
            report(
                errors,
                range,
                message!("PyYAML starts another document only with `---`", "PyYAML 只能用 `---` 开始另一个文档"),
            );
        }
    }
}

/// A block scalar without indentation, as the root of a document may be in YAML 1.2.
fn block_scalars(text: &str, file: &DataFile, errors: &mut Vec<SyntaxError>) {
    for node in &file.nodes {
        let NodeKind::Scalar(scalar) = &node.kind else { continue };
        if !matches!(scalar.style, Style::Literal | Style::Folded) {
            continue;
        }
        if !scalar.text.trim().is_empty() && content_indent(text, node.range.start as usize) == 0 {
            let place = TextRange::new(node.range.start, node.range.start + 1);
            report(
                errors,
                place,
                message!("PyYAML requires the text after this indicator to be indented", "PyYAML 要求此标记之后的文本有缩进"),
            );
        }
    }
}

/// Anchors written twice in a document, aliases without an anchor, names that PyYAML cannot read.
fn anchors(text: &str, file: &DataFile, errors: &mut Vec<SyntaxError>) {
    let lines = LineIndex::new(text);
    for document in nodes_by_document(file) {
        let mut first: HashMap<&str, u32> = HashMap::new();
        for node in document {
            if let NodeKind::Alias { name, target } = &node.kind {
                if target.is_none() {
                    report(
                        errors,
                        node.range,
                        message!("anchor `&{name}` is not defined before this alias", "此别名之前未定义锚点 `&{name}`"),
                    );
                }
                anchor_name(text, name, node.range, errors);
            }
            let Some((name, range)) = &node.anchor else { continue };
            anchor_name(text, name, *range, errors);
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
fn nodes_by_document(file: &DataFile) -> Vec<&[Node]> {
    let mut bounds: Vec<usize> = file.documents.iter().filter_map(|document| document.root).map(|root| root.0 as usize).collect();
    bounds.push(file.nodes.len());
    bounds.windows(2).map(|pair| &file.nodes[pair[0]..pair[1]]).collect()
}

/// PyYAML's names are ASCII, and few characters may follow them (`scanner.py`, `scan_anchor`).
fn anchor_name(text: &str, name: &str, range: TextRange, errors: &mut Vec<SyntaxError>) {
    let named = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    let behind = text[range.end as usize..].chars().next();
    let ends = behind.is_none_or(|c| c.is_whitespace() || "?:,]}%@`".contains(c));
    if !named || !ends {
        let message = message!(
            "PyYAML allows only letters, digits, `-` and `_` in the name `{name}`, and a space after it",
            "PyYAML 只允许名称 `{name}` 中有字母、数字、`-` 和 `_`，其后要有空格"
        );
        report(errors, range, message);
    }
}

/// What PyYAML's constructor raises on: unknown tags, impossible numbers and dates, lists and mappings as keys, merges of what
/// is not a mapping.
fn nodes(text: &str, built: &Built, errors: &mut Vec<SyntaxError>) {
    let file = &built.file;
    let mut as_key = vec![false; file.nodes.len()];
    for node in &file.nodes {
        if let NodeKind::Mapping(entries) = &node.kind {
            for entry in entries {
                as_key[entry.key.0 as usize] = true;
            }
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
                    keys::items(text, file, items, errors);
                }
            }
            NodeKind::Mapping(entries) => {
                if !matches!(Tag::of(tag), Tag::None | Tag::NonSpecific | Tag::Core("map" | "set")) {
                    report(errors, place, wrong_tag(tag));
                }
                for entry in entries {
                    key_and_merge(file, *entry, errors);
                }
                keys::mapping(text, built, node, entries, errors);
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
            message!("tag `{tag}` does not fit the value after it", "标签 `{tag}` 与其后的值不符")
        }
        _ => unknown_tag(tag),
    }
}

/// `!!omap` and `!!pairs` take mappings of one entry.
fn pairs(file: &DataFile, items: &[NodeId], place: TextRange, errors: &mut Vec<SyntaxError>) {
    let single = |id: &NodeId| NodeRef { file, id: *id }.entries().count() == 1;
    if !items.iter().all(single) {
        report(errors, place, message!("each item must be a mapping with one key", "每一项都必须是只有一个键的映射"));
    }
}

fn key_and_merge(file: &DataFile, entry: Entry, errors: &mut Vec<SyntaxError>) {
    let key = NodeRef { file, id: entry.key };
    let value = NodeRef { file, id: entry.value };
    if matches!(key.follow().raw().kind, NodeKind::Sequence(_) | NodeKind::Mapping(_)) {
        let message = message!(
            "a list or mapping cannot be a key in Python; quote `{{{{ … }}}}`",
            "列表或映射在 Python 中不能作键；请给 `{{{{ … }}}}` 加引号"
        );
        report(errors, key.range(), message);
    }
    let list = matches!(value.follow().raw().kind, NodeKind::Sequence(_));
    if is_merge_key(key) && !value.is_mapping() && !(list && value.items().all(NodeRef::is_mapping)) {
        report(errors, value_place(key, value), message!("`<<` can merge only mappings", "`<<` 只能合并映射"));
    }
}

fn value_place(key: NodeRef<'_>, value: NodeRef<'_>) -> TextRange {
    if value.range().is_empty() { key.range() } else { value.range() }
}
