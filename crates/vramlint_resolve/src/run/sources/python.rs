//! Candidates from the code of a run, joined with the flags, files and variables that feed it.

use super::super::precedence::{CandidateSet, SourceLayer, known, unknown};
use super::super::run_sources::{RunSources, option_matches_dest};
use super::{cli, data_file};
use crate::code::composition::{LayeredNode, layered_node};
use crate::code::{CodeCandidate, CodeFacts, LoadedFile};
use crate::file_graph::FileGraph;
use crate::setting::{Candidate, Origin, Resolved};
use vramlint_base::value_readers::argparse_word;
use vramlint_base::{FileRange, Message, Value, message};
use vramlint_catalog::{Concept, Dialect, dialect};
use vramlint_syntax::data::Loader;

/// Adds the candidates of the code. With a `stage`, leaves out those of other stages.
pub(in crate::run) fn add(
    candidates: &mut CandidateSet,
    graph: &FileGraph,
    sources: &RunSources,
    code: &CodeFacts,
    stage: Option<&str>,
) {
    for (concept, found) in &code.candidates {
        let other_stage = found.stage.is_some_and(|own| stage.is_some_and(|stage| stage != own));
        if other_stage || !found.used || is_field_of_parser(code, *concept, found) || is_of_all_processes(code, *concept, found) {
            continue;
        }
        if found.fallback && found.loaded_key.is_some() {
            add_fallback(candidates, graph, sources, code, *concept, found);
        } else if let Some(name) = &found.env {
            add_from_variable(candidates, sources, code, *concept, found, name);
        } else if let Some(candidate) = loaded_file_value(graph, sources, code, found) {
            candidates.add(*concept, SourceLayer::Decided, under_guard(*concept, found, candidate));
        } else if found.loaded_key.is_some() {
            // Without the key a fallback in the code takes effect. Of a file that is not known, the keys are not known either.
            let fallback = code.candidates.iter().any(|(other, rival)| other == concept && rival.fallback);
            if !fallback || !reads_known_file(graph, sources, code, found) {
                candidates.add(*concept, SourceLayer::Decided, found.candidate.clone());
            }
        } else if let Some(option) = &found.option {
            add_from_option(candidates, sources, code, *concept, found, option);
        } else if !found.fallback || !candidates.has_decided(*concept) {
            let layer = if found.reaches_call { SourceLayer::Decided } else { SourceLayer::Constant };
            candidates.add(*concept, layer, under_guard(*concept, found, found.candidate.clone()));
        }
    }
}

/// The value that the code has for a key of a file that is not there: it holds if the file is known and lacks the key.
fn add_fallback(
    candidates: &mut CandidateSet,
    graph: &FileGraph,
    sources: &RunSources,
    code: &CodeFacts,
    concept: Concept,
    found: &CodeCandidate,
) {
    if candidates.has_decided(concept) {
        return;
    }
    let layer = if found.reaches_call { SourceLayer::Decided } else { SourceLayer::Constant };
    let mut candidate = under_guard(concept, found, found.candidate.clone());
    if !reads_known_file(graph, sources, code, found) {
        let raw = &candidate.raw;
        candidate.value = Resolved::Unknown(message!(
            "a file that is not known may hold the key, else it is {raw}",
            "未知的文件可能包含该键，否则为 {raw}"
        ));
    } else if loaded_file_value(graph, sources, code, found).is_some() {
        return;
    }
    candidates.add(concept, layer, candidate);
}

/// Whether a batch is the one that an engine of DeepSpeed divides among all processes, and not that of one of them.
fn is_of_all_processes(code: &CodeFacts, concept: Concept, found: &CodeCandidate) -> bool {
    let key = found.loaded_key.as_ref().and_then(|(_, keys)| keys.last());
    concept == Concept::MicroBatch && code.dialect == Some(Dialect::DeepSpeed) && key.is_some_and(|key| key == "train_batch_size")
}

/// A candidate from a call that may not happen. For what only that call turns on, its condition is one of the value; a batch size is the same
/// wherever the trainer is built.
fn under_guard(concept: Concept, found: &CodeCandidate, candidate: Candidate) -> Candidate {
    match &found.guard {
        Some(guard) if concept.is_turned_on() && candidate.condition.is_none() => {
            Candidate { condition: Some(guard.clone()), ..candidate }
        }
        _ => candidate,
    }
}

