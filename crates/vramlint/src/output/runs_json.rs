//! `runs --output-format json`.

use super::estimate::RunEstimateJson;
use super::ordered_json::{Node, Object};
use serde::Serialize;
use serde_json::{Value as Json, json};
use vramlint_base::{FileRange, Lang, Value};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::versions::VersionSpec;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Run, Setting};
use vramlint_view::estimate::{reports, reports_with_timelines};
use vramlint_view::span::{Position, span};

/// Settings that every run lists first, `null` if unknown.
const ALWAYS: [Concept; 4] =
    [Concept::WorldSize, Concept::MicroBatch, Concept::GradientAccumulationSteps, Concept::EffectiveBatch];

#[derive(Serialize)]
struct RunsJson<'a> {
    version: u32,
    runs: Vec<RunJson<'a>>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    #[serde(flatten)]
    run: Object,
    #[serde(flatten)]
    estimate: RunEstimateJson<'a>,
}

/// All runs of the report.
pub(crate) fn render(report: &Report, lang: Lang) -> String {
    let answers = reports_with_timelines(report, lang);
    let runs = report.runs().zip(&answers);
    let runs = runs.map(|(run, answer)| RunJson {
        run: render_one(&report.project, run, lang),
        estimate: RunEstimateJson::new(answer, lang),
    });
    let object = RunsJson { version: super::serialize::VERSION, runs: runs.collect() };
    super::serialize::to_string_pretty(&object)
}

/// One run, by its id.
pub(crate) fn render_run(report: &Report, id: &str, lang: Lang) -> Option<Json> {
    let (run, answer) = report.runs().zip(reports(report, lang)).find(|(run, _)| run.id == id)?;
    let shown = RunJson { run: render_one(&report.project, run, lang), estimate: RunEstimateJson::new(&answer, lang) };
    serde_json::to_value(shown).ok()
}

fn render_one(project: &Project, run: &Run, lang: Lang) -> Object {
    let (mut object, mut settings) = (Object::default(), Object::default());
    object.put("id", run.id.as_str());
    for concept in
        ALWAYS.iter().chain(Concept::ALL).filter(|concept| ALWAYS.contains(concept) || run.settings.contains_key(*concept))
    {
        if object.has(concept.name()) {
            continue;
        }
        let known = run.settings.get(concept);
        object.put(concept.name(), known.and_then(Setting::value).map_or(Json::Null, plain));
        if let Some(known) = known {
            settings.put(concept.name(), setting(project, known, lang));
        }
    }
    object.put("settings", settings);
    object.put("files", run.files.iter().map(|id| project.file(*id).path.as_str().into()).collect::<Node>());
    object.put("place", place(project, run.place));
    let absent = run.missing_files.iter().map(|(path, at)| {
        let mut absent = Object::default();
        absent.put("path", path.as_str());
        absent.put("named", place(project, *at));
        absent.into()
    });
    object.put("absent", absent.collect::<Node>());
    object.put("libraries", libraries(project, run));
    object
}

/// The library versions that the project states for a run, with their sources.
fn libraries(project: &Project, run: &Run) -> Object {
    let mut object = Object::default();
    for (name, evidence) in project.libraries_for(run.place.file) {
        let mut library = Object::default();
        library.put("version", evidence.version.to_string());
        library.put("exact", matches!(evidence.version, VersionSpec::Exact(_)));
        library.put("source", evidence.source.as_str());
        if let Some(at) = evidence.place {
            library.put("place", place(project, at));
        }
        let others = evidence.candidates.iter().map(|candidate| {
            let mut other = Object::default();
            other.put("version", candidate.version.to_string());
            other.put("source", candidate.source.as_str());
            other.into()
        });
        library.put("candidates", others.collect::<Node>());
        object.put(name, library);
    }
    object
}

/// `overridden` lists the losing candidates. If the winner is unknown, `origin` is `null` and `candidates` lists all of them.
fn setting(project: &Project, setting: &Setting, lang: Lang) -> Object {
    let mut object = Object::default();
    object.put("value", setting.value().map_or(Json::Null, plain));
    let list = |losers: &mut dyn Iterator<Item = &Candidate>| {
        losers.map(|loser| candidate(project, loser, lang).into()).collect::<Node>()
    };
    if let Some(winner) = setting.winning() {
        object.put("origin", origin(project, &winner.origin, lang));
        if let Resolved::Unknown(why) = &winner.value {
            object.put("unknown", why.get(lang));
        }
        if !winner.assumptions.is_empty() {
            object.put("assumptions", winner.assumptions.iter().map(|why| why.get(lang).into()).collect::<Node>());
        }
        let losers = setting.candidates.iter().enumerate().filter(|(index, _)| Some(*index) != setting.winner);
        object.put("overridden", list(&mut losers.map(|(_, loser)| loser)));
    } else {
        object.put("origin", Json::Null);
        object.put("overridden", list(&mut std::iter::empty()));
        object.put("candidates", list(&mut setting.candidates.iter()));
    }
    if let Some(precedence) = setting.precedence {
        object.put("precedence", json!({ "order": precedence.order, "source": precedence.source }));
    }
    object
}

fn candidate(project: &Project, candidate: &Candidate, lang: Lang) -> Object {
    let mut object = Object::default();
    object.put("value", candidate.known().map_or(Json::Null, plain));
    object.put("origin", origin(project, &candidate.origin, lang));
    if let Some(condition) = &candidate.condition {
        object.put("condition", condition.as_str());
    }
    object
}

pub(super) fn origin(project: &Project, origin: &Origin, lang: Lang) -> Object {
    let mut object = origin.place().map_or_else(Object::default, |at| place(project, at));
    object.put("kind", origin.kind());
    match origin {
        Origin::File { key_path, .. } => object.put("key", key_path.as_str()),
        Origin::Flag { flag, .. } | Origin::Documented { flag, .. } => object.put("flag", flag.as_str()),
        Origin::Env { name, .. } | Origin::Code { name, .. } => object.put("name", name.as_str()),
        Origin::OptionDefault { option, .. } => object.put("option", option.as_str()),
        Origin::Target { key, .. } => object.put("key", *key),
        Origin::User { source, .. } => object.put("source", source.as_str()),
        Origin::Default { tool, source } => {
            object.put("tool", *tool);
            object.put("source", source.as_str());
        }
        Origin::Derived { formula, inputs } => {
            object.put("inputs", inputs.iter().map(|input| input.name().into()).collect::<Node>());
            object.put("formula", formula.get(lang));
        }
        Origin::Assumed { why } => object.put("why", why.get(lang)),
    }
    object
}

fn position(position: Position) -> Object {
    let mut object = Object::default();
    object.put("line", position.line);
    object.put("column", position.column);
    object.put("offset", position.offset);
    object
}

fn place(project: &Project, place: FileRange) -> Object {
    let span = span(project, place);
    let mut object = Object::default();
    object.put("path", span.path);
    object.put("start", position(span.start));
    object.put("end", position(span.end));
    object
}

pub(super) fn plain(value: &Value) -> Json {
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
