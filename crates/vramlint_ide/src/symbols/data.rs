//! Keys of YAML and JSON.

use super::{Symbol, SymbolKind, clipped, setting};
use vramlint_base::TextRange;
use vramlint_resolve::SourceFile;
use vramlint_syntax::data::{NodeKind, NodeRef};

/// Maximum depth of the outline.
pub(super) const DEPTH: usize = 12;

/// The entries of a mapping; items of a list are named by their index.
pub(super) fn entries(file: &SourceFile, node: NodeRef<'_>, depth: usize) -> Vec<Symbol> {
    if depth == 0 {
        return Vec::new();
    }
    match &node.raw().kind {
        NodeKind::Mapping(_) => node.entries().filter_map(|(key, value)| entry(file, key, value, depth)).collect(),
        NodeKind::Sequence(_) => {
            let blocks = node.items().enumerate().filter(|(_, item)| item.is_mapping() && !is_alias(*item));
            blocks
                .map(|(number, item)| {
                    block(&format!("[{number}]"), item.range(), first_byte(file, item), entries(file, item, depth - 1))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

fn entry(file: &SourceFile, key: NodeRef<'_>, value: NodeRef<'_>, depth: usize) -> Option<Symbol> {
    let name = key.text().filter(|name| !name.trim().is_empty())?;
    let selection = key.range();
    let children = entries(file, value, depth - 1);
    let range = if value.range().is_empty() { selection } else { selection.cover(value.range()) };
    if value.is_mapping() && !is_alias(value) || !children.is_empty() {
        return Some(block(name, range, selection, children));
    }
    Some(setting(name, clipped(value.range().slice(&file.text)), range, selection))
}

fn block(name: &str, range: TextRange, selection: TextRange, children: Vec<Symbol>) -> Symbol {
    Symbol { name: name.to_owned(), detail: String::new(), kind: SymbolKind::Group, range, selection, children }
}

/// An alias is shown as a value; its target has its own entry.
fn is_alias(node: NodeRef<'_>) -> bool {
    matches!(node.raw().kind, NodeKind::Alias { .. })
}

/// The selection of a list item, which has no name: its first key.
fn first_byte(file: &SourceFile, item: NodeRef<'_>) -> TextRange {
    let first = item.entries().next().map_or(item.range(), |(key, _)| key.range());
    if item.range().contains(first) && !first.slice(&file.text).is_empty() { first } else { TextRange::at(item.range().start) }
}
