//! Candidates from data files: every scalar that sets a concept.

use super::super::precedence::{CandidateSet, SourceLayer, known, unknown};
use crate::SourceFile;
use crate::file_graph::FileGraph;
use crate::kind::FileKind;
use crate::setting::{Candidate, Origin};
use vramlint_base::value_readers::{argparse_number, spelled_bool};
use vramlint_base::{FileRange, Value, is_templated, message};
use vramlint_catalog::frameworks::ConfigLoader;
use vramlint_catalog::{Concept, Dialect, LibraryVersions, dialect};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// Scalars that are read of one file.
const LEAVES: usize = 5_000;

/// The loader that types the scalars of a file of this kind, unless code shows another one.
pub(crate) fn loader_of(file: &SourceFile, kind: FileKind) -> Loader {
    if file.is_json() {
        return Loader::Json;
    }
    match kind.config().map(|config| config.loader) {
        // jsonargparse reads numbers as OmegaConf does.
        Some(ConfigLoader::OmegaConf | ConfigLoader::JsonArgparse) => Loader::OmegaConf,
        Some(ConfigLoader::TrlParser) => Loader::TrlParser,
        Some(ConfigLoader::PyYaml) | None => Loader::PyYaml,
    }
}

/// Adds the settings of a training file.
pub(in crate::run) fn add_training(
    candidates: &mut CandidateSet,
    graph: &FileGraph,
    file: &SourceFile,
    loader: Option<Loader>,
    versions: &LibraryVersions,
) {
    let kind = graph.classified_kind(file.id);
    let Some(dialect) = kind.dialect() else { return };
    let loader = loader.unwrap_or_else(|| loader_of(file, kind));
    let Some(root) = file.data().and_then(DataFile::root) else { return };
    crate::kind::visit_values(root, &mut Vec::new(), &mut { LEAVES }, &mut |path, node| {
        let Some(value) = node.value(loader) else { return };
        let value = as_consumer_types_it(value, dialect);
        let mut meanings = dialect::meanings(dialect, path, &value);
        if meanings.is_empty() && matches!(dialect, Dialect::HfTrainer | Dialect::Trl) {
            // A project's own keys next to a framework's: `lora.r` in a Trainer file.
            meanings.extend(dialect::meaning(Dialect::Plain, path, &value));
        }
        let key = path.join(".");
        if matches!(value, Value::Null) && is_dtype_of_trl(dialect, path) {
            candidates.add(Concept::WeightsDtype, SourceLayer::File, null_dtype(file, root, path, node, &key));
        }
        for meaning in meanings {
            let mut meant = meaning.value;
            let beside = |name: &str| {
                let parents = path.split_last().map_or(&[][..], |(_, parents)| parents);
                root.at(parents)?.entry(name)?.1.value(loader)
            };
            if meaning.concept == Concept::LoraTargets {
                meant = with_switched_targets(meant, dialect, beside);
            }
            if meaning.concept == Concept::Quantization && dialect::is_four_bits(&meant) {
                meant = dialect::refined_four_bits(dialect, beside).map_or(meant, |kind| Value::Text(kind.to_owned()));
            }
            if meaning.concept == Concept::GradientCheckpointing && is_replaced(&value, dialect, versions, beside) {
                let formula = message!(
                    "activations of adapted models are kept on the host instead",
                    "带适配器的模型改为把激活值保存在内存中"
                );
                let origin = Origin::Derived { formula, inputs: vec![Concept::Method] };
                candidates.add(meaning.concept, SourceLayer::File, known(Value::Bool(false), "", origin));
                continue;
            }
            let candidate = candidate(file, root, path, node, meant, &key);
            candidates.add(meaning.concept, SourceLayer::File, candidate);
        }
    });
}

/// Whether a file of TRL gives the data type of the weights here. Its parser hands on a null, which is not the default of the class
/// (trl 1.16.0 `scripts/utils.py`, `trainer/model_config.py`).
fn is_dtype_of_trl(dialect: Dialect, path: &[&str]) -> bool {
    let named = || dialect::meaning(dialect, path, &Value::Text("bfloat16".to_owned()));
    dialect == Dialect::Trl && named().is_some_and(|meaning| meaning.concept == Concept::WeightsDtype)
}

