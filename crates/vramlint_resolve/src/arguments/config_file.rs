//! Arguments in a data file.

use super::{ArgumentEntry, NestedArgument, PassedBy};
use crate::SourceFile;
use std::collections::HashSet;
use vramlint_base::value_readers::argparse_number;
use vramlint_base::{FileRange, Value, is_templated};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// The entries of a file, each key once. Of duplicates the last one counts, as in every loader here.
pub(super) fn entries(file: &SourceFile, loader: Loader) -> Vec<ArgumentEntry> {
    file.data().and_then(DataFile::root).map(|root| mapping_entries(file, root, loader)).unwrap_or_default()
}

/// The entries of a block of a file, by the keys that lead to it.
pub(super) fn block_entries(file: &SourceFile, route: &[String], loader: Loader) -> Vec<ArgumentEntry> {
    let root = file.data().and_then(DataFile::root);
    let block = root.and_then(|root| route.iter().try_fold(root, |node, key| node.get(key)));
    block.map(|block| mapping_entries(file, block, loader)).unwrap_or_default()
}

fn mapping_entries(file: &SourceFile, root: NodeRef<'_>, loader: Loader) -> Vec<ArgumentEntry> {
    let mut found: Vec<ArgumentEntry> = Vec::new();
    let mut known = HashSet::new();
    for (key, _) in root.entries() {
        let Some(text) = key.text().filter(|text| *text != "<<") else { continue };
        if !known.insert(text) {
            continue;
        }
        let Some((key, value)) = root.entry(text) else { continue };
        let key_place = FileRange::new(file.id, key.range());
        found.push(ArgumentEntry {
            key: text.to_owned(),
            key_place,
            place: FileRange::new(file.id, key.range().cover(value.range())),
            value: known_value(value, loader),
            value_place: if value.range().is_empty() { key_place } else { FileRange::new(file.id, value.range()) },
            by: PassedBy::File,
            entries: nested_entries(file, value, loader),
        });
    }
    found
}

/// Whether the file has a merge key, whose entries are not read.
pub(super) fn has_merge_key(file: &SourceFile) -> bool {
    file.data().and_then(DataFile::root).is_some_and(|root| root.entries().any(|(key, _)| key.text() == Some("<<")))
}

fn known_value(node: NodeRef<'_>, loader: Loader) -> Option<Value> {
    let value = node.value(loader)?;
    if value.as_str().is_some_and(is_templated) {
        return None;
    }
    Some(match (&value, loader) {
        // argparse converts a default that is a string to the type of its field.
        (Value::Text(text), Loader::TrlParser) => argparse_number(text).unwrap_or(value),
        _ => value,
    })
}

fn nested_entries(file: &SourceFile, node: NodeRef<'_>, loader: Loader) -> Vec<NestedArgument> {
    let nested = |(key, value): (NodeRef<'_>, NodeRef<'_>)| {
        let place = FileRange::new(file.id, key.range());
        let value_place = if value.range().is_empty() { place } else { FileRange::new(file.id, value.range()) };
        Some(NestedArgument { key: key.text()?.to_owned(), place, value: value.value(loader), value_place })
    };
    node.entries().filter_map(nested).collect()
}
