//! The outline of a file.

mod data;
mod python;
mod script;

use crate::embedded::{file_and_embedded, to_host};
use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;
use vramlint_resolve::{Project, Syntax};

/// The kind of a symbol.
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
    /// The name.
    pub name: String,
    /// The value, shortened.
    pub detail: String,
    /// The kind.
    pub kind: SymbolKind,
    /// The whole range, in the host file.
    pub range: TextRange,
    /// The range of the name, within `range`.
    pub selection: TextRange,
    /// Nested symbols.
    pub children: Vec<Symbol>,
}

/// The outline of a host file, in order.
pub fn symbols(report: &Report, file: FileId, lang: Lang) -> Vec<Symbol> {
    let project = &report.project;
    let mut found = Vec::new();
    for text in file_and_embedded(project, file) {
        let own = match text.syntax() {
            Syntax::Data(data) => data.roots().flat_map(|root| data::entries(text, root, data::DEPTH)).collect(),
            Syntax::Python(module) => python::outline(text, module),
            Syntax::Script(_) => script::launches(project, text.id, lang),
            Syntax::Text | Syntax::Unreadable => Vec::new(),
        };
        found.extend(own.into_iter().filter_map(|symbol| in_host(project, text.id, symbol)));
    }
    found.sort_by_key(|symbol| (symbol.range.start, std::cmp::Reverse(symbol.range.end)));
    found
}

/// Maps a symbol to the host file; `None` if it cannot be mapped.
fn in_host(project: &Project, file: FileId, symbol: Symbol) -> Option<Symbol> {
    let range = to_host(project, file, symbol.range)?.range;
    let selection = to_host(project, file, symbol.selection)?.range;
    let children: Vec<Symbol> = symbol.children.into_iter().filter_map(|child| in_host(project, file, child)).collect();
    let range = children.iter().fold(range.cover(selection), |range, child| range.cover(child.range));
    Some(Symbol { range, selection, children, ..symbol })
}

/// A setting without children.
fn setting(name: &str, detail: String, range: TextRange, selection: TextRange) -> Symbol {
    Symbol { name: name.to_owned(), detail, kind: SymbolKind::Setting, range, selection, children: Vec::new() }
}

/// A text on one line, shortened.
fn clipped(text: &str) -> String {
    /// Maximum number of characters.
    const SHOWN: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
