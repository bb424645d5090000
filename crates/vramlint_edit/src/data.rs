//! Edits of values and keys in YAML and JSON.

use crate::list::{Items, List, has_comment};
use crate::spell::{self, is_plain, quoted, quotes_of};
use crate::{between, line_break, line_end, line_start, python, replace_range};
use vramlint_base::{Edit, TextRange, Value, has_template_mark};
use vramlint_resolve::SourceFile;
use vramlint_syntax::data::{DataFile, Loader, NodeId, NodeKind, NodeRef, Scalar, Style};

/// Replaces the value of a node. A string keeps the quotes of the old one; lists and mappings are written in flow style.
pub fn set(file: &SourceFile, node: NodeRef<'_>, value: &Value) -> Option<Edit> {
    if file.is_python() {
        return python::set_value(file, node.raw().range, value);
    }
    let data = file.data()?;
    let raw = node.raw();
    if data.is_used_outside(raw.range) || raw.tag.is_some() || has_template_mark(raw.range.slice(&file.text)) {
        return None;
    }
    let commented = has_comment(&data.comments, raw.range);
    let text = match &raw.kind {
        _ if data.json => spell::json(value)?,
        NodeKind::Scalar(Scalar { style: Style::Literal | Style::Folded, .. }) => return None,
        NodeKind::Scalar(Scalar { style: style @ (Style::Single | Style::Double), .. }) => match value {
            Value::Text(text) => quoted(text, *style),
            _ => spell::yaml(value, *style)?,
        },
        NodeKind::Mapping(_) | NodeKind::Sequence(_) if !raw.flow => return None,
        _ => spell::yaml(value, quotes_of(data))?,
    };
    if commented {
        return None;
    }
    if matches!(raw.kind, NodeKind::Missing) {
        let after_colon = between(file, raw.range.start.saturating_sub(1), raw.range.start) == ":";
        return (after_colon && raw.anchor.is_none()).then(|| replace_range(file, raw.range, format!(" {text}")));
    }
    Some(replace_range(file, raw.range, text))
}

/// Adds a key to a mapping, after its last entry. `None` if the key exists.
pub(crate) fn insert(file: &SourceFile, mapping: NodeRef<'_>, key: &str, value: &Value) -> Option<Edit> {
    let last = mapping.raw_entries()?.len().checked_sub(1);
    insert_entry_after(file, mapping, last, key, value)
}

/// Adds a key to a mapping, after the entry of `sibling`.
pub fn insert_after(file: &SourceFile, mapping: NodeRef<'_>, sibling: &str, key: &str, value: &Value) -> Option<Edit> {
    let index = mapping.entries().position(|(own, _)| own.text() == Some(sibling))?;
    insert_entry_after(file, mapping, Some(index), key, value)
}

/// Sets or adds `key` in the mapping at `path`, creating missing mappings. An empty path is the root.
pub fn put(file: &SourceFile, path: &[&str], key: &str, value: &Value) -> Option<Edit> {
    let mut mapping = file.data()?.root()?;
    for (depth, part) in path.iter().enumerate() {
        let nested = |below: &[&str]| {
            let innermost = Value::Map(vec![(Value::Text(key.to_owned()), value.clone())]);
            below.iter().rev().fold(innermost, |inner, name| Value::Map(vec![(Value::Text((*name).to_owned()), inner)]))
        };
        match own_entry(mapping, part) {
            None => return insert(file, mapping, part, &nested(&path[depth + 1..])),
            Some((_, child)) if matches!(child.raw().kind, NodeKind::Mapping(_)) => mapping = child,
            Some((name, child)) if child.value(Loader::PyYaml) == Some(Value::Null) => {
                return fill(file, name, child, &nested(&path[depth + 1..]));
            }
            Some(_) => return None,
        }
    }
    match own_entry(mapping, key) {
        Some((_, node)) => set(file, node, value),
        None => insert(file, mapping, key, value),
    }
}

