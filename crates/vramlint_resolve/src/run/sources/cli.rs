//! Candidates from the command line of a script: `--batch_size 4`, `training.lr=1e-4`.

use super::super::copied_files;
use super::super::precedence::{CandidateSet, SourceLayer, known, unknown};
use super::super::rank_variables::rank_variables;
use crate::code::{CodeFacts, GivenOption, ScriptArguments};
use crate::file_graph::FileGraph;
use crate::launch::{Argument, ArgumentValue, Launch};
use crate::setting::{Candidate, Origin};
use std::collections::HashSet;
use vramlint_base::value_readers::argparse_word;
use vramlint_base::{FileRange, Message, TextRange, Value, message};
use vramlint_catalog::{Concept, Dialect, dialect};
use vramlint_syntax::data::Loader;
use vramlint_syntax::json;
use vramlint_syntax::shell::Word;

/// Adds every argument of the script that sets a concept. `by_program`: the script hands its command line to a framework.
pub(in crate::run) fn add(
    candidates: &mut CandidateSet,
    launch: &Launch,
    dialect: Dialect,
    code: Option<&CodeFacts>,
    by_program: bool,
) {
    add_positional(candidates, launch, dialect);
    let of_framework = launch.module.as_ref().and_then(Word::text).is_some_and(|module| Dialect::of_module(module).is_some());
    for argument in launch.options() {
        let name = declared_name(&argument.name, code);
        let path: Vec<&str> = name.split('.').collect();
        let (value, raw, place, word) = match &argument.value {
            Some(value) => {
                let typed = list_of_words(&argument).or_else(|| value.text.as_deref().map(argparse_word));
                (typed, value.text.clone().unwrap_or_default(), launch.value_place(value.word, value.range), Some(value.word))
            }
            None => (Some(Value::Bool(true)), String::new(), FileRange::new(launch.file, argument.word), None),
        };
        if raw.trim_start().starts_with('{') {
            add_members(candidates, dialect, &path, &raw, &Origin::Flag { place, flag: format!("--{}", argument.name) });
        }
        let probe = value.clone().unwrap_or(Value::Int(1));
        let mut meanings = dialect::meanings(dialect, &path, &probe);
        // A framework's own option decides, whatever branches its script has.
        let above = !meanings.is_empty() && !dialect.options.is_empty();
        let layer = if above { SourceLayer::LauncherFlag } else { SourceLayer::Flag };
        // A framework's own command has no option of another name: ms-swift's `--model_name` is what the model calls itself.
        let is_own = launch.launcher.dialect.is_some() || by_program || code.is_none() && of_framework;
        if meanings.is_empty() && !is_own {
            meanings.extend(dialect::meaning(Dialect::Plain, &path, &probe));
        }
        for meaning in meanings {
            let origin = Origin::Flag { place, flag: format!("--{}", argument.name) };
            let mut candidate = match value {
                Some(_) => known(with_siblings(launch, dialect, meaning.concept, meaning.value), raw.clone(), origin),
                None => unknown(message!("not set in the script", "脚本中没有给出"), raw.clone(), origin),
            };
            if let Some(known) = word.and_then(|word| model_of(meaning.concept, word, &candidate.origin)) {
                candidate = known;
            }
            candidate.assumptions = word.map(assumptions).unwrap_or_default();
            candidates.add(meaning.concept, layer, candidate);
        }
    }
}

/// Adds what an option says in the form of JSON: `--model_init_kwargs '{"dtype": "bfloat16"}'` (transformers 5.23.0 `training_args.py` reads
/// such options with `json.loads`).
fn add_members(candidates: &mut CandidateSet, dialect: Dialect, path: &[&str], text: &str, origin: &Origin) {
    let data = json::parse(text);
    let Some(root) = data.root().filter(|_| data.errors.is_empty()) else { return };
    for (key, node) in root.entries() {
        let (Some(key), Some(value)) = (key.text(), node.value(Loader::Json)) else { continue };
        let member: Vec<&str> = path.iter().copied().chain([key]).collect();
        for meaning in dialect::meanings(dialect, &member, &value) {
            let raw = node.text().unwrap_or_default();
            candidates.add(meaning.concept, SourceLayer::Flag, known(meaning.value, raw, origin.clone()));
        }
    }
}

/// The value of an option where other options of the command say more of it: 4 bits of which type, with quantized constants or not.
fn with_siblings(launch: &Launch, dialect: Dialect, concept: Concept, value: Value) -> Value {
    if !(concept == Concept::Quantization && dialect::is_four_bits(&value)) {
        return value;
    }
    let options = launch.options();
    let lookup = |key: &str| {
        let option = options.iter().rfind(|option| option.name.replace('-', "_") == key)?;
        let Some(given) = &option.value else { return Some(Value::Bool(true)) };
        Some(given.text.as_deref().map_or(Value::Null, argparse_word))
    };
    dialect::refined_four_bits(dialect, lookup).map_or(value, |kind| Value::Text(kind.to_owned()))
}

