//! `json` and `jsonl`. The order of the fields is that of the interface's description; readers may rely on the names.

use super::View;
use serde::Serialize;
use vramlint_base::{Finding, Fix, Lang, Place, Severity};
use vramlint_catalog::Concept;
use vramlint_resolve::Project;

/// Version of the form: raised when a reader of the old one would misread the new one.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Output<'a> {
    version: u32,
    findings: Vec<JsonFinding<'a>>,
    runs: Vec<JsonRun<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    code: &'a str,
    name: &'a str,
    severity: &'static str,
    message: &'a str,
    help: Option<&'a str>,
    #[serde(flatten)]
    located: Located<'a>,
    related: Vec<JsonRelated<'a>>,
    run: Option<&'a str>,
    fixes: Vec<JsonFix<'a>>,
}

/// A place in a whole file.
#[derive(Serialize)]
pub(crate) struct Located<'a> {
    /// Relative to the working directory, with `/`.
    pub(crate) path: &'a str,
    /// Its start.
    pub(crate) start: At,
    /// Behind its end.
    pub(crate) end: At,
}

/// One end of a place.
#[derive(Serialize)]
pub(crate) struct At {
    /// From 1.
    pub(crate) line: u32,
    /// From 1, in Unicode scalar values.
    pub(crate) column: u32,
    /// Bytes from the start of the file.
    pub(crate) offset: u32,
}

#[derive(Serialize)]
struct JsonRelated<'a> {
    #[serde(flatten)]
    located: Located<'a>,
    message: &'a str,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    title: &'a str,
    applicability: &'static str,
    edits: Vec<JsonEdit<'a>>,
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    path: &'a str,
    offset: u32,
    end_offset: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonRun<'a> {
    id: &'a str,
    effective_batch: Option<i64>,
    world_size: Option<i64>,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    error: usize,
    warning: usize,
    info: usize,
}

impl<'a> Located<'a> {
    /// The place in the whole file that holds it.
    pub(crate) fn new(project: &'a Project, place: Place) -> Self {
        let range = project.to_host(place).range;
        let (file, start, end) = project.position(place);
        Self {
            path: &file.path,
            start: At { line: start.line, column: start.column, offset: range.start },
            end: At { line: end.line, column: end.column, offset: range.end },
        }
    }
}

/// Everything as one object.
pub(super) fn object(view: &View<'_>) -> serde_json::Result<String> {
    let output = Output {
        version: VERSION,
        findings: view.report.findings.iter().map(|finding| json(view, finding)).collect(),
        runs: view.report.runs().map(run).collect(),
        summary: Summary {
            files: view.report.files,
            error: view.count(Severity::Error),
            warning: view.count(Severity::Warning),
            info: view.count(Severity::Info),
        },
    };
    Ok(serde_json::to_string_pretty(&output)? + "\n")
}

/// One finding a line.
pub(super) fn lines(view: &View<'_>) -> serde_json::Result<String> {
    let mut out = String::new();
    for finding in &view.report.findings {
        out += &serde_json::to_string(&json(view, finding))?;
        out.push('\n');
    }
    Ok(out)
}

fn json<'a>(view: &View<'a>, finding: &'a Finding) -> JsonFinding<'a> {
    let (project, lang) = (view.report.project.as_ref(), view.lang);
    let related = finding
        .related
        .iter()
        .map(|related| JsonRelated { located: Located::new(project, related.place), message: related.message.get(lang) });
    JsonFinding {
        code: finding.code,
        name: finding.name,
        severity: finding.severity.name(),
        message: finding.message.get(lang),
        help: finding.help.as_ref().map(|help| help.get(lang)),
        located: Located::new(project, finding.place),
        related: related.collect(),
        run: finding.run.as_deref(),
        fixes: finding.fixes.iter().map(|fix| json_fix(project, fix, lang)).collect(),
    }
}

fn json_fix<'a>(project: &'a Project, fix: &'a Fix, lang: Lang) -> JsonFix<'a> {
    let edits = fix.edits.iter().map(|edit| {
        let Place { file, range } = project.to_host(edit.place);
        JsonEdit { path: &project.file(file).path, offset: range.start, end_offset: range.end, text: &edit.text }
    });
    JsonFix { title: fix.title.get(lang), applicability: fix.applicability.name(), edits: edits.collect() }
}