/// `model_args.model_name_or_path`, unknown to the code because the parser of argument classes fills it: the command line and the
/// files that the parser reads set it.
fn is_field_of_parser(code: &CodeFacts, concept: Concept, found: &CodeCandidate) -> bool {
    let fed = found.option.is_some() || found.env.is_some() || found.loaded_key.is_some();
    if code.argument_classes.is_empty() || fed || found.candidate.known().is_some() {
        return false;
    }
    let Some((_, field)) = found.candidate.raw.rsplit_once('.') else { return false };
    let probe = Value::Text("name".to_owned());
    let means = |dialect, value: &Value| dialect::meaning(dialect, &[field], value).is_some_and(|found| found.concept == concept);
    code.argument_classes.iter().any(|class| means(class.dialect, &probe) || means(class.dialect, &Value::Int(1)))
}

/// A value from an environment variable: what the script sets, else the default in the code.
fn add_from_variable(
    candidates: &mut CandidateSet,
    sources: &RunSources,
    code: &CodeFacts,
    concept: Concept,
    found: &CodeCandidate,
    name: &str,
) {
    let layer = if found.reaches_call { SourceLayer::Decided } else { SourceLayer::Constant };
    if let Some(launch) = sources.launch.as_deref()
        && let Some(variable) = launch.variable(name)
    {
        let origin = Origin::Env { name: name.to_owned(), place: launch.variable_place(variable) };
        let mut candidate = match variable.value.text() {
            Some(text) => known(argparse_word(text), text, origin),
            None => unknown(message!("not set in the script", "脚本中没有给出"), "", origin),
        };
        candidate.assumptions = cli::assumptions(&variable.value);
        return candidates.add(concept, layer, candidate);
    }
    let same = |rival: &CodeCandidate| rival.env.as_deref() == Some(name) && rival.candidate.known().is_some();
    let has_default = code.candidates.iter().any(|(other, rival)| *other == concept && same(rival));
    if found.candidate.known().is_none() && has_default {
        return;
    }
    let mut candidate = found.candidate.clone();
    if let Some(value) = candidate.known() {
        let why = message!("`${name}` is {value} unless the caller sets it", "`${name}` 为 {value}，除非调用者另行设置");
        candidate.assumptions.push(why);
    }
    candidates.add(concept, layer, candidate);
}

/// A value from a command-line option: the flag if the launch has it, else the option's default.
fn add_from_option(
    candidates: &mut CandidateSet,
    sources: &RunSources,
    code: &CodeFacts,
    concept: Concept,
    found: &CodeCandidate,
    option: &str,
) {
    let is_set = sources
        .launch
        .as_deref()
        .is_some_and(|launch| launch.options().iter().any(|o| option_matches_dest(code, &o.name, option)));
    if is_set && found.reaches_call {
        promote_flag(candidates, sources, code, concept, found, option);
        add_default(candidates, code, concept, option);
    } else if !is_set {
        // The default of a field holds unless the parser reads another value, from wherever that is.
        let is_field = found.call_place.is_none();
        let layer = match (found.reaches_call, is_field) {
            (true, true) => SourceLayer::FieldDefault,
            (true, false) => SourceLayer::Decided,
            (false, _) => SourceLayer::OptionDefault,
        };
        let mut candidate = under_guard(concept, found, found.candidate.clone());
        if sources.lacks_arguments
            && let Resolved::Known(value) = &candidate.value
        {
            candidate.value = Resolved::Unknown(caller_gives(option, value));
        }
        candidates.add(concept, layer, candidate);
    }
}

/// Why the default of an option is not the value of a run whose command line is not known.
fn caller_gives(option: &str, default: &Value) -> Message {
    message!("the caller may give `--{option}`; its default is {default}", "调用者可以给出 `--{option}`；默认值为 {default}")
}

/// The default that the flag overrides.
fn add_default(candidates: &mut CandidateSet, code: &CodeFacts, concept: Concept, dest: &str) {
    let Some(option) = code.options.iter().find(|option| option.dest == dest) else { return };
    if let (Some(value), Some(place)) = (&option.default, option.default_place) {
        let origin = Origin::OptionDefault { place, option: format!("--{dest}") };
        candidates.add(concept, SourceLayer::OptionDefault, known(value.clone(), value.to_string(), origin));
    }
}