/// The value of an option that several words follow.
fn list_of_words(argument: &Argument<'_>) -> Option<Value> {
    let words = argument.value.iter().chain(&argument.more);
    let texts: Option<Vec<Value>> = words.map(|value| value.text.clone().map(Value::Text)).collect();
    texts.filter(|texts| texts.len() > 1).map(Value::List)
}

/// Adds what the framework's command names by its first word: `litgpt finetune_lora CHECKPOINT`.
fn add_positional(candidates: &mut CandidateSet, launch: &Launch, dialect: Dialect) {
    let Some(key) = launch.launcher.config.positional else { return };
    let Some(word) = launch.arguments.first().filter(|word| word.text().is_none_or(|text| !text.starts_with('-'))) else {
        return;
    };
    let probe = Value::Text(word.text().unwrap_or("?").to_owned());
    for meaning in dialect::meanings(dialect, &[key], &probe) {
        candidates.add(meaning.concept, SourceLayer::Flag, candidate_from_word(launch, word, key));
    }
}

/// The arguments of a launch as the code sees them.
pub(in crate::run) fn script_arguments(graph: &FileGraph, launch: &Launch) -> ScriptArguments {
    let file = graph.file(launch.file);
    let options = launch.options();
    let copied =
        |value: &ArgumentValue<'_>| copied_files::source_of_option(graph, launch, value).map(|id| graph.file(id).path.clone());
    let text = |value: &ArgumentValue<'_>| copied(value).or_else(|| value.text.clone());
    let values = |argument: &Argument<'_>| argument.value.iter().chain(&argument.more).map(text).collect();
    let given = options.iter().map(|argument| GivenOption {
        words: values(argument),
        assigned: is_assignment(argument.word.slice(&file.text)),
        name: argument.name.clone(),
    });
    let values_of =
        |option: &Argument<'_>| option.value.iter().chain(&option.more).map(|value| value.word.range).collect::<Vec<_>>();
    let parts: HashSet<TextRange> =
        options.iter().flat_map(|option| std::iter::once(option.word).chain(values_of(option))).collect();
    ScriptArguments {
        options: given.collect(),
        positional: launch
            .arguments
            .iter()
            .filter(|word| !parts.contains(&word.range))
            .map(|word| word.text().map(str::to_owned))
            .collect(),
        complete: !launch.may_have_more_options(&file.text),
        folder: Some(file.folder().to_owned()),
        ranks: rank_variables(graph, launch),
        words: Some(launch.arguments.iter().map(|word| word.text().map(str::to_owned)).collect()),
    }
}

/// Whether a word is `key=value`, without dashes.
fn is_assignment(raw: &str) -> bool {
    let raw = raw.trim_start_matches(['"', '\'']);
    !raw.starts_with('-') && raw.contains('=')
}

/// The name that the code uses for an option: `-b` is `batch_size` if the script declares it so.
fn declared_name(name: &str, code: Option<&CodeFacts>) -> String {
    let declared =
        code.and_then(|code| code.options.iter().find(|option| option.names.iter().any(|n| n.trim_start_matches('-') == name)));
    declared.map_or_else(|| name.replace('-', "_"), |option| option.dest.clone())
}

/// The value of an option as a candidate.
pub(in crate::run) fn candidate_from_value(value: &ArgumentValue<'_>, origin: Origin) -> Candidate {
    let mut candidate = match &value.text {
        Some(text) => known(argparse_word(text), text.clone(), origin),
        None => unknown(message!("not set in the script", "脚本中没有给出"), "", origin),
    };
    candidate.assumptions = assumptions(value.word);
    candidate
}

/// The model in a folder of which only the end of the path is known: `$ROOT/Qwen3-8B`.
pub(in crate::run) fn model_of(concept: Concept, word: &Word, origin: &Origin) -> Option<Candidate> {
    let end = word.path_end.as_deref().filter(|_| concept == Concept::Model)?;
    let name = end.trim_end_matches('/').rsplit('/').next()?;
    (!name.is_empty()).then(|| known(Value::Text(name.to_owned()), name, origin.clone()))
}

/// The assumptions on which the value of a word depends.
pub(in crate::run) fn assumptions(word: &Word) -> Vec<Message> {
    let say = |a: &vramlint_syntax::shell::Assumption| {
        let (variable, value) = (&a.variable, &a.value);
        message!("`${variable}` is {value} unless the caller sets it", "`${variable}` 为 {value}，除非调用者另行设置")
    };
    word.assumptions.iter().map(say).collect()
}

/// A word of a command as a candidate.
pub(in crate::run) fn candidate_from_word(launch: &Launch, word: &Word, flag: &str) -> Candidate {
    let origin = Origin::Flag { place: launch.value_place(word, word.range), flag: flag.to_owned() };
    let mut candidate = match word.text() {
        Some(text) => known(argparse_word(text), text, origin),
        None => unknown(message!("not set in the script", "脚本中没有给出"), "", origin),
    };
    candidate.assumptions = assumptions(word);
    candidate
}
