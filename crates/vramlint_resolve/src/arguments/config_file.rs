//! Arguments in a data file.

use super::{ArgumentEntry, NestedArgument, PassedBy};
use crate::SourceFile;
use crate::run::sources::data_file::is_templated;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};
use vramlint_syntax::yaml;

/// What a file gives, each key once: of a duplicate the last one, as every loader here has it.
pub(super) fn given(file: &SourceFile, loader: Loader) -> Vec<ArgumentEntry> {
    file.data().and_then(DataFile::root).map(|root| given_in(file, root, loader)).unwrap_or_default()
}

/// What a block of a file gives, by the keys that lead to it.
pub(super) fn given_at(file: &SourceFile, route: &[String], loader: Loader) -> Vec<ArgumentEntry> {
    let root = file.data().and_then(DataFile::root);
    let block = root.and_then(|root| route.iter().try_fold(root, |node, key| node.get(key)));
    block.map(|block| given_in(file, block, loader)).unwrap_or_default()
}

fn given_in(file: &SourceFile, root: NodeRef<'_>, loader: Loader) -> Vec<ArgumentEntry> {
    let mut found: Vec<ArgumentEntry> = Vec::new();
    for (key, _) in root.entries() {
        let Some(text) = key.text().filter(|text| *text != "<<") else { continue };
        if found.iter().any(|known| known.key == text) {
            continue;
        }
        let Some((key, value)) = root.entry(text) else { continue };
        let key_place = FileRange::new(file.id, key.range());
        found.push(ArgumentEntry {
            key: text.to_owned(),
            key_place,
            place: FileRange::new(file.id, key.range().cover(value.range())),
            value: known(value, loader),
            value_place: if value.range().is_empty() { key_place } else { FileRange::new(file.id, value.range()) },
            by: PassedBy::File,
            entries: entries(file, value, loader),
        });
    }
    found
}

/// Whether a merge key brings in what is not looked at.
pub(super) fn merges(file: &SourceFile) -> bool {
    file.data().and_then(DataFile::root).is_some_and(|root| root.entries().any(|(key, _)| key.text() == Some("<<")))
}

fn known(node: NodeRef<'_>, loader: Loader) -> Option<Value> {
    let value = node.value(loader)?;
    if is_templated(&value) {
        return None;
    }
    Some(match (&value, loader) {
        // argparse turns a default that is text into the type of its field.
        (Value::Text(text), Loader::TrlParser) => yaml::scalar::argparse_number(text).unwrap_or(value),
        _ => value,
    })
}

fn entries(file: &SourceFile, node: NodeRef<'_>, loader: Loader) -> Vec<NestedArgument> {
    let nested = |(key, value): (NodeRef<'_>, NodeRef<'_>)| {
        let place = FileRange::new(file.id, key.range());
        let value_place = if value.range().is_empty() { place } else { FileRange::new(file.id, value.range()) };
        Some(NestedArgument { key: key.text()?.to_owned(), place, value: value.value(loader), value_place })
    };
    node.entries().filter_map(nested).collect()
}