/// The value of a flag that the code passes on, as the code converts it.
fn promote_flag(
    candidates: &mut CandidateSet,
    sources: &RunSources,
    code: &CodeFacts,
    concept: Concept,
    found: &CodeCandidate,
    option: &str,
) {
    let Some(launch) = sources.launch.as_deref() else { return };
    let options = launch.options();
    let Some(given) = options.iter().rfind(|o| option_matches_dest(code, &o.name, option)) else { return };
    let Some(value) = given.value.as_ref() else {
        // A switch: what the code makes of it counts.
        if found.candidate.known().is_some() {
            let origin = Origin::Flag { place: FileRange::new(launch.file, given.word), flag: format!("--{option}") };
            candidates.add(concept, SourceLayer::Decided, Candidate { origin, ..found.candidate.clone() });
        }
        return;
    };
    let origin = Origin::Flag { place: launch.value_place(value.word, value.range), flag: format!("--{option}") };
    let model = cli::model_of(concept, value.word, &origin);
    let mut candidate = model.unwrap_or_else(|| cli::candidate_from_value(value, origin));
    if value.text.is_some() && candidate.known().is_some() && found.candidate.known().is_some() {
        candidate.value.clone_from(&found.candidate.value);
    }
    candidate.condition.clone_from(&found.candidate.condition);
    candidates.add(concept, SourceLayer::Decided, candidate);
}

/// Whether the file whose key a candidate is belongs to the project.
fn reads_known_file(graph: &FileGraph, sources: &RunSources, code: &CodeFacts, found: &CodeCandidate) -> bool {
    let load = found.loaded_key.as_ref().and_then(|(index, _)| code.loads.get(*index));
    load.and_then(|load| sources.resolve_load(graph, load)).is_some_and(|file| file.is_ok())
}

/// The value of a key of a loaded file that code passes on.
fn loaded_file_value(graph: &FileGraph, sources: &RunSources, code: &CodeFacts, found: &CodeCandidate) -> Option<Candidate> {
    let (index, keys) = found.loaded_key.as_ref()?;
    let load = code.loads.get(*index)?;
    let layers = &load.layers;
    let is_block = !layers.is_empty() && matches!(layered_node(layers, keys, |id| graph.file(id).data()), LayeredNode::Block(_));
    if (load.loader == Some(Loader::OmegaConf) || keys.len() > 1)
        && !is_block
        && let Some(mut candidate) = command_line_override(sources, keys)
    {
        if candidate.known().is_some() && found.candidate.known().is_some() {
            candidate.value = found.candidate.value.clone();
        }
        return Some(candidate);
    }
    if !load.layers.is_empty() {
        return layered_value(graph, load, found, keys);
    }
    let id = sources.resolve_load(graph, load)?.ok()?;
    let file = graph.file(id);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let loader = load.loader.unwrap_or_else(|| data_file::loader_of(file, graph.classified_kind(id)));
    let mut candidate = data_file::candidate_at(file, &keys, loader)?;
    // What the code makes of the value counts.
    if candidate.known().is_some() && found.candidate.known().is_some() {
        candidate.value = found.candidate.value.clone();
    }
    candidate.condition.clone_from(&found.candidate.condition);
    Some(candidate)
}

/// The value of a key of a configuration of several files.
fn layered_value(graph: &FileGraph, load: &LoadedFile, found: &CodeCandidate, keys: &[String]) -> Option<Candidate> {
    let LayeredNode::Value(id, route, _) = layered_node(&load.layers, keys, |id| graph.file(id).data()) else { return None };
    let keys: Vec<&str> = route.iter().map(String::as_str).collect();
    let mut candidate = data_file::candidate_at(graph.file(id), &keys, Loader::OmegaConf)?;
    // What the code makes of the value counts, and what it makes of its interpolations.
    candidate.value = found.candidate.value.clone();
    candidate.condition.clone_from(&found.candidate.condition);
    Some(candidate)
}

/// `training.lr=1e-4` on the command line, which Hydra, OmegaConf and scripts with a merge of their own put above the file.
fn command_line_override(sources: &RunSources, keys: &[String]) -> Option<Candidate> {
    let launch = sources.launch.as_deref()?;
    let key_path = keys.join(".");
    let options = launch.options();
    let value = options.iter().rfind(|option| option.name == key_path)?.value.as_ref()?;
    if value.word.text().is_some_and(|text| text.starts_with('-')) {
        return None;
    }
    let origin = Origin::Flag { place: launch.value_place(value.word, value.range), flag: key_path };
    if value.text.as_ref().is_some_and(|text| text.contains([',', '[', '{', '('])) {
        return Some(unknown(message!("several values are tried", "尝试多个值"), "", origin));
    }
    Some(cli::candidate_from_value(value, origin))
}
