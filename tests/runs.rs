//! What `vramlint runs` makes of the ways in which people launch training: `tests/runs/<case>` are tiny projects, each with the
//! runs that the real tools would make of it in `expect.json`.
//!
//! A case lists all runs (`"more": true` allows others). Of each run: `id`, `values` by name (`null` must be unknown),
//! `origin` (`"flag run.sh"`: kind and path of who wins), `overridden` (values that lose), `candidates` (values that stand
//! undecided), and `without` (settings that nobody speaks of).

mod common;

use common::{check_folder, folders_with};
use serde_json::Value as Json;
use std::path::Path;
use vramlint_base::Value;
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Project, Run, Setting};

#[test]
fn every_case_resolves_as_the_real_tools_would() {
    let mut wrong = Vec::new();
    let cases = folders_with("tests/runs", "expect.json");
    assert!(cases.len() >= 35, "only {} cases", cases.len());
    for folder in cases {
        let expect: Json =
            serde_json::from_str(&std::fs::read_to_string(folder.join("expect.json")).expect("readable")).expect("JSON");
        let checked = check_folder(&folder);
        let name = folder.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        wrong.extend(differences(&checked.report.project, &expect).into_iter().map(|what| format!("{name}: {what}")));
        wrong.extend(unnamed(&folder, &expect).into_iter().map(|what| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// Ids whose file is not there: a case that expects nothing of its own project.
fn unnamed(folder: &Path, expect: &Json) -> Vec<String> {
    let runs = expect["runs"].as_array().into_iter().flatten();
    runs.filter_map(|run| run["id"].as_str()?.split('#').next())
        .filter(|path| !folder.join(path).is_file())
        .map(|path| format!("no file {path}"))
        .collect()
}

fn differences(project: &Project, expect: &Json) -> Vec<String> {
    let wanted = expect["runs"].as_array().expect("runs");
    let mut wrong = Vec::new();
    let ids: Vec<&str> = project.runs.iter().map(|run| run.id.as_str()).collect();
    if expect["more"] != true && ids.len() != wanted.len() {
        wrong.push(format!("{} runs are due, found {ids:?}", wanted.len()));
    }
    for due in wanted {
        let id = due["id"].as_str().expect("id");
        match project.runs.iter().find(|run| run.id == id) {
            Some(run) => wrong.extend(in_run(project, run, due).into_iter().map(|what| format!("{id} {what}"))),
            None => wrong.push(format!("no run {id} among {ids:?}")),
        }
    }
    wrong
}

fn in_run(project: &Project, run: &Run, due: &Json) -> Vec<String> {
    let mut wrong = Vec::new();
    for (name, wanted) in entries(&due["values"]) {
        let found = setting(run, name).and_then(Setting::value);
        let holds = if wanted.is_null() { found.is_none() } else { found.is_some_and(|found| equal(found, wanted)) };
        if !holds {
            wrong.push(format!("{name}: {wanted} is due, found {}", shown(project, setting(run, name))));
        }
    }
    for (name, wanted) in entries(&due["origin"]) {
        let found = setting(run, name).and_then(Setting::winning).map(|winner| origin(project, winner));
        if found.as_deref() != wanted.as_str() {
            wrong.push(format!("{name}: set by {wanted}, found {found:?}"));
        }
    }
    for (part, all) in [("overridden", false), ("candidates", true)] {
        for (name, wanted) in entries(&due[part]) {
            let candidates = setting(run, name).map_or(&[][..], |setting| &setting.candidates);
            let winner = setting(run, name).and_then(|setting| setting.winner).filter(|_| !all);
            let known: Vec<&Value> =
                candidates.iter().enumerate().filter(|(i, _)| Some(*i) != winner).filter_map(|(_, c)| c.known()).collect();
            if !wanted.as_array().expect("a list").iter().all(|wanted| known.iter().any(|found| equal(found, wanted))) {
                wrong.push(format!("{name}: {part} {wanted} is due, found {}", shown(project, setting(run, name))));
            }
        }
    }
    for name in due["without"].as_array().into_iter().flatten().filter_map(Json::as_str) {
        if let Some(found) = setting(run, name) {
            wrong.push(format!("{name}: nobody speaks of it, found {}", shown(project, Some(found))));
        }
    }
    wrong
}

fn entries(object: &Json) -> impl Iterator<Item = (&str, &Json)> {
    object.as_object().into_iter().flatten().map(|(name, value)| (name.as_str(), value))
}

fn setting<'a>(run: &'a Run, name: &str) -> Option<&'a Setting> {
    let concept = Concept::from_name(name).unwrap_or_else(|| panic!("no setting is called {name}"));
    run.settings.get(&concept)
}

fn origin(project: &Project, candidate: &Candidate) -> String {
    let kind = candidate.origin.kind();
    match candidate.origin.place() {
        Some(place) => format!("{kind} {}", project.position(place).0.path),
        None => kind.to_owned(),
    }
}

fn shown(project: &Project, setting: Option<&Setting>) -> String {
    let Some(setting) = setting else { return "nothing".to_owned() };
    let all = setting.candidates.iter().map(|candidate| format!("{:?} by {}", candidate.value, origin(project, candidate)));
    format!("winner {:?} of {:?}", setting.winner, all.collect::<Vec<_>>())
}

fn equal(found: &Value, wanted: &Json) -> bool {
    match wanted {
        Json::Number(number) => {
            number.as_i64().map_or_else(|| found.as_float() == number.as_f64(), |n| found.as_int() == Some(n))
        }
        Json::String(text) => found.as_str() == Some(text),
        Json::Bool(on) => *found == Value::Bool(*on),
        _ => false,
    }
}
