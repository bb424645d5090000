//! `json` and `jsonl`: the stable interface for programs.

use super::estimate::RunEstimateJson;
use super::serialize::{VERSION, to_string};
use super::summary::count_by_severity;
use serde::Serialize;
use std::collections::BTreeMap;
use vramlint_base::{Finding, Lang};
use vramlint_catalog::Concept;
use vramlint_project::{Report, Skipped, SkippedPath};
use vramlint_resolve::Project;
use vramlint_view::estimate::reports_with_timelines;
use vramlint_view::span::{Position, Span, span};

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
    summary: SummaryJson<'a>,
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
struct SummaryJson<'a> {
    files: usize,
    error: usize,
    warning: usize,
    info: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<SkippedJson<'a>>,
}

/// Files that were not read.
#[derive(Serialize)]
struct SkippedJson<'a> {
    /// Paths of the command line.
    files: Vec<SkippedFileJson<'a>>,
    /// How many paths by reason, those below named folders included.
    counts: BTreeMap<&'static str, usize>,
}

#[derive(Serialize)]
struct SkippedFileJson<'a> {
    path: &'a str,
    reason: &'static str,
    message: String,
}

fn skipped<'a>(skipped: &'a Skipped, lang: Lang) -> Option<SkippedJson<'a>> {
    let file = |file: &'a SkippedPath| SkippedFileJson {
        path: &file.path,
        reason: file.reason.name(),
        message: file.reason.message().get(lang).to_owned(),
    };
    let counts: BTreeMap<_, _> = skipped.counts().iter().map(|(reason, count)| (reason.name(), *count)).collect();
    (!counts.is_empty()).then(|| SkippedJson { files: skipped.named.iter().map(file).collect(), counts })
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

/// A finding, as `check` prints it.
pub(super) fn finding_json(project: &Project, own: &Finding, lang: Lang) -> serde_json::Value {
    // Numbers, strings, lists and maps with string keys always serialize.
    serde_json::to_value(finding(project, own, lang)).expect("a finding is JSON")
}

/// The report as one object.
pub(crate) fn render(report: &Report, lang: Lang) -> String {
    let [error, warning, info] = count_by_severity(report);
    let answers = reports_with_timelines(report, lang);
    let object = ReportJson {
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
        summary: SummaryJson { files: report.files, error, warning, info, skipped: skipped(&report.skipped, lang) },
    };
    to_string(&object)
}

/// The findings, one object per line.
pub(crate) fn render_lines(report: &Report, lang: Lang) -> String {
    report.findings.iter().map(|f| to_string(&finding(&report.project, f, lang))).collect()
}