fn run(run: &vramlint_resolve::Run) -> JsonRun<'_> {
    JsonRun { id: &run.id, effective_batch: run.int(Concept::EffectiveBatch), world_size: run.int(Concept::WorldSize) }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Fixture, embedded, finding, related, run, with_fix};
    use crate::{cli::Format, output::View};
    use serde_json::{Value, json};
    use vramlint_base::{Applicability, Lang};

    fn rendered(fixture: Fixture, lang: Lang, format: Format) -> String {
        let report = fixture.report();
        View { report: &report, lang, colour: true }.findings(format).expect("rendered")
    }

    fn fixture() -> Fixture {
        let odd = with_fix(related(finding(1, "启动 4"), 0, "8"), Applicability::Safe, "'4'");
        Fixture::new(&[("a/b.yaml", "x: 8"), ("配置.yaml", "\u{feff}批: 1\r\n启动 4\r\n")]).finding(odd).run(run(
            "a.sh#1",
            0,
            &[],
        ))
    }

    #[test]
    fn the_object_has_the_form_of_the_interface() {
        let text = rendered(fixture(), Lang::En, Format::Json);
        let value: Value = serde_json::from_str(&text).expect("JSON");
        let expected = json!({
            "version": 1,
            "findings": [{
                "code": "VL999", "name": "odd-value", "severity": "warning",
                "message": "`启动 4` is odd", "help": "make it even", "path": "配置.yaml",
                "start": {"line": 2, "column": 1, "offset": 11}, "end": {"line": 2, "column": 5, "offset": 19},
                "related": [{
                    "path": "a/b.yaml", "start": {"line": 1, "column": 4, "offset": 3}, "end": {"line": 1, "column": 5, "offset": 4},
                    "message": "the other end",
                }],
                "run": null,
                "fixes": [{
                    "title": "write '4'", "applicability": "safe",
                    "edits": [{"path": "配置.yaml", "offset": 11, "end_offset": 19, "text": "'4'"}],
                }],
            }],
            "runs": [{"id": "a.sh#1", "effective_batch": null, "world_size": null}],
            "summary": {"files": 2, "error": 0, "warning": 1, "info": 0},
        });
        assert_eq!(value, expected);
        let order = |names: &[&str]| names.iter().map(|name| text.find(&format!("\"{name}\"")).expect(name)).is_sorted();
        assert!(order(&[
            "version", "findings", "code", "name", "severity", "message", "help", "path", "start", "end", "related"
        ]));
        assert!(order(&["related", "run", "fixes", "title", "applicability", "edits", "runs", "summary", "files", "error"]));
        assert!(text.ends_with("}\n") && !text.contains('\u{1b}'));
    }

    #[test]
    fn one_finding_a_line() {
        let text = rendered(fixture().finding(finding(0, "8")), Lang::Zh, Format::Jsonl);
        let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[1]["message"], "`8` 很奇怪");
        assert_eq!(rendered(Fixture::new(&[]), Lang::En, Format::Jsonl), "");
    }

    #[test]
    fn places_and_edits_of_embedded_texts_are_those_of_the_host() {
        let text = "文\n```yaml\nlr: 2e-5\n```\n";
        let fixture = Fixture::new(&[("README.md", text)]).file(embedded(0, text, "lr: 2e-5\n"));
        let fixture = fixture.finding(with_fix(finding(1, "2e-5"), Applicability::Unsafe, "2.0e-5"));
        let value: Value = serde_json::from_str(&rendered(fixture, Lang::En, Format::Json)).expect("JSON");
        let finding = &value["findings"][0];
        let offset = text.find("2e-5").expect("in the text");
        assert_eq!(finding["path"], "README.md");
        assert_eq!(finding["start"], json!({"line": 3, "column": 5, "offset": offset}));
        assert_eq!(finding["fixes"][0]["edits"][0]["offset"], offset);
    }
}