/// A data type that is null.
fn null_dtype(file: &SourceFile, root: NodeRef<'_>, path: &[&str], node: NodeRef<'_>, key: &str) -> Candidate {
    let given = candidate(file, root, path, node, Value::Null, key);
    let why = message!("`{key}` is null: transformers decides", "`{key}` 为 null：由 transformers 决定");
    unknown(why, given.raw, given.origin)
}

/// Whether another key of the file keeps activations on the host instead of checkpointing them.
fn is_replaced(
    checkpointing: &Value,
    dialect: Dialect,
    versions: &LibraryVersions,
    beside: impl Fn(&str) -> Option<Value>,
) -> bool {
    let Some(offloaded) = dialect.offloads_instead.filter(|offloaded| versions.reaches(dialect.package, offloaded.since)) else {
        return false;
    };
    let adapts = beside(offloaded.adapters).as_ref().and_then(Value::as_str).is_some_and(|name| !name.is_empty());
    let by_word = checkpointing.as_str().is_some_and(|word| offloaded.words.contains(&word));
    let by_key = || match beside(offloaded.key) {
        Some(Value::Text(word)) => {
            !word.is_empty() && !offloaded.but.contains(&word.as_str()) && spelled_bool(&Value::Text(word)) != Some(false)
        }
        Some(Value::Bool(on)) => on,
        _ => false,
    };
    adapts && checkpointing != &Value::Bool(false) && (by_word || by_key())
}

/// The layers that get adapters, with those that other keys beside the list add.
fn with_switched_targets(listed: Value, dialect: Dialect, beside: impl Fn(&str) -> Option<Value>) -> Value {
    let switched = dialect.estimate.adapter_switches.iter();
    let added: Vec<&str> = switched
        .filter(|(key, _)| beside(key) == Some(Value::Bool(true)))
        .flat_map(|(_, layers)| layers.iter().copied())
        .collect();
    let Value::List(mut names) = listed else { return listed };
    if added.contains(&ALL_LINEAR) {
        return Value::Text(ALL_LINEAR.to_owned());
    }
    for name in added.into_iter().map(|name| Value::Text(name.to_owned())) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Value::List(names)
}

/// What PEFT takes for every linear layer but the head.
const ALL_LINEAR: &str = "all-linear";

/// A string that the consumer turns into a number: Axolotl by pydantic, TRL by argparse. For others PyYAML's `'2e-5'` stays a string.
fn as_consumer_types_it(value: Value, dialect: Dialect) -> Value {
    match &value {
        Value::Text(text) if dialect.files.is_some_and(|files| files.text_becomes_number) => {
            argparse_number(text).unwrap_or(value)
        }
        _ => value,
    }
}

/// A candidate from a leaf of a data file.
pub(in crate::run) fn candidate(
    file: &SourceFile,
    root: NodeRef<'_>,
    path: &[&str],
    node: NodeRef<'_>,
    value: Value,
    key_path: &str,
) -> Candidate {
    let place = FileRange::new(file.id, node.range());
    let key = path
        .split_last()
        .and_then(|(last, parents)| root.at(parents)?.entry(last))
        .map_or(place, |(key, _)| FileRange::new(file.id, key.range()));
    let raw = node.range().slice(&file.text).to_owned();
    let origin = Origin::File { place, key, key_path: key_path.to_owned() };
    if value.as_str().is_some_and(is_templated) {
        return unknown(message!("filled in by a template", "由模板填入"), raw, origin);
    }
    known(value, raw, origin)
}

/// The value at `path` of a data file as a candidate for `concept`.
pub(in crate::run) fn candidate_at(file: &SourceFile, path: &[&str], loader: Loader) -> Option<Candidate> {
    let root = file.data()?.root()?;
    let node = root.at(path)?;
    Some(candidate(file, root, path, node, node.value(loader)?, &path.join(".")))
}