/// Renames a key and keeps its quotes. `None` if the mapping already has the new name.
pub fn rename_key(file: &SourceFile, mapping: NodeRef<'_>, key: NodeRef<'_>, new: &str) -> Option<Edit> {
    let raw = key.raw();
    if file.is_python() {
        return mapping.get(new).is_none().then(|| python::rename_item(file, raw.range, new)).flatten();
    }
    let NodeKind::Scalar(scalar) = &raw.kind else { return None };
    let plain = raw.anchor.is_none() && raw.tag.is_none() && !has_template_mark(&scalar.text);
    if !plain || mapping.get(new).is_some() || file.data()?.is_used_outside(raw.range) {
        return None;
    }
    let text = match scalar.style {
        Style::Plain if is_plain(new) => new.to_owned(),
        Style::Plain | Style::Single => quoted(new, Style::Single),
        Style::Double => quoted(new, Style::Double),
        Style::Literal | Style::Folded => return None,
    };
    Some(replace_range(file, raw.range, text))
}

/// The last entry of a mapping with this key; merge keys are not followed, nor is an alias in place of the mapping.
pub(super) fn own_entry<'a>(mapping: NodeRef<'a>, key: &str) -> Option<(NodeRef<'a>, NodeRef<'a>)> {
    mapping.raw_entries()?;
    mapping.own_entry(key)
}

/// The entries of a JSON or flow-style mapping, as a list.
pub(super) fn bracketed<'a>(file: &'a SourceFile, mapping: NodeRef<'a>) -> Option<List<'a>> {
    let data = file.data()?;
    let raw = mapping.raw();
    let written = raw.range.slice(&file.text);
    if !(data.json || raw.flow) || !written.starts_with('{') || !written.ends_with('}') || written.len() < 2 {
        return None;
    }
    let items = Items::Entries(data, mapping.raw_entries()?);
    let inside = TextRange::new(raw.range.start + 1, raw.range.end - 1);
    Some(List { file, comments: &data.comments, inside, items })
}

/// The range from the key to the end of the value, including the anchors and tags of both.
pub(super) fn entry_range(data: &DataFile, key: NodeId, value: NodeId) -> TextRange {
    let (key, value) = (&data.nodes[key.0 as usize], &data.nodes[value.0 as usize]);
    let anchors = [key, value].into_iter().filter_map(|node| node.anchor.as_ref());
    let whole = key.range.cover(value.range);
    anchors.fold(whole, |range, (_, anchor)| range.cover(*anchor))
}

fn insert_entry_after(file: &SourceFile, mapping: NodeRef<'_>, index: Option<usize>, key: &str, value: &Value) -> Option<Edit> {
    let raw = mapping.raw();
    if file.is_python() {
        return python::add_item(file, python::dict_at(file, raw.range)?, key, &spell::python(value)?);
    }
    let data = file.data()?;
    if mapping.entry(key).is_some() || data.is_used_outside(raw.range) || data.has_statement {
        return None;
    }
    if data.json || raw.flow {
        let list = bracketed(file, mapping)?;
        let quotes = mapping.entries().next().and_then(|(own, _)| own.scalar()).map(|own| own.style);
        let name = match quotes {
            _ if data.json => quoted(key, Style::Double),
            Some(style @ (Style::Single | Style::Double)) => quoted(key, style),
            _ => spell::yaml(&Value::Text(key.to_owned()), quotes_of(data))?,
        };
        let text = if data.json { spell::json(value)? } else { spell::yaml(value, quotes_of(data))? };
        let item = format!("{name}: {text}");
        return match index {
            Some(index) => list.insert_after(index, &item),
            None => list.append(&item),
        };
    }
    insert_line(file, data, mapping, index?, key, value)
}

/// Adds lines after an entry of a block mapping.
fn insert_line(file: &SourceFile, data: &DataFile, mapping: NodeRef<'_>, index: usize, key: &str, value: &Value) -> Option<Edit> {
    let entries = mapping.raw_entries()?;
    let first = data.nodes[entries.first()?.key.0 as usize].range.start;
    let lead = between(file, line_start(file, first), first);
    // In `- a: 1`, the text before the first key is indentation for the other keys.
    if !lead.chars().all(|c| matches!(c, ' ' | '-')) {
        return None;
    }
    let indent = " ".repeat(lead.len());
    let entry = entries.get(index)?;
    let end = entry_range(data, entry.key, entry.value).end;
    let stop = line_end(file, end);
    let rest = between(file, end, stop).trim_matches([' ', '\t']);
    let rest = rest.strip_prefix(':').map_or(rest, str::trim_start);
    if !(rest.is_empty() || rest.starts_with('#')) || ends_in_block_text(data, entry.value) {
        return None;
    }
    let lines = lines_of(data, key, value, &indent, indent_width(file, data), line_break(file))?;
    Some(replace_range(file, TextRange::at(stop), format!("{}{lines}", line_break(file))))
}

