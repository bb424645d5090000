//! Output of findings: one file a format.

mod closing;
mod concise;
mod excerpt;
mod full;
mod github;
mod json;
mod patch;
mod statistics;

pub(crate) use closing::closing;
pub(crate) use json::{At, Located};
pub(crate) use statistics::statistics;

use crate::cli::Format;
use vramlint_base::{Applicability, Finding, Lang, Severity};
use vramlint_project::Report;

/// A report and how to show it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// What was found.
    pub(crate) report: &'a Report,
    /// The language of the messages.
    pub(crate) lang: Lang,
    /// Whether there is colour.
    pub(crate) colour: bool,
}

impl View<'_> {
    /// The findings in a format, with a line break at the end; empty where a text format has nothing to show.
    pub(crate) fn findings(&self, format: Format) -> anyhow::Result<String> {
        Ok(match format {
            Format::Full => full::render(self),
            Format::Concise => concise::render(self),
            Format::Json => json::object(self)?,
            Format::Jsonl => json::lines(self)?,
            Format::Github => github::render(self, &github::prefix_of_environment()),
        })
    }

    /// Findings of a severity.
    fn count(&self, severity: Severity) -> usize {
        self.report.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// How far the most trusted fix of a finding may be trusted.
fn best_fix(finding: &Finding) -> Option<Applicability> {
    finding.fixes.iter().map(|fix| fix.applicability).max()
}

/// A severity as a word.
pub(crate) fn severity_word(severity: Severity, lang: Lang) -> &'static str {
    match (lang, severity) {
        (Lang::En, _) => severity.name(),
        (Lang::Zh, Severity::Error) => "错误",
        (Lang::Zh, Severity::Warning) => "警告",
        (Lang::Zh, Severity::Info) => "提示",
    }
}
