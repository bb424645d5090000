//! Findings as diagnostics.

use vramlint_base::{FileId, FileRange, Finding, Lang, Severity, TextRange};
use vramlint_project::Report;
use vramlint_rules::DiagnosticTag;

/// A diagnostic tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// The code has no effect: shown faded.
    Unnecessary,
    /// The library has removed or deprecated it: shown struck through.
    Deprecated,
}

/// Related information.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where, in a host file.
    pub place: FileRange,
    /// The text.
    pub message: String,
}

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where, in the host file.
    pub range: TextRange,
    /// The severity.
    pub severity: Severity,
    /// Code of the rule.
    pub code: &'static str,
    /// Name of the rule.
    pub name: &'static str,
    /// The message; the help on a line of its own.
    pub message: String,
    /// Related locations.
    pub notes: Vec<Note>,
    /// The tags.
    pub tags: Vec<Tag>,
}

/// The diagnostics of a host file, in the order of the report.
pub fn diagnostics(report: &Report, file: FileId, lang: Lang) -> Vec<Diagnostic> {
    let findings = report.findings.iter().filter(|finding| finding.place.file == file);
    findings.map(|finding| diagnostic(report, finding, lang)).collect()
}

fn diagnostic(report: &Report, finding: &Finding, lang: Lang) -> Diagnostic {
    let mut message = finding.message.get(lang).to_owned();
    if let Some(help) = &finding.help {
        message.push('\n');
        message.push_str(help.get(lang));
    }
    let notes = finding
        .related
        .iter()
        .map(|related| Note { place: report.project.to_host(related.place), message: related.message.get(lang).to_owned() });
    Diagnostic {
        range: finding.place.range,
        severity: finding.severity,
        code: finding.code,
        name: finding.name,
        message,
        notes: notes.collect(),
        tags: tag_of(finding).into_iter().collect(),
    }
}

fn tag_of(finding: &Finding) -> Option<Tag> {
    match vramlint_rules::find(finding.name)?.tag? {
        // What a library rejects is not faded: it must be changed.
        DiagnosticTag::Unnecessary => (finding.severity != Severity::Error).then_some(Tag::Unnecessary),
        DiagnosticTag::Deprecated => Some(Tag::Deprecated),
    }
}

#[cfg(test)]
mod tests;
