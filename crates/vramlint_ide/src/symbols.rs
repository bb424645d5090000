//! The outline of a file.

use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolKind {
    /// A training run: its launch, or its main line.
    Run,
    /// A mapping of keys, a class of arguments, a call.
    Group,
    /// A key, an argument, a constant.
    Setting,
}

/// An entry of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// A few words beside it: the value.
    pub detail: String,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it, in the whole file.
    pub range: TextRange,
    /// Its name, within `range`.
    pub selection: TextRange,
    /// What stands in it.
    pub children: Vec<Symbol>,
}

/// The outline of a whole file, in order.
pub fn symbols(report: &Report, file: FileId, lang: Lang) -> Vec<Symbol> {
    let _ = (report, file, lang);
    Vec::new()
}
