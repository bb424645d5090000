//! A key that moves, in its file or to another.

use super::data::own_entry;
use super::{put, remove_entry};
use vramlint_base::{Edit, Value};
use vramlint_resolve::SourceFile;
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// Moves an entry to `path` of a file, under a name of its own there, with a value of its own or the one it had. `None` where
/// that key has another value there already.
pub(crate) fn move_key(
    from: &SourceFile,
    entry: (NodeRef<'_>, NodeRef<'_>),
    to: &SourceFile,
    path: &[&str],
    name: &str,
    value: Option<Value>,
) -> Option<Vec<Edit>> {
    let (key, node) = entry;
    let removal = remove_entry(from, key.range(), node.range())?;
    let value = value.or_else(|| node.value(loader(from.data()?)))?;
    let target = to.data()?;
    let there = path.iter().try_fold(target.root()?, |node, part| node.get(part)).and_then(|mapping| own_entry(mapping, name));
    if let Some((_, old)) = there {
        return (old.value(loader(target)) == Some(value)).then(|| vec![removal]);
    }
    let addition = put(to, path, name, &value)?;
    let apart = removal.place.file != addition.place.file || !removal.place.range.touches(addition.place.range);
    apart.then(|| vec![removal, addition])
}

fn loader(data: &DataFile) -> Loader {
    if data.json { Loader::Json } else { Loader::PyYaml }
}
