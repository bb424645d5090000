//! `diff --output-format json`.

use super::json::finding_json;
use super::ordered_json::{Node, Object};
use super::runs_json::plain;
use serde::Serialize;
use serde_json::{Value as Json, json};
use vramlint_base::{Finding, Lang};
use vramlint_project::Report;
use vramlint_view::diff::{Diff, Memory, RunDiff};

#[derive(Serialize)]
struct DiffJson<'a> {
    version: u32,
    base: &'a str,
    head: &'a str,
    runs: Node,
    findings: Object,
}

/// The comparison as one object. `sides` are the reports with their names, the old one first.
pub(crate) fn render(diff: &Diff<'_>, sides: [(&str, &Report); 2], lang: Lang) -> String {
    let [(base, old), (head, new)] = sides;
    let list = |findings: &[&Finding], report: &Report| -> Node {
        findings.iter().map(|finding| Node::Plain(finding_json(&report.project, finding, lang))).collect()
    };
    let mut findings = Object::default();
    findings.put("new", list(&diff.new, new));
    findings.put("gone", list(&diff.gone, old));
    let runs = diff.runs.iter().map(|own| Node::Object(run(own))).collect();
    super::serialize::to_string_pretty(&DiffJson { version: super::serialize::VERSION, base, head, runs, findings })
}

fn run(run: &RunDiff) -> Object {
    let mut object = Object::default();
    object.put("id", run.id.as_str());
    if let Some(id) = &run.base_id {
        object.put("base_id", id.as_str());
    }
    object.put("status", run.status.name());
    let settings = run.settings.iter().map(|setting| {
        let mut object = Object::default();
        object.put("name", setting.name);
        object.put("base", setting.base.as_ref().map_or(Json::Null, plain));
        object.put("head", setting.head.as_ref().map_or(Json::Null, plain));
        object.into()
    });
    object.put("settings", settings.collect::<Node>());
    let mut estimate = Object::default();
    estimate.put("base", memory(run.base));
    estimate.put("head", memory(run.head));
    object.put("estimate", estimate);
    object
}

fn memory(memory: Option<Memory>) -> Json {
    memory.map_or(Json::Null, |memory| json!({"peak": memory.peak, "low": memory.low, "high": memory.high, "host": memory.host}))
}
