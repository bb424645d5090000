//! The entries of a file that a table knows.

use vramlint_catalog::keys::{self, Key};
use vramlint_syntax::data::NodeRef;

/// An entry with its row of the table.
#[derive(Clone, Copy, Debug)]
pub struct KnownEntry<'a> {
    /// The row.
    pub row: &'static Key,
    /// The mapping that holds it.
    pub block: NodeRef<'a>,
    /// The key as written.
    pub key: NodeRef<'a>,
    /// The value.
    pub value: NodeRef<'a>,
}

/// Depth to which blocks are visited; tables are not deeper.
const DEPTH: usize = 6;

/// Every entry below `root` whose path, or an alias of it, is in the table, outermost first.
pub fn known_entries<'a>(table: &'static [Key], root: NodeRef<'a>) -> Vec<KnownEntry<'a>> {
    let mut found = Vec::new();
    visit(table, root, &mut Vec::new(), &mut found);
    found
}

fn visit<'a>(table: &'static [Key], block: NodeRef<'a>, path: &mut Vec<&'a str>, found: &mut Vec<KnownEntry<'a>>) {
    for (key, value) in block.entries() {
        let Some(name) = key.text() else { continue };
        path.push(name);
        if let Some(row) = keys::find(table, &path.join(".")) {
            found.push(KnownEntry { row, block, key, value });
        }
        if value.is_mapping() && path.len() < DEPTH {
            visit(table, value, path, found);
        }
        path.pop();
    }
}
