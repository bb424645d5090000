//! `runs` as JSON.

use super::{Parts, parts};
use crate::output::{At, Located};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use vramlint_base::{Lang, Value};
use vramlint_catalog::Concept;
use vramlint_project::Report;
use vramlint_resolve::{Candidate, Origin, Project, Resolved, Run, Setting};

/// Version of the form: raised when a reader of the old one would misread the new one.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Output<'a> {
    version: u32,
    runs: Vec<JsonRun<'a>>,
}

/// A run. Every concept is a key of its own, `null` where it is unknown or nobody says it.
struct JsonRun<'a> {
    project: &'a Project,
    run: &'a Run,
    lang: Lang,
}

/// A file that is named and not there.
#[derive(Serialize)]
struct Absent<'a> {
    path: &'a str,
    named: Located<'a>,
}

struct Settings<'a>(&'a JsonRun<'a>);

#[derive(Serialize)]
struct JsonSetting<'a> {
    value: serde_json::Value,
    origin: Option<JsonOrigin<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<&'a str>,
    overridden: Vec<JsonCandidate<'a>>,
    /// What holds in other branches of the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<JsonCandidate<'a>>,
    /// Who may set it, where it is not decided in these files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<JsonCandidate<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precedence: Option<JsonPrecedence>,
}

#[derive(Serialize)]
struct JsonCandidate<'a> {
    value: serde_json::Value,
    origin: JsonOrigin<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    condition: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    assumptions: Vec<&'a str>,
}

#[derive(Serialize)]
struct JsonPrecedence {
    order: &'static str,
    source: &'static str,
}

#[derive(Serialize, Default)]
struct JsonOrigin<'a> {
    path: Option<&'a str>,
    start: Option<At>,
    end: Option<At>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flag: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    option: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    formula: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

/// Every run of the reported files, as one object.
pub(crate) fn json(report: &Report, lang: Lang) -> serde_json::Result<String> {
    let runs = report.runs().map(|run| JsonRun { project: &report.project, run, lang }).collect();
    Ok(serde_json::to_string_pretty(&Output { version: VERSION, runs })? + "\n")
}

impl Serialize for JsonRun<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.run.id)?;
        map.serialize_entry("place", &Located::new(self.project, self.run.place))?;
        for concept in Concept::ALL {
            map.serialize_entry(concept.name(), &self.run.value(*concept).map(json_value))?;
        }
        map.serialize_entry("settings", &Settings(self))?;
        let mut files: Vec<&str> = self.run.files.iter().map(|id| self.project.file(*id).path.as_str()).collect();
        files.dedup();
        map.serialize_entry("files", &files)?;
        let absent = self.run.absent.iter();
        let absent: Vec<Absent<'_>> =
            absent.map(|(path, place)| Absent { path, named: Located::new(self.project, *place) }).collect();
        map.serialize_entry("absent", &absent)?;
        map.end()
    }
}

impl Serialize for Settings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JsonRun { project, run, lang } = *self.0;
        let known = Concept::ALL.iter().filter_map(|concept| Some((concept.name(), run.settings.get(concept)?)));
        serializer.collect_map(known.map(|(name, setting)| (name, json_setting(project, setting, lang))))
    }
}

fn json_setting<'a>(project: &'a Project, setting: &'a Setting, lang: Lang) -> JsonSetting<'a> {
    let Parts { winner, overridden, alternatives } = parts(setting);
    let all = |candidates: Vec<&'a Candidate>| candidates.into_iter().map(|one| candidate(project, one, lang)).collect();
    let precedence = setting.precedence.map(|precedence| JsonPrecedence { order: precedence.order, source: precedence.source });
    let none = JsonSetting {
        value: serde_json::Value::Null,
        origin: None,
        unknown: None,
        condition: None,
        assumptions: Vec::new(),
        overridden: Vec::new(),
        alternatives: Vec::new(),
        candidates: Vec::new(),
        precedence,
    };
    let Some(winner) = winner else {
        return JsonSetting { candidates: all(setting.candidates.iter().collect()), ..none };
    };
    let winner = candidate(project, winner, lang);
    JsonSetting {
        value: winner.value,
        origin: Some(winner.origin),
        unknown: winner.unknown,
        condition: winner.condition,
        assumptions: winner.assumptions,
        overridden: all(overridden),
        alternatives: all(alternatives),
        ..none
    }
}

fn candidate<'a>(project: &'a Project, candidate: &'a Candidate, lang: Lang) -> JsonCandidate<'a> {
    let (value, unknown) = match &candidate.value {
        Resolved::Known(value) => (json_value(value), None),
        Resolved::Unknown(why) => (serde_json::Value::Null, Some(why.get(lang))),
    };
    JsonCandidate {
        value,
        origin: origin(project, &candidate.origin, lang),
        unknown,
        condition: candidate.condition.as_deref(),
        assumptions: candidate.assumptions.iter().map(|assumption| assumption.get(lang)).collect(),
    }
}

