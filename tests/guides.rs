//! The five guides as projects: every due finding at its place, nothing that would be a false alarm, the stated runs.
//!
//! `expect.json` beside each project says what is due; `since` is the stage of the product that owes it.

mod common;

use common::{Checked, check_folder, folders_with};
use serde_json::Value;
use std::path::Path;
use vramlint_base::Severity;
use vramlint_catalog::Concept;
use vramlint_resolve::Run;

/// Findings due up to this stage.
const STAGE: i64 = 1;

#[test]
fn every_due_finding_is_there_and_nothing_else_that_matters() {
    let mut missed = Vec::new();
    for folder in folders_with("tests/guides", "expect.json") {
        let expect: Value =
            serde_json::from_str(&std::fs::read_to_string(folder.join("expect.json")).expect("readable")).expect("JSON");
        let checked = check_folder(&folder);
        for due in expect["findings"].as_array().into_iter().flatten() {
            if due["since"].as_i64() > Some(STAGE) || due.get("command").is_some() {
                continue;
            }
            if !checked.findings().any(|finding| matches(&checked, &folder, finding, due)) {
                missed.push(format!("{}: {due}", folder.display()));
            }
        }
        for never in expect["never"].as_array().into_iter().flatten() {
            let hits = checked.findings().filter(|finding| is_forbidden(&checked, &folder, finding, never));
            missed.extend(hits.map(|hit| format!("{}: false alarm {} {}", folder.display(), hit.name, hit.message.en)));
        }
        for run in expect["runs"].as_array().into_iter().flatten() {
            if !checked.report.project.runs.iter().any(|found| has_values(found, run)) {
                missed.push(format!("{}: no run {run}", folder.display()));
            }
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

fn severity(name: &str) -> Severity {
    match name {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    }
}

fn line_of(folder: &Path, file: &str, anchor: &str) -> Option<u32> {
    let text = std::fs::read_to_string(folder.join(file)).ok()?;
    text.lines().position(|line| line.contains(anchor)).map(|line| line as u32 + 1)
}

fn matches(checked: &Checked, folder: &Path, finding: &vramlint_base::Finding, due: &Value) -> bool {
    if finding.name != due["rule"] || finding.severity < severity(due["at_least"].as_str().unwrap_or("info")) {
        return false;
    }
    let places = checked.places(finding);
    let at_anchor = match (due["file"].as_str(), due["anchor"].as_str()) {
        (Some(file), Some(anchor)) => {
            let line = line_of(folder, file, anchor);
            places.iter().any(|(path, start, end)| path == file && line.is_some_and(|line| (*start..=*end).contains(&line)))
        }
        _ => true,
    };
    let names_other = due["related"].as_str().is_none_or(|other| places.iter().any(|(path, _, _)| path == other));
    at_anchor && names_other
}

fn is_forbidden(checked: &Checked, folder: &Path, finding: &vramlint_base::Finding, never: &Value) -> bool {
    let (path, start, _) = checked.places(finding).remove(0);
    never["rule"].as_str().is_none_or(|rule| rule == finding.name)
        && finding.severity >= severity(never["at_least"].as_str().unwrap_or("info"))
        && never["file"].as_str().is_none_or(|file| file == path)
        && never["anchor"].as_str().is_none_or(|anchor| line_of(folder, &path, anchor) == Some(start))
}

fn has_values(run: &Run, expect: &Value) -> bool {
    let number =
        |key: &str, concept: Concept| expect.get(key).and_then(Value::as_i64).is_none_or(|n| run.int(concept) == Some(n));
    let text = |key: &str, concept: Concept| expect.get(key).and_then(Value::as_str).is_none_or(|t| run.text(concept) == Some(t));
    let from = expect["from"].as_str().is_none_or(|from| run.id.starts_with(&format!("{from}#")));
    let candidates = expect.get("candidates").and_then(Value::as_object).is_none_or(|wanted| {
        wanted.iter().all(|(name, values)| {
            let setting = Concept::from_name(name).and_then(|concept| run.settings.get(&concept));
            values.as_array().into_iter().flatten().all(|value| {
                setting.is_some_and(|s| {
                    s.candidates.iter().any(|c| c.known().and_then(vramlint_base::Value::as_int) == value.as_i64())
                })
            })
        })
    });
    from && candidates
        && number("world_size", Concept::WorldSize)
        && number("micro_batch", Concept::MicroBatch)
        && number("gradient_accumulation_steps", Concept::GradientAccumulationSteps)
        && number("effective_batch", Concept::EffectiveBatch)
        && number("num_generations", Concept::NumGenerations)
        && number("completions_per_step", Concept::CompletionsPerStep)
        && number("completions_per_micro_step", Concept::CompletionsPerMicroStep)
        && number("zero_stage", Concept::ZeroStage)
        && text("offload_optimizer", Concept::OffloadOptimizer)
}
