//! Findings.

use crate::analysis::Analysis;
use serde_json::json;
use tower_lsp_server::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
};
use vramlint_base::Severity;
use vramlint_ide as ide;
use vramlint_resolve::SourceFile;

/// The findings of a whole file, in the order of the report.
pub(crate) fn diagnostics(analysis: &Analysis, file: &SourceFile) -> Vec<Diagnostic> {
    let found = ide::diagnostics(&analysis.answer.report, file.id, analysis.lang);
    found.into_iter().map(|one| diagnostic(analysis, file, one)).collect()
}

fn diagnostic(analysis: &Analysis, file: &SourceFile, found: ide::Diagnostic) -> Diagnostic {
    let abilities = analysis.frame.abilities;
    let mut message = found.message;
    let mut related = Vec::new();
    for note in found.notes {
        if let Some(location) = analysis.location(note.place).filter(|_| abilities.related) {
            related.push(DiagnosticRelatedInformation { location, message: note.message });
        } else {
            // A client that has no place for it beside the finding gets it as text.
            let source = analysis.source(note.place.file);
            let at = source.lines.line_column(&source.text, note.place.range.start);
            message.push_str(&format!("\n{}:{}:{}: {}", source.path, at.line, at.column, note.message));
        }
    }
    let tag = |tag: &ide::Tag| match tag {
        ide::Tag::Unnecessary => DiagnosticTag::UNNECESSARY,
        ide::Tag::Deprecated => DiagnosticTag::DEPRECATED,
    };
    let tags: Vec<DiagnosticTag> = found.tags.iter().filter(|_| abilities.tags).map(tag).collect();
    let page = found.page.parse().ok().filter(|_| abilities.code_description);
    Diagnostic {
        range: analysis.frame.lines(file).range(found.range),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Info => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(found.code.to_owned())),
        code_description: page.map(|href| CodeDescription { href }),
        source: Some("vramlint".to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: (!tags.is_empty()).then_some(tags),
        data: abilities.data.then(|| json!({ "rule": found.name })),
    }
}
