//! Moves a key within a file or to another file.

use crate::data::own_entry;
use crate::{put, remove_entry, spell};
use vramlint_base::{Edit, Value};
use vramlint_resolve::SourceFile;
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// Moves an entry to the mapping at `path` of the file `to`, as `name` and with a new value if one is passed. `None` if that key
/// already has another value.
pub fn move_key(
    from: &SourceFile,
    entry: (NodeRef<'_>, NodeRef<'_>),
    to: &SourceFile,
    path: &[&str],
    name: &str,
    value: Option<Value>,
) -> Option<Vec<Edit>> {
    let (key, node) = entry;
    let removal = remove_entry(from, key.range(), node.range())?;
    let moved_as_is = value.is_none();
    let value = value.or_else(|| node.value(loader(from.data()?)))?;
    let target = to.data()?;
    let existing = path.iter().try_fold(target.root()?, |node, part| node.get(part)).and_then(|mapping| own_entry(mapping, name));
    if let Some((_, old)) = existing {
        return (old.value(loader(target)) == Some(value)).then(|| vec![removal]);
    }
    let mut addition = put(to, path, name, &value)?;
    // Keep the spelling if it means the same in the target file: `1e-4` stays `1e-4`.
    let written = node.range().slice(&from.text);
    if moved_as_is && from.data()?.json == target.json && !written.contains(['\n', '\r']) {
        let spelled = if target.json { spell::json(&value) } else { None };
        if let Some(spelled) = spelled.filter(|spelled| addition.text.matches(spelled.as_str()).count() == 1) {
            addition.text = addition.text.replace(&spelled, written);
        }
    }
    let disjoint = removal.place.file != addition.place.file || !removal.place.range.touches(addition.place.range);
    disjoint.then(|| vec![removal, addition])
}

fn loader(data: &DataFile) -> Loader {
    if data.json { Loader::Json } else { Loader::PyYaml }
}
