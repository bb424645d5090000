//! Links, definitions, references and the outline.

use crate::analysis::Analysis;
use tower_lsp_server::ls_types::{
    DocumentLink, DocumentSymbol, DocumentSymbolResponse, Location, Position, SymbolInformation, SymbolKind, Uri,
};
use vramlint_base::FileRange;
use vramlint_ide as ide;
use vramlint_resolve::SourceFile;

/// Links to files of the project.
pub(crate) fn links(analysis: &Analysis, file: &SourceFile) -> Vec<DocumentLink> {
    let lines = analysis.context.lines(file);
    let link = |link: ide::Link| DocumentLink {
        range: lines.range(link.range),
        target: analysis.context.uri(&analysis.context.path(analysis.source(link.target))),
        tooltip: None,
        data: None,
    };
    ide::links(&analysis.answer.report, file.id).into_iter().map(link).filter(|link| link.target.is_some()).collect()
}

/// Where a value is set.
pub(crate) fn definition(analysis: &Analysis, file: &SourceFile, position: Position) -> Vec<Location> {
    let offset = analysis.context.lines(file).offset(position);
    locations(analysis, ide::definition(&analysis.answer.report, file.id, offset))
}

/// Every other location that contributes to a value.
pub(crate) fn references(analysis: &Analysis, file: &SourceFile, position: Position) -> Vec<Location> {
    let offset = analysis.context.lines(file).offset(position);
    locations(analysis, ide::references(&analysis.answer.report, file.id, offset))
}

fn locations(analysis: &Analysis, uri: Vec<FileRange>) -> Vec<Location> {
    uri.into_iter().filter_map(|place| analysis.location(place)).collect()
}

/// The outline, nested if the client supports it.
pub(crate) fn symbols(analysis: &Analysis, file: &SourceFile) -> Option<DocumentSymbolResponse> {
    let symbols = ide::symbols(&analysis.answer.report, file.id, analysis.lang);
    if analysis.context.capabilities.nested_symbols {
        return Some(DocumentSymbolResponse::Nested(symbols.into_iter().map(|symbol| nested(analysis, file, symbol)).collect()));
    }
    let uri = analysis.context.uri(&analysis.context.path(file))?;
    let mut flat = Vec::new();
    for symbol in symbols {
        flatten(analysis, file, &uri, symbol, None, &mut flat);
    }
    Some(DocumentSymbolResponse::Flat(flat))
}

const fn kind(kind: ide::SymbolKind) -> SymbolKind {
    match kind {
        ide::SymbolKind::Run => SymbolKind::EVENT,
        ide::SymbolKind::Group => SymbolKind::OBJECT,
        ide::SymbolKind::Setting => SymbolKind::PROPERTY,
    }
}

fn nested(analysis: &Analysis, file: &SourceFile, symbol: ide::Symbol) -> DocumentSymbol {
    let lines = analysis.context.lines(file);
    let children: Vec<_> = symbol.children.into_iter().map(|child| nested(analysis, file, child)).collect();
    #[allow(deprecated)] // the field is there, and has to be given
    DocumentSymbol {
        name: symbol.name,
        detail: (!symbol.detail.is_empty()).then_some(symbol.detail),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: lines.range(symbol.range),
        selection_range: lines.range(symbol.selection),
        children: (!children.is_empty()).then_some(children),
    }
}

fn flatten(
    analysis: &Analysis,
    file: &SourceFile,
    uri: &Uri,
    symbol: ide::Symbol,
    container: Option<String>,
    out: &mut Vec<SymbolInformation>,
) {
    let location = Location { uri: uri.clone(), range: analysis.context.lines(file).range(symbol.range) };
    #[allow(deprecated)] // the field is there, and has to be given
    out.push(SymbolInformation {
        name: symbol.name.clone(),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        location,
        container_name: container,
    });
    for child in symbol.children {
        flatten(analysis, file, uri, child, Some(symbol.name.clone()), out);
    }
}
