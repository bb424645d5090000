//! Diagnostics.

use crate::analysis::Analysis;
use crate::uri;
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
};
use vramlint_base::Severity;
use vramlint_ide as ide;
use vramlint_resolve::SourceFile;

/// The diagnostics of a host file, in the order of the report.
pub(crate) fn diagnostics(analysis: &Analysis, file: &SourceFile) -> Vec<Diagnostic> {
    let diagnostics = ide::diagnostics(&analysis.answer.report, file.id, analysis.lang);
    diagnostics.into_iter().map(|diagnostic| to_diagnostic(analysis, file, diagnostic)).collect()
}

fn to_diagnostic(analysis: &Analysis, file: &SourceFile, diagnostic: ide::Diagnostic) -> Diagnostic {
    let capabilities = analysis.context.capabilities;
    let mut message = diagnostic.message;
    let mut related = Vec::new();
    for note in diagnostic.notes {
        if let Some(location) = analysis.location(note.place).filter(|_| capabilities.related) {
            related.push(DiagnosticRelatedInformation { location, message: note.message });
        } else {
            // For a client without related information, append the note to the message.
            let source = analysis.source(note.place.file);
            let at = source.lines().line_column(&source.text, note.place.range.start);
            message.push_str(&format!("\n{}:{}:{}: {}", source.path, at.line, at.column, note.message));
        }
    }
    let tag = |tag: &ide::Tag| match tag {
        ide::Tag::Unnecessary => DiagnosticTag::UNNECESSARY,
        ide::Tag::Deprecated => DiagnosticTag::DEPRECATED,
    };
    let tags: Vec<DiagnosticTag> = diagnostic.tags.iter().filter(|_| capabilities.tags).map(tag).collect();
    // No site is published: only a client with documents for rules has something to open.
    let has_page = capabilities.code_description && capabilities.rule_documents;
    let href = has_page.then(|| uri::rule(diagnostic.name, analysis.lang)).flatten();
    Diagnostic {
        range: analysis.context.lines(file).range(diagnostic.range),
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(diagnostic.code.to_owned())),
        code_description: href.map(|href| CodeDescription { href }),
        source: Some("vramlint".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: (!tags.is_empty()).then_some(tags),
        data: capabilities.data.then(|| json!({ "rule": diagnostic.name })),
    }
}
