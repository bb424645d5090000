//! `gitlab`: a Code Quality report, the part of the Code Climate format that GitLab reads.

use super::fingerprint::fingerprints;
use serde::Serialize;
use vramlint_base::{Lang, Severity};
use vramlint_project::Report;
use vramlint_view::span::span;

#[derive(Serialize)]
struct Issue {
    description: String,
    check_name: &'static str,
    /// Unique: GitLab shows only the first of several entries with one fingerprint.
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    /// Relative, without `./`.
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// The report as one list.
pub(super) fn render(report: &Report, lang: Lang) -> String {
    let issue = |(finding, fingerprint): (&vramlint_base::Finding, String)| {
        let at = span(&report.project, finding.place);
        Issue {
            description: format!("{} {}", finding.code, finding.message.get(lang)),
            check_name: finding.name,
            fingerprint,
            severity: match finding.severity {
                Severity::Error => "critical",
                Severity::Warning => "major",
                Severity::Info => "info",
            },
            location: Location { path: at.path, lines: Lines { begin: at.start.line, end: at.end.line } },
        }
    };
    let issues: Vec<Issue> = report.findings.iter().zip(fingerprints(report)).map(issue).collect();
    super::serialize::to_string(&issues)
}
