//! The outline of a file.

mod data;
mod python;
mod script;

use crate::embedded::{file_and_embedded, to_host};
use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;
use vramlint_resolve::{Project, Syntax};

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
    let project = &report.project;
    let mut found = Vec::new();
    for text in file_and_embedded(project, file) {
        let own = match &text.syntax {
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

/// A symbol in the whole file. What has no place there is left out.
fn in_host(project: &Project, file: FileId, symbol: Symbol) -> Option<Symbol> {
    let range = to_host(project, file, symbol.range)?.range;
    let selection = to_host(project, file, symbol.selection)?.range;
    let children: Vec<Symbol> = symbol.children.into_iter().filter_map(|child| in_host(project, file, child)).collect();
    let range = children.iter().fold(range.cover(selection), |range, child| range.cover(child.range));
    Some(Symbol { range, selection, children, ..symbol })
}

/// A setting without parts.
fn setting(name: &str, detail: String, range: TextRange, selection: TextRange) -> Symbol {
    Symbol { name: name.to_owned(), detail, kind: SymbolKind::Setting, range, selection, children: Vec::new() }
}

/// As much of a text as an outline shows, on one line.
fn clipped(text: &str) -> String {
    /// Characters.
    const SHOWN: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
