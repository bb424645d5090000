//! `rdjson`: one `DiagnosticResult` of reviewdog's Diagnostic Format (`proto/rdf/reviewdog.proto`).
//!
//! Columns are UTF-8 bytes from 1, ends are exclusive. Fields of newer releases are omitted, because the parser rejects unknown
//! fields; related ranges are lines of the message instead.

use serde::Serialize;
use std::fmt::Write;
use vramlint_base::{Applicability, Edit, FileRange, Finding, Lang, Severity};
use vramlint_project::Report;
use vramlint_resolve::Project;
use vramlint_view::span::span;

#[derive(Serialize)]
struct ResultJson<'a> {
    source: Source,
    diagnostics: Vec<DiagnosticJson<'a>>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct DiagnosticJson<'a> {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion<'a>>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Code {
    value: &'static str,
}

#[derive(Serialize)]
struct Suggestion<'a> {
    range: Range,
    text: &'a str,
}

/// One object.
pub(super) fn render(report: &Report, lang: Lang) -> String {
    let diagnostics = report.findings.iter().map(|finding| diagnostic(&report.project, finding, lang)).collect();
    super::serialize::to_string(&ResultJson { source: Source { name: "vramlint" }, diagnostics })
}

fn diagnostic<'a>(project: &Project, finding: &'a Finding, lang: Lang) -> DiagnosticJson<'a> {
    let mut message = finding.message.get(lang).to_owned();
    for related in &finding.related {
        let there = span(project, related.place);
        // Writing to a string cannot fail.
        let _ = write!(message, "\n{}:{}: {}", there.path, there.start.line, related.message.get(lang));
    }
    if let Some(help) = &finding.help {
        let _ = write!(message, "\n{}", help.get(lang));
    }
    let home = project.to_host(finding.place).file;
    // A suggestion is one change in the file of the finding; fixes with several edits cannot be represented.
    let single = |edits: &'a [Edit]| match edits {
        [edit] if project.to_host(edit.place).file == home => Some(edit),
        _ => None,
    };
    let applicable = finding.fixes.iter().filter(|fix| fix.applicability > Applicability::Display);
    let suggestions = applicable.filter_map(|fix| single(&fix.edits));
    DiagnosticJson {
        message,
        location: Location { path: span(project, finding.place).path, range: range(project, finding.place) },
        severity: match finding.severity {
            Severity::Error => "ERROR",
            Severity::Warning => "WARNING",
            Severity::Info => "INFO",
        },
        code: Code { value: finding.code },
        suggestions: suggestions.map(|edit| Suggestion { range: range(project, edit.place), text: &edit.text }).collect(),
    }
}

fn range(project: &Project, place: FileRange) -> Range {
    let place = project.to_host(place);
    let lines = project.file(place.file).lines();
    let position = |offset: u32| {
        let line = lines.line_of(offset);
        Position { line: line + 1, column: offset - lines.line_start(line) + 1 }
    };
    Range { start: position(place.range.start), end: position(place.range.end) }
}
