//! `json` and `jsonl`: the interface of the contract.

use super::estimate::RunEstimateJson;
use super::summary::count;
use serde::Serialize;
use vramlint_base::{Finding, Lang};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::Project;
use vramlint_view::estimate::reports_with_timelines;
use vramlint_view::span::{Position, Span, span};

/// Version of the form. It grows only when old readers would break.
pub(crate) const VERSION: u32 = 1;

#[derive(Serialize)]
struct FindingJson<'a> {
    code: &'a str,
    name: &'a str,
    severity: &'a str,
    message: &'a str,
    help: Option<&'a str>,
    path: String,
    start: Position,
    end: Position,
    related: Vec<RelatedJson<'a>>,
    run: Option<&'a str>,
    fixes: Vec<FixJson<'a>>,
}

#[derive(Serialize)]
struct RelatedJson<'a> {
    #[serde(flatten)]
    span: Span,
    message: &'a str,
}

#[derive(Serialize)]
struct FixJson<'a> {
    title: &'a str,
    applicability: &'a str,
    edits: Vec<EditJson<'a>>,
}

#[derive(Serialize)]
struct EditJson<'a> {
    path: String,
    offset: u32,
    end_offset: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct ReportJson<'a> {
    version: u32,
    findings: Vec<FindingJson<'a>>,
    runs: Vec<RunJson<'a>>,
    summary: SummaryJson,
}

#[derive(Serialize)]
struct RunJson<'a> {
    id: &'a str,
    effective_batch: Option<i64>,
    world_size: Option<i64>,
    #[serde(flatten)]
    estimate: RunEstimateJson<'a>,
}

#[derive(Serialize)]
struct SummaryJson {
    files: usize,
    error: usize,
    warning: usize,
    info: usize,
}

fn finding<'a>(project: &Project, finding: &'a Finding, lang: Lang) -> FindingJson<'a> {
    let at = span(project, finding.place);
    FindingJson {
        code: finding.code,
        name: finding.name,
        severity: finding.severity.name(),
        message: finding.message.get(lang),
        help: finding.help.as_ref().map(|help| help.get(lang)),
        path: at.path,
        start: at.start,
        end: at.end,
        related: finding
            .related
            .iter()
            .map(|r| RelatedJson { span: span(project, r.place), message: r.message.get(lang) })
            .collect(),
        run: finding.run.as_deref(),
        fixes: finding
            .fixes
            .iter()
            .map(|fix| FixJson {
                title: fix.title.get(lang),
                applicability: fix.applicability.name(),
                edits: fix
                    .edits
                    .iter()
                    .map(|edit| {
                        let at = span(project, edit.place);
                        EditJson { path: at.path, offset: at.start.offset, end_offset: at.end.offset, text: &edit.text }
                    })
                    .collect(),
            })
            .collect(),
    }
}

/// One object.
pub(crate) fn object(report: &Report, lang: Lang) -> String {
    let [error, warning, info] = count(report);
    let answers = reports_with_timelines(report, lang);
    let whole = ReportJson {
        version: VERSION,
        findings: report.findings.iter().map(|f| finding(&report.project, f, lang)).collect(),
        runs: report
            .runs()
            .zip(&answers)
            .map(|(run, answer)| RunJson {
                id: &run.id,
                effective_batch: run.int(Concept::EffectiveBatch),
                world_size: run.int(Concept::WorldSize),
                estimate: RunEstimateJson::new(answer, lang),
            })
            .collect(),
        summary: SummaryJson { files: report.files, error, warning, info },
    };
    to_string(&whole)
}

/// One object a line.
pub(crate) fn lines(report: &Report, lang: Lang) -> String {
    report.findings.iter().map(|f| to_string(&finding(&report.project, f, lang))).collect()
}

/// Numbers and text only: there is nothing that could fail.
pub(super) fn to_string(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).expect("numbers, text and lists become JSON");
    text.push('\n');
    text
}
