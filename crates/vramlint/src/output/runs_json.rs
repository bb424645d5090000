//! `runs --output-format json`.

use super::place::{Position, span};
use serde_json::{Map, Value as Json, json};
use vramlint_base::{Lang, Place, Value};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Run, Setting};

/// Every run of what was asked for.
pub(crate) fn all(report: &Report, lang: Lang) -> Json {
    let runs: Vec<Json> = report.runs().map(|run| one(&report.project, run, lang)).collect();
    json!({ "version": super::json::VERSION, "runs": runs })
}

fn one(project: &Project, run: &Run, lang: Lang) -> Json {
    let mut object = Map::new();
    object.insert("id".into(), json!(run.id));
    for concept in Concept::ALL {
        if let Some(setting) = run.settings.get(concept) {
            object.insert(concept.name().into(), setting.value().map_or(Json::Null, plain));
        }
    }
    let settings: Map<String, Json> = Concept::ALL
        .iter()
        .filter_map(|concept| Some((concept.name().to_owned(), setting(project, run.settings.get(concept)?, lang))))
        .collect();
    object.insert("place".into(), place(project, run.place));
    object.insert("settings".into(), Json::Object(settings));
    object.insert("files".into(), run.files.iter().map(|id| json!(project.file(*id).path)).collect());
    let absent = run.absent.iter().map(|(path, at)| json!({ "path": path, "named": place(project, *at) })).collect();
    object.insert("absent".into(), absent);
    Json::Object(object)
}

fn setting(project: &Project, setting: &Setting, lang: Lang) -> Json {
    let mut object = Map::new();
    object.insert("value".into(), setting.value().map_or(Json::Null, plain));
    match setting.winning() {
        Some(winner) => {
            object.insert("origin".into(), origin(project, &winner.origin, lang));
            if let Resolved::Unknown(why) = &winner.value {
                object.insert("unknown".into(), json!(why.get(lang)));
            }
            if !winner.assumptions.is_empty() {
                object.insert("assumptions".into(), winner.assumptions.iter().map(|a| json!(a.get(lang))).collect());
            }
            let losers = setting.candidates.iter().enumerate().filter(|(index, _)| Some(*index) != setting.winner);
            object.insert("overridden".into(), losers.map(|(_, loser)| candidate(project, loser, lang)).collect());
        }
        None => {
            object.insert("candidates".into(), setting.candidates.iter().map(|c| candidate(project, c, lang)).collect());
        }
    }
    if let Some(precedence) = setting.precedence {
        object.insert("precedence".into(), json!({ "order": precedence.order, "source": precedence.source }));
    }
    Json::Object(object)
}

fn candidate(project: &Project, candidate: &Candidate, lang: Lang) -> Json {
    let mut object = Map::new();
    object.insert("value".into(), candidate.known().map_or(Json::Null, plain));
    object.insert("origin".into(), origin(project, &candidate.origin, lang));
    if let Some(condition) = &candidate.condition {
        object.insert("condition".into(), json!(condition));
    }
    Json::Object(object)
}

fn origin(project: &Project, origin: &Origin, lang: Lang) -> Json {
    let mut object = Map::new();
    if let Some(at) = origin.place() {
        let span = span(project, at);
        object.insert("path".into(), json!(span.path));
        object.insert("start".into(), position(span.start));
        object.insert("end".into(), position(span.end));
    }
    object.insert("kind".into(), json!(origin.kind()));
    let (key, value) = match origin {
        Origin::File { route, .. } => ("key", json!(route)),
        Origin::Flag { flag, .. } => ("flag", json!(flag)),
        Origin::Env { name, .. } | Origin::Code { name, .. } => ("name", json!(name)),
        Origin::OptionDefault { option, .. } => ("option", json!(option)),
        Origin::Target { key, .. } => ("key", json!(key)),
        Origin::Default { tool, source } => {
            object.insert("tool".into(), json!(tool));
            ("source", json!(source))
        }
        Origin::Derived { formula, inputs } => {
            object.insert("inputs".into(), inputs.iter().map(|input| json!(input.name())).collect());
            ("formula", json!(formula))
        }
        Origin::Assumed { why } => ("why", json!(why.get(lang))),
    };
    object.insert(key.into(), value);
    Json::Object(object)
}

fn position(position: Position) -> Json {
    json!({ "line": position.line, "column": position.column, "offset": position.offset })
}

fn place(project: &Project, place: Place) -> Json {
    let span = span(project, place);
    json!({ "path": span.path, "start": position(span.start), "end": position(span.end) })
}

fn plain(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::BigInt(text) | Value::Text(text) | Value::Timestamp(text) => json!(text),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Map(entries) => Json::Object(
            entries
                .iter()
                .map(|(key, value)| (key.as_str().map_or_else(|| key.to_string(), str::to_owned), plain(value)))
                .collect(),
        ),
    }
}
