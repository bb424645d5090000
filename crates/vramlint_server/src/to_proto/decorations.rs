//! Hovers, inlay hints and code lenses.

use crate::analysis::Analysis;
use crate::settings::Settings;
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeLens, Command, Hover, HoverContents, InlayHint, InlayHintLabel, InlayHintTooltip, MarkupContent, MarkupKind, Position,
    Range,
};
use vramlint_ide as ide;
use vramlint_resolve::SourceFile;

fn markdown(text: String) -> MarkupContent {
    MarkupContent { kind: MarkupKind::Markdown, value: text }
}

/// The hover at a position.
pub(crate) fn hover(analysis: &Analysis, file: &SourceFile, position: Position) -> Option<Hover> {
    let lines = analysis.context.lines(file);
    let hover = ide::hover(&analysis.answer.report, file.id, lines.offset(position), analysis.lang)?;
    Some(Hover { contents: HoverContents::Markup(markdown(hover.text)), range: Some(lines.range(hover.range)) })
}

/// The inlay hints that the settings enable.
pub(crate) fn hints(analysis: &Analysis, file: &SourceFile, range: Range, settings: &Settings) -> Vec<InlayHint> {
    let lines = analysis.context.lines(file);
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

/// The lenses above launches.
pub(crate) fn lenses(analysis: &Analysis, file: &SourceFile) -> Vec<CodeLens> {
    let lines = analysis.context.lines(file);
    let Some(uri) = analysis.context.uri(&analysis.context.path(file)) else { return Vec::new() };
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
