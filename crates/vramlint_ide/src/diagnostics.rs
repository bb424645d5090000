//! Findings as an editor shows them.

use vramlint_base::{FileId, FileRange, Finding, Lang, Severity, TextRange};
use vramlint_project::Report;
use vramlint_rules::{DiagnosticTag, address};

/// How the text of a finding is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// It does nothing: greyed.
    Unnecessary,
    /// The library no longer has it, or will drop it: struck through.
    Deprecated,
}

/// Another place that takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Where, in a whole file.
    pub place: FileRange,
    /// What is there.
    pub message: String,
}

/// A finding of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where, in the whole file.
    pub range: TextRange,
    /// How grave.
    pub severity: Severity,
    /// Code of the rule.
    pub code: &'static str,
    /// Name of the rule.
    pub name: &'static str,
    /// Address of the page of the rule.
    pub page: String,
    /// What is wrong; what to do, on a line of its own.
    pub message: String,
    /// Who sets the other end.
    pub notes: Vec<Note>,
    /// How the text is shown.
    pub tags: Vec<Tag>,
}

/// The findings of a whole file, in the order of the report.
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
        page: address(finding.name, lang),
        message,
        notes: notes.collect(),
        tags: tag_of(finding).into_iter().collect(),
    }
}

fn tag_of(finding: &Finding) -> Option<Tag> {
    match vramlint_rules::find(finding.name)?.tag? {
        // What a library refuses is not greyed: it is in the way.
        DiagnosticTag::Unnecessary => (finding.severity != Severity::Error).then_some(Tag::Unnecessary),
        DiagnosticTag::Deprecated => Some(Tag::Deprecated),
    }
}

#[cfg(test)]
mod tests;