/// The lines of an entry, indented, without a final line break.
fn lines_of(data: &DataFile, key: &str, value: &Value, indent: &str, width: usize, line_break: &str) -> Option<String> {
    let quote = quotes_of(data);
    let name = spell::yaml(&Value::Text(key.to_owned()), quote)?;
    match value {
        Value::Map(entries) if !entries.is_empty() => {
            let deeper = format!("{indent}{}", " ".repeat(width));
            let lines = entries.iter().map(|(key, value)| lines_of(data, key.as_str()?, value, &deeper, width, line_break));
            let lines: Vec<String> = lines.collect::<Option<_>>()?;
            Some(format!("{indent}{name}:{line_break}{}", lines.join(line_break)))
        }
        _ => Some(format!("{indent}{name}: {}", spell::yaml(value, quote)?)),
    }
}

/// Sets a mapping as the value of a key that is empty or null.
fn fill(file: &SourceFile, key: NodeRef<'_>, node: NodeRef<'_>, value: &Value) -> Option<Edit> {
    let data = file.data()?;
    let Value::Map(entries) = value else { return None };
    let (raw, start) = (node.raw(), line_start(file, key.range().start));
    let lead = between(file, start, key.range().start);
    let stop = line_end(file, raw.range.end);
    let rest = between(file, raw.range.end, stop).trim();
    let own_line = lead.chars().all(|c| matches!(c, ' ' | '-')) && (rest.is_empty() || rest.starts_with('#'));
    let bare = matches!(raw.kind, NodeKind::Missing) && raw.anchor.is_none() && !data.is_used_outside(raw.range);
    if data.json || !(own_line && bare) {
        return set(file, node, value);
    }
    let width = indent_width(file, data);
    let indent = " ".repeat(lead.len() + width);
    let lines = entries.iter().map(|(key, value)| lines_of(data, key.as_str()?, value, &indent, width, line_break(file)));
    let lines: Vec<String> = lines.collect::<Option<_>>()?;
    let text = format!("{}{}", line_break(file), lines.join(line_break(file)));
    Some(replace_range(file, TextRange::at(stop), text))
}

/// Indentation width of the file, from its first nested block mapping; 2 if there is none.
fn indent_width(file: &SourceFile, data: &DataFile) -> usize {
    let column = |offset: u32| (offset - line_start(file, offset)) as usize;
    let nested = data.nodes.iter().find_map(|node| {
        let NodeKind::Mapping(entries) = &node.kind else { return None };
        entries.iter().find_map(|entry| {
            let (key, value) = (&data.nodes[entry.key.0 as usize], &data.nodes[entry.value.0 as usize]);
            let inside = matches!(value.kind, NodeKind::Mapping(_)) && !value.flow && !node.flow;
            inside.then(|| column(value.range.start).saturating_sub(column(key.range.start)))
        })
    });
    nested.filter(|width| (1..=8).contains(width)).unwrap_or(2)
}

/// Whether a node ends in a block scalar (`|` or `>`), whose end an added line could move.
fn ends_in_block_text(data: &DataFile, id: NodeId) -> bool {
    let mut id = id;
    loop {
        let node = &data.nodes[id.0 as usize];
        let last = match &node.kind {
            NodeKind::Scalar(scalar) => return matches!(scalar.style, Style::Literal | Style::Folded),
            NodeKind::Sequence(items) => items.last().copied(),
            NodeKind::Mapping(entries) => entries.last().map(|entry| entry.value),
            NodeKind::Missing | NodeKind::Alias { .. } => None,
        };
        match last {
            Some(last) => id = last,
            None => return false,
        }
    }
}

/// The entries of a mapping that is written in place; aliases are not followed.
trait RawEntries<'a> {
    fn raw_entries(self) -> Option<&'a [vramlint_syntax::data::Entry]>;
}

impl<'a> RawEntries<'a> for NodeRef<'a> {
    fn raw_entries(self) -> Option<&'a [vramlint_syntax::data::Entry]> {
        if let NodeKind::Mapping(entries) = &self.raw().kind { Some(entries) } else { None }
    }
}
