//! Completions.

use crate::analysis::Analysis;
use tower_lsp_server::ls_types::{
    CompletionItem, CompletionItemKind, CompletionItemTag, CompletionTextEdit, Documentation, MarkupContent, MarkupKind,
    Position, TextEdit,
};
use vramlint_ide as ide;
use vramlint_resolve::SourceFile;

/// The completions at a position, best first.
pub(crate) fn completions(analysis: &Analysis, file: &SourceFile, position: Position) -> Vec<CompletionItem> {
    let lines = analysis.context.lines(file);
    let completions = ide::completions(&analysis.answer.report, file.id, lines.offset(position), analysis.lang);
    let item = |completion: ide::Completion| {
        let documentation = MarkupContent { kind: MarkupKind::Markdown, value: completion.documentation };
        CompletionItem {
            kind: Some(match completion.kind {
                ide::CompletionKind::Key => CompletionItemKind::PROPERTY,
                ide::CompletionKind::Value => CompletionItemKind::VALUE,
                ide::CompletionKind::Model => CompletionItemKind::CLASS,
                ide::CompletionKind::Gpu => CompletionItemKind::CONSTANT,
                ide::CompletionKind::File => CompletionItemKind::FILE,
            }),
            detail: (!completion.detail.is_empty()).then_some(completion.detail),
            documentation: (!documentation.value.is_empty()).then_some(Documentation::MarkupContent(documentation)),
            tags: completion.deprecated.then(|| vec![CompletionItemTag::DEPRECATED]),
            sort_text: Some(format!("{:06}", completion.rank)),
            // Clients match the replaced text against this.
            filter_text: Some(completion.text.clone()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                range: lines.range(completion.replace),
                new_text: completion.text,
            })),
            label: completion.label,
            ..CompletionItem::default()
        }
    };
    completions.into_iter().map(item).collect()
}
