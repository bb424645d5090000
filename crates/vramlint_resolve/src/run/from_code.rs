//! What the code of a run offers, joined with the flags, files and variables that feed it.

use super::seed::{Seed, same_option};
use super::settle::{Layer, Offers, known, unknown};
use super::{arguments, data};
use crate::code::{CodeCandidate, CodeFacts};
use crate::project::Project;
use crate::setting::{Candidate, Origin};
use vramlint_base::{FileRange, Value, message};
use vramlint_catalog::{Concept, dialect};
use vramlint_syntax::data::Loader;

/// Offers what the code says; `stage` leaves out what speaks of another one.
pub(super) fn offer(offers: &mut Offers, project: &Project, seed: &Seed, code: &CodeFacts, stage: Option<&str>) {
    for (concept, found) in &code.candidates {
        let other_stage = found.stage.is_some_and(|own| stage.is_some_and(|stage| stage != own));
        if other_stage || !found.used || is_field_of_parser(code, *concept, found) {
            continue;
        }
        if let Some(name) = &found.env {
            by_variable(offers, seed, code, *concept, found, name);
        } else if let Some(candidate) = from_loaded_file(project, seed, code, found) {
            offers.offer(*concept, Layer::Decided, candidate);
        } else if found.loaded_key.is_some() {
            // The file, or the key in it, is not there. With a fallback in the code the fallback speaks; else it stays unknown.
            let fallback = code.candidates.iter().any(|(other, rival)| other == concept && rival.fallback);
            if !fallback {
                offers.offer(*concept, Layer::Decided, found.candidate.clone());
            }
        } else if let Some(option) = &found.option {
            by_option(offers, seed, code, *concept, found, option);
        } else if !found.fallback || !offers.decided(*concept) {
            let layer = if found.reaches_call { Layer::Decided } else { Layer::Constant };
            offers.offer(*concept, layer, found.candidate.clone());
        }
    }
}

/// `model_args.model_name_or_path`, unknown to the code because the parser of argument classes fills it: the command line and the
/// files that the parser reads speak for it.
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

/// A value that a variable of the environment feeds: what the script sets, else the default in the code.
fn by_variable(offers: &mut Offers, seed: &Seed, code: &CodeFacts, concept: Concept, found: &CodeCandidate, name: &str) {
    let layer = if found.reaches_call { Layer::Decided } else { Layer::Constant };
    if let Some(launch) = seed.launch.as_deref()
        && let Some(variable) = launch.variable(name)
    {
        let origin = Origin::Env { name: name.to_owned(), place: FileRange::new(launch.file, variable.range) };
        let mut candidate = match variable.value.text() {
            Some(text) => known(arguments::typed(text), text, origin),
            None => unknown(message!("the script does not say", "脚本中没有给出"), "", origin),
        };
        candidate.assumptions = arguments::assumptions(&variable.value);
        return offers.offer(concept, layer, candidate);
    }
    let same = |rival: &CodeCandidate| rival.env.as_deref() == Some(name) && rival.candidate.known().is_some();
    let has_default = code.candidates.iter().any(|(other, rival)| *other == concept && same(rival));
    if found.candidate.known().is_none() && has_default {
        return;
    }
    let mut candidate = found.candidate.clone();
    if let Some(value) = candidate.known() {
        let why = message!("${name} is {value} unless the caller says otherwise", "${name} 为 {value}，除非调用者另行指定");
        candidate.assumptions.push(why);
    }
    offers.offer(concept, layer, candidate);
}

/// A value that an option of the command line feeds: the flag where the launch gives it, else the option's default.
fn by_option(offers: &mut Offers, seed: &Seed, code: &CodeFacts, concept: Concept, found: &CodeCandidate, option: &str) {
    let given = seed.launch.as_deref().is_some_and(|launch| launch.options().iter().any(|o| same_option(code, &o.name, option)));
    if given && found.reaches_call {
        promote_flag(offers, seed, code, concept, option);
        offer_default(offers, code, concept, option);
    } else if !given {
        let layer = if found.reaches_call { Layer::Decided } else { Layer::OptionDefault };
        offers.offer(concept, layer, found.candidate.clone());
    }
}

/// The default that the flag overrides.
fn offer_default(offers: &mut Offers, code: &CodeFacts, concept: Concept, dest: &str) {
    let Some(option) = code.options.iter().find(|option| option.dest == dest) else { return };
    if let (Some(value), Some(place)) = (&option.default, option.default_place) {
        let origin = Origin::OptionDefault { place, option: format!("--{dest}") };
        offers.offer(concept, Layer::OptionDefault, known(value.clone(), value.to_string(), origin));
    }
}

fn promote_flag(offers: &mut Offers, seed: &Seed, code: &CodeFacts, concept: Concept, option: &str) {
    let Some(launch) = seed.launch.as_deref() else { return };
    let options = launch.options();
    let Some(value) = options.iter().rfind(|o| same_option(code, &o.name, option)).and_then(|o| o.value.as_ref()) else { return };
    let origin = Origin::Flag { place: FileRange::new(launch.file, value.range), flag: format!("--{option}") };
    offers.offer(concept, Layer::Decided, arguments::candidate(value, origin));
}

/// The value of a key of a loaded file that code passes on.
fn from_loaded_file(project: &Project, seed: &Seed, code: &CodeFacts, found: &CodeCandidate) -> Option<Candidate> {
    let (index, keys) = found.loaded_key.as_ref()?;
    let load = code.loads.get(*index)?;
    if load.loader == Some(Loader::OmegaConf)
        && let Some(given) = overriding(seed, keys)
    {
        return Some(given);
    }
    let id = seed.loaded(project, load)?.ok()?;
    let file = project.file(id);
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    data::lookup(file, &keys, load.loader.unwrap_or_else(|| data::loader_of(file, project.kind(id))))
}

/// `training.lr=1e-4` on the command line, which Hydra and OmegaConf put above the file.
fn overriding(seed: &Seed, keys: &[String]) -> Option<Candidate> {
    let launch = seed.launch.as_deref()?;
    let route = keys.join(".");
    let options = launch.options();
    let given = options.iter().rfind(|option| option.name == route)?.value.as_ref()?;
    if given.word.text().is_some_and(|text| text.starts_with('-')) {
        return None;
    }
    let origin = Origin::Flag { place: FileRange::new(launch.file, given.range), flag: route };
    Some(arguments::candidate(given, origin))
}
