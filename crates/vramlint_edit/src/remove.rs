//! Removal of entries in YAML and JSON.

use crate::data::{bracketed, entry_range, own_entry};
use crate::list::has_comment;
use crate::{between, line_end, line_start, next_line, replace_range, starts_line};
use vramlint_base::{Edit, TextRange, has_template_mark};
use vramlint_resolve::SourceFile;
use vramlint_syntax::data::{DataFile, NodeId, NodeKind, NodeRef};

/// Removes the entry with these ranges of key and value: its lines in a block mapping, otherwise the entry and its comma. If the
/// mapping has no other entry, it becomes `{}`.
pub fn remove_entry(file: &SourceFile, key: TextRange, value: TextRange) -> Option<Edit> {
    if file.is_python() {
        return super::python::remove_entry(file, key);
    }
    let data = file.data()?;
    let (mapping, index) = data.entry_at(key, value)?;
    remove(file, data, mapping, index)
}

/// Removes the entry of a mapping with this key.
pub fn remove_key(file: &SourceFile, mapping: NodeRef<'_>, key: &str) -> Option<Edit> {
    let (key, value) = own_entry(mapping, key)?;
    remove_entry(file, key.range(), value.range())
}

fn range_of(data: &DataFile, id: NodeId) -> TextRange {
    data.nodes[id.0 as usize].range
}

fn remove(file: &SourceFile, data: &DataFile, mapping: NodeRef<'_>, index: usize) -> Option<Edit> {
    let NodeKind::Mapping(entries) = &mapping.raw().kind else { return None };
    let entry = entries.get(index)?;
    let whole = entry_range(data, entry.key, entry.value);
    if data.is_used_outside(whole) || has_template_mark(range_of(data, entry.key).slice(&file.text)) || data.has_statement {
        return None;
    }
    if data.json || mapping.raw().flow {
        return bracketed(file, mapping)?.remove(index);
    }
    let (start, last) = (whole.start, whole.end);
    let stop = line_end(file, last);
    let rest = between(file, last, stop).trim();
    let alone = rest.is_empty() || rest.starts_with('#') || rest == ":";
    if !alone {
        return None;
    }
    if entries.len() == 1 && data.documents.iter().all(|document| document.root != Some(mapping.id)) {
        // An empty value would be null.
        let end = if rest == ":" { stop } else { last };
        return starts_line(file, start).then(|| replace_range(file, TextRange::new(start, end), "{}"));
    }
    if starts_line(file, start) {
        let lines = TextRange::new(line_start(file, start), next_line(file, last));
        return Some(replace_range(file, lines, ""));
    }
    // In `- a: 1`, the next entry moves to the position of the first.
    let next = entries.get(index + 1).map(|next| range_of(data, next.key).start)?;
    let lead = between(file, line_start(file, start), start);
    let removed = TextRange::new(start, next);
    let commented = has_comment(&data.comments, removed);
    (lead.chars().all(|c| matches!(c, ' ' | '-')) && !commented).then(|| replace_range(file, removed, ""))
}
