//! What is shown beside a text, and where its parts lead.

use crate::analysis::Analysis;
use crate::settings::Settings;
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeLens, Command, DocumentLink, DocumentSymbol, DocumentSymbolResponse, Hover, HoverContents, InlayHint, InlayHintLabel,
    InlayHintTooltip, Location, MarkupContent, MarkupKind, Position, Range, SymbolInformation, SymbolKind,
};
use vramlint_base::FileRange;
use vramlint_ide as ide;
use vramlint_resolve::SourceFile;

fn markdown(text: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value: text }
}

/// What is under the pointer.
pub(crate) fn hover(analysis: &Analysis, file: &SourceFile, position: Position) -> Option<Hover> {
    let lines = analysis.frame.lines(file);
    let hover = ide::hover(&analysis.answer.report, file.id, lines.offset(position), analysis.lang)?;
    Some(Hover { contents: HoverContents::Markup(markdown(hover.text)), range: Some(lines.range(hover.range)) })
}

/// The hints that the user wants.
pub(crate) fn hints(analysis: &Analysis, file: &SourceFile, range: Range, settings: &Settings) -> Vec<InlayHint> {
    let lines = analysis.frame.lines(file);
    let hints = ide::hints(&analysis.answer.report, file.id, lines.bytes(range), analysis.lang);
    let wanted = |hint: &ide::Hint| match hint.kind {
        ide::HintKind::EffectiveBatch => settings.effective_batch,
        ide::HintKind::Memory => settings.memory,
        ide::HintKind::Number => settings.number,
    };
    let hint = |hint: ide::Hint| InlayHint {
        position: lines.position(hint.offset),
        label: InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: None,
        tooltip: (!hint.tooltip.is_empty()).then(|| InlayHintTooltip::MarkupContent(markdown(hint.tooltip))),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    };
    hints.into_iter().filter(wanted).map(hint).collect()
}

/// The lines above launches.
pub(crate) fn lenses(analysis: &Analysis, file: &SourceFile) -> Vec<CodeLens> {
    let lines = analysis.frame.lines(file);
    let Some(uri) = analysis.frame.uri(&analysis.frame.path(file)) else { return Vec::new() };
    let lens = |lens: ide::Lens| {
        let (command, run) = match lens.command {
            ide::LensCommand::ShowRun(run) => ("vramlint.run", run),
            ide::LensCommand::ShowTimeline(run) => ("vramlint.timeline", run),
        };
        let arguments = Some(vec![json!({ "uri": uri, "run": run })]);
        let command = Command { title: lens.title, command: command.to_owned(), arguments };
        CodeLens { range: lines.range(lens.range), command: Some(command), data: None }
    };
    ide::lenses(&analysis.answer.report, file.id, analysis.lang).into_iter().map(lens).collect()
}

/// The names of files.
pub(crate) fn links(analysis: &Analysis, file: &SourceFile) -> Vec<DocumentLink> {
    let lines = analysis.frame.lines(file);
    let link = |link: ide::Link| DocumentLink {
        range: lines.range(link.range),
        target: analysis.frame.uri(&analysis.frame.path(analysis.source(link.target))),
        tooltip: None,
        data: None,
    };
    ide::links(&analysis.answer.report, file.id).into_iter().map(link).filter(|link| link.target.is_some()).collect()
}

/// Where a value is set.
pub(crate) fn definition(analysis: &Analysis, file: &SourceFile, position: Position) -> Vec<Location> {
    let offset = analysis.frame.lines(file).offset(position);
    locations(analysis, ide::definition(&analysis.answer.report, file.id, offset))
}

/// Who else takes part in a value.
pub(crate) fn references(analysis: &Analysis, file: &SourceFile, position: Position) -> Vec<Location> {
    let offset = analysis.frame.lines(file).offset(position);
    locations(analysis, ide::references(&analysis.answer.report, file.id, offset))
}

fn locations(analysis: &Analysis, places: Vec<FileRange>) -> Vec<Location> {
    places.into_iter().filter_map(|place| analysis.location(place)).collect()
}

/// The outline: nested where the client nests it.
pub(crate) fn symbols(analysis: &Analysis, file: &SourceFile) -> Option<DocumentSymbolResponse> {
    let symbols = ide::symbols(&analysis.answer.report, file.id, analysis.lang);
    if analysis.frame.abilities.nested_symbols {
        return Some(DocumentSymbolResponse::Nested(symbols.into_iter().map(|symbol| nested(analysis, file, symbol)).collect()));
    }
    let uri = analysis.frame.uri(&analysis.frame.path(file))?;
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
    let lines = analysis.frame.lines(file);
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
    uri: &tower_lsp_server::ls_types::Uri,
    symbol: ide::Symbol,
    container: Option<String>,
    out: &mut Vec<SymbolInformation>,
) {
    let location = Location { uri: uri.clone(), range: analysis.frame.lines(file).range(symbol.range) };
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
