//! The keys of the frameworks: exact, with their nesting.

use super::Dialect;
pub(crate) use super::value::Form;
use crate::Concept;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A key: its path with dots, what it sets, how its value is read.
pub(crate) type Row = (&'static str, Concept, Form);

/// The row of this path in the dialect's vocabulary.
pub(super) fn row(dialect: Dialect, path: &str) -> Option<&'static Row> {
    TABLES.get(&dialect)?.get(path).copied()
}

/// Whether the dialect's vocabulary has this path.
pub(super) fn knows(dialect: Dialect, path: &str) -> bool {
    row(dialect, path).is_some() || second(dialect, path).next().is_some()
}

/// What this path says of a second concept: one key may speak of several things.
pub(super) fn second(dialect: Dialect, path: &str) -> impl Iterator<Item = &'static Row> {
    dialect.framework().second.iter().filter(move |row| row.0 == path)
}

type Table = HashMap<&'static str, &'static Row>;

static TABLES: LazyLock<HashMap<Dialect, Table>> = LazyLock::new(|| {
    // Later lists overrule earlier ones.
    let table = |dialect: &Dialect| {
        dialect.framework().keys.iter().flat_map(|list| list.iter()).map(|row| (row.0, row)).collect::<Table>()
    };
    Dialect::ALL.iter().map(|dialect| (*dialect, table(dialect))).collect()
});
