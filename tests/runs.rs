//! What `vramlint runs` makes of the ways in which people launch training: each case in `tests/runs/*.md` is a tiny project, with the
//! runs that the real tools would make of it in its block `json runs`. `vramlint_test::Document` describes the form of the files.
//!
//! A case lists all runs (`"more": true` allows others). Of each run: `id`, `values` by name (`null` must be unknown),
//! `origin` (`"flag run.sh"`: kind and path of the winner), `overridden` (values that lose), `candidates` (values of which none
//! wins), `without` (settings that have no candidate), and `folder_model` (what the model's folder holds, `null` if that is not known).

mod common;

use common::check_folder;
use serde_json::Value as Json;
use vramlint_base::Value;
use vramlint_catalog::Concept;
use vramlint_resolve::{Candidate, Project, Run, Setting};
use vramlint_test::{Case, Document, case_documents, write_files};

#[test]
fn every_case_resolves_as_the_real_tools_would() {
    let mut wrong = Vec::new();
    let cases: Vec<Case> = case_documents("tests/runs").iter().flat_map(Document::cases).collect();
    assert!(cases.len() >= 180, "only {} cases", cases.len());
    for case in cases {
        let expect: Json = serde_json::from_str(&case.runs).unwrap_or_else(|error| panic!("{}: {error}", case.id()));
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_files(folder.path(), &case.files);
        let checked = check_folder(folder.path());
        wrong.extend(differences(&checked.report.project, &expect).into_iter().map(|what| format!("{}: {what}", case.id())));
        wrong.extend(unnamed(&case, &expect).into_iter().map(|what| format!("{}: {what}", case.id())));
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
}

/// Ids whose file is not there: a case that expects nothing of its own project.
fn unnamed(case: &Case, expect: &Json) -> Vec<String> {
    let runs = expect["runs"].as_array().into_iter().flatten();
    runs.filter_map(|run| run["id"].as_str()?.split('#').next())
        .filter(|path| !case.files.contains_key(*path))
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
    if let Some(wanted) = due.get("folder_model") {
        let found = run.folder_model.as_ref().map(|filled| filled.model.as_str());
        if found != wanted.as_str() {
            wrong.push(format!("folder_model: {wanted} is due, found {found:?}"));
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
        Json::Array(wanted) => {
            let Value::List(found) = found else { return false };
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| equal(found, wanted))
        }
        Json::Object(wanted) => {
            let Value::Map(found) = found else { return false };
            let of = |name: &str| found.iter().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value);
            found.len() == wanted.len() && wanted.iter().all(|(name, wanted)| of(name).is_some_and(|found| equal(found, wanted)))
        }
        Json::Null => false,
    }
}