fn origin<'a>(project: &'a Project, origin: &'a Origin, lang: Lang) -> JsonOrigin<'a> {
    let mut json = JsonOrigin { kind: origin.kind(), ..JsonOrigin::default() };
    if let Some(place) = origin.place() {
        let located = Located::new(project, place);
        (json.path, json.start, json.end) = (Some(located.path), Some(located.start), Some(located.end));
    }
    match origin {
        Origin::File { route, .. } => json.key = Some(route),
        Origin::Flag { flag, .. } => json.flag = Some(flag),
        Origin::Env { name, .. } | Origin::Code { name, .. } => json.name = Some(name),
        Origin::OptionDefault { option, .. } => json.option = Some(option),
        Origin::Target { key, file } => {
            json.key = Some(key);
            json.path = file.as_deref();
        }
        Origin::Default { tool, source } => {
            json.tool = Some(tool);
            json.source = Some(source);
        }
        Origin::Derived { formula, inputs } => {
            json.formula = Some(formula);
            json.inputs = Some(inputs.iter().map(|input| input.name()).collect());
        }
        Origin::Assumed { why } => json.why = Some(why.get(lang)),
    }
    json
}

/// A value as JSON has it. What JSON lacks (infinity, numbers over 64 bits) becomes text.
fn json_value(value: &Value) -> serde_json::Value {
    use serde_json::Value as Json;
    match value {
        Value::Null => Json::Null,
        Value::Bool(on) => Json::Bool(*on),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) => {
            serde_json::Number::from_f64(*number).map_or_else(|| Json::String(value.to_string()), Json::Number)
        }
        Value::BigInt(text) | Value::Text(text) | Value::Timestamp(text) => Json::String(text.clone()),
        Value::List(items) => Json::Array(items.iter().map(json_value).collect()),
        Value::Map(entries) => {
            let key = |key: &Value| key.as_str().map_or_else(|| key.to_string(), str::to_owned);
            Json::Object(entries.iter().map(|(name, value)| (key(name), json_value(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::sample::report;
    use serde_json::json;

    #[test]
    fn every_concept_is_a_key_and_every_setting_tells_who_set_it() {
        let text = json(&report(), Lang::En).expect("rendered");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let run = &value["runs"][0];
        assert_eq!((&value["version"], &run["id"]), (&json!(1), &json!("launch.sh#1")));
        let object = run.as_object().expect("object");
        assert!(Concept::ALL.iter().all(|concept| object.contains_key(concept.name())));
        assert_eq!((&run["num_processes"], &run["micro_batch"]), (&json!(8), &json!(2)));
        assert_eq!((&run["effective_batch"], &run["zero_stage"]), (&json!(null), &json!(null)));
        assert_eq!(run["files"], json!(["launch.sh", "配置.yaml"]));
        assert_eq!((&run["absent"][0]["path"], &run["absent"][0]["named"]["start"]["line"]), (&json!("train.py"), &json!(2)));
        assert_eq!(run["settings"].as_object().expect("object").len(), 5);
        let processes = &run["settings"]["num_processes"];
        assert_eq!(
            processes["origin"],
            json!({
                "path": "launch.sh", "start": {"line": 1, "column": 35, "offset": 34},
                "end": {"line": 1, "column": 36, "offset": 35}, "kind": "flag", "flag": "--num_processes",
            })
        );
        assert_eq!(processes["assumptions"], json!(["$N is 8"]));
        assert_eq!(processes["overridden"][0]["value"], 4);
        assert_eq!(processes["overridden"][0]["origin"]["key"], "num_processes");
        assert_eq!(processes["precedence"]["order"], "--num_processes > the file");
    }

    #[test]
    fn unknown_and_undecided_values_are_null_and_say_why() {
        let text = json(&report(), Lang::Zh).expect("rendered");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let settings = &value["runs"][0]["settings"];
        let batch = &settings["effective_batch"];
        assert_eq!((&batch["value"], &batch["unknown"]), (&json!(null), &json!("world_size 未知")));
        assert_eq!(batch["origin"]["inputs"], json!(["world_size"]));
        let open = &settings["gradient_accumulation_steps"];
        assert_eq!((&open["value"], &open["origin"]), (&json!(null), &json!(null)));
        assert_eq!(open["candidates"][1]["condition"], "not a");
        assert_eq!(settings["micro_batch"]["alternatives"][0]["value"], 1);
        assert_eq!(settings["learning_rate"]["value"], "2e-5");
    }

    #[test]
    fn values_that_json_lacks_become_text() {
        let map = Value::Map(vec![(Value::Bool(true), Value::Float(f64::INFINITY)), (Value::Text("a".into()), Value::Null)]);
        assert_eq!(json_value(&map), json!({"True": "inf", "a": null}));
        assert_eq!(
            json_value(&Value::List(vec![Value::BigInt("9".repeat(30)), Value::Float(0.5)])),
            json!(["9".repeat(30), 0.5])
        );
    }
}
