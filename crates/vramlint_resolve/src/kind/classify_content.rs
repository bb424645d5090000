//! What a data file is by its keys.

use super::{FileClass, FileKind, KindConfidence};
use crate::SourceFile;
use std::collections::BTreeSet;
use vramlint_base::message;
use vramlint_catalog::dialect;
use vramlint_catalog::frameworks::FileKeys;
use vramlint_catalog::{Concept, Dialect, UnsupportedFramework, classes, keys};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// What a data file is by its own keys, and by its name if they leave it open.
pub fn classify(file: &SourceFile) -> FileClass {
    // A list of rows holds no settings.
    if file.is_json() && file.text.trim_start_matches('\u{feff}').trim_start().starts_with('[') {
        return FileClass::other();
    }
    let Some(root) = file.data().and_then(DataFile::root).filter(|root| root.is_mapping()) else {
        return FileClass::other();
    };
    let keys: BTreeSet<&str> = root.entries().filter_map(|(key, _)| key.text()).collect();
    if is_run_record(root, &keys) {
        return FileClass::other();
    }
    let json = file.is_json();
    accelerate(&keys, file)
        .or_else(|| deepspeed(root, &keys, json))
        .or_else(|| UnsupportedFramework::of_keys(&RootKeys { root, keys: &keys }).map(FileClass::of_unsupported))
        .or_else(|| framework(root, &keys))
        .or_else(|| project_config(root, &keys, json))
        .unwrap_or_else(FileClass::other)
}

/// The settings of a past run as Weights & Biases stores them, `key: {value: …}`. No program reads them to train.
fn is_run_record(root: NodeRef<'_>, keys: &BTreeSet<&str>) -> bool {
    let (mut all, mut boxed) = (0, 0);
    for (_, value) in root.entries() {
        all += 1;
        boxed += usize::from(value.is_mapping() && value.get("value").is_some());
    }
    keys.contains("wandb_version") || keys.contains("_wandb") || boxed >= 3 && boxed * 2 > all
}

/// A class by one key.
fn by_key(kind: FileKind, confidence: KindConfidence, key: &str) -> FileClass {
    FileClass { kind, confidence, reason: message!("the key `{key}`", "键 `{key}`"), unsupported: None }
}

/// Keys of accelerate's file that no other tool shares.
const ACCELERATE_ONLY: &[&str] =
    &["distributed_type", "compute_environment", "main_training_function", "downcast_bf16", "rdzv_backend", "tpu_use_cluster"];

fn accelerate(keys: &BTreeSet<&str>, file: &SourceFile) -> Option<FileClass> {
    let own = ACCELERATE_ONLY.iter().filter(|key| keys.contains(**key)).count();
    // The file for SageMaker has keys of its own.
    let is_known =
        |key: &&&str| [keys::accelerate(), keys::accelerate_sagemaker()].iter().any(|all| keys::find(all, key).is_some());
    let known = keys.iter().filter(is_known).count();
    if keys.contains("distributed_type") && known * 2 >= keys.len() {
        return Some(by_key(FileKind::Accelerate, KindConfidence::Recognized, "distributed_type"));
    }
    if own >= 2 && known * 2 >= keys.len() {
        return Some(by_key(FileKind::Accelerate, KindConfidence::Recognized, "compute_environment"));
    }
    let named = file.name().to_lowercase().contains("accelerate");
    if named && known >= 1 && known * 2 >= keys.len() && (keys.contains("num_processes") || own >= 1) {
        return Some(FileClass {
            kind: FileKind::Accelerate,
            confidence: KindConfidence::Guessed,
            reason: message!("its name and its keys", "文件名与键名"),
            unsupported: None,
        });
    }
    None
}

/// Keys of DeepSpeed's file that no other tool shares at the root.
const DEEPSPEED_ONLY: &[&str] = &[
    "train_micro_batch_size_per_gpu",
    "zero_optimization",
    "zero_allow_untested_optimizer",
    "wall_clock_breakdown",
    "steps_per_print",
];
/// Keys of GPT-NeoX, which has DeepSpeed's keys among its own; NeoX reads such a file, not DeepSpeed.
const NEOX_ONLY: &[&str] = &[
    "num_layers",
    "hidden_size",
    "pipe_parallel_size",
    "pipe-parallel-size",
    "num-layers",
    "hidden-size",
    "vocab_file",
    "vocab-file",
];

/// Whether the keys of a mapping from JSON or from a Python dict are DeepSpeed's.
pub(crate) fn is_deepspeed(root: NodeRef<'_>) -> bool {
    let keys: BTreeSet<&str> = root.entries().filter_map(|(key, _)| key.text()).collect();
    deepspeed(root, &keys, true).is_some()
}

fn deepspeed(root: NodeRef<'_>, keys: &BTreeSet<&str>, json: bool) -> Option<FileClass> {
    // A file for the autotuner has arguments of the script, too.
    let tuned = json && root.get("autotuning").is_some_and(NodeRef::is_mapping);
    if NEOX_ONLY.iter().any(|key| keys.contains(key)) {
        return None;
    }
    let own = DEEPSPEED_ONLY.iter().filter(|key| keys.contains(**key)).count();
    let known = keys.iter().filter(|key| keys::find(keys::deepspeed(), key).is_some()).count();
    let block = root.get("zero_optimization").is_some_and(NodeRef::is_mapping);
    let enough = if json {
        own >= 2 || block || keys.contains("train_micro_batch_size_per_gpu") || own >= 1 && known * 2 >= keys.len()
    } else {
        own >= 1 && known * 4 >= keys.len() * 3
    };
    (enough && (tuned || known * 2 >= keys.len())).then(|| {
        let key = DEEPSPEED_ONLY.iter().find(|key| keys.contains(**key)).copied().unwrap_or("train_batch_size");
        by_key(FileKind::DeepSpeed, KindConfidence::Recognized, key)
    })
}

fn framework(root: NodeRef<'_>, keys: &BTreeSet<&str>) -> Option<FileClass> {
    let (dialect, is_certain, key) = Dialect::of_keys(&RootKeys { root, keys })?;
    if !has_mostly_keys_of(dialect, keys) {
        return None;
    }
    let confidence = if is_certain { KindConfidence::Recognized } else { KindConfidence::Guessed };
    Some(by_key(FileKind::Framework(dialect), confidence, key))
}

/// Whether a framework whose every key is known has most of these: a few may be misspelled, but a file with many others is that of
/// another program with some of the same names.
fn has_mostly_keys_of(dialect: Dialect, keys: &BTreeSet<&str>) -> bool {
    let classes = &dialect.classes;
    let Some(class) = classes.usual.filter(|_| classes.complete).and_then(classes::find) else { return true };
    let roots: BTreeSet<&str> = class.fields().filter_map(|field| field.name.split('.').next()).collect();
    let known = keys.iter().filter(|key| roots.contains(**key)).count();
    known * 3 >= keys.len() * 2
}

/// The keys of a file's root, as the evidence of a framework looks at them.
struct RootKeys<'a> {
    root: NodeRef<'a>,
    keys: &'a BTreeSet<&'a str>,
}

impl FileKeys for RootKeys<'_> {
    fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    fn has_inside(&self, block: &str, key: &str) -> bool {
        self.root.get(block).is_some_and(|block| block.get(key).is_some())
    }

    fn has_in_some_block(&self, key: &str) -> bool {
        self.root.entries().any(|(_, value)| value.get(key).is_some())
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.root.get(key).and_then(NodeRef::text)
    }
}

/// Concepts that only training uses. Sampling counts completions, too.
const TRAINING_CONCEPTS: &[Concept] = &[
    Concept::MicroBatch,
    Concept::GradientAccumulationSteps,
    Concept::LearningRate,
    Concept::Epochs,
    Concept::LoraR,
    Concept::GradientCheckpointing,
    Concept::Optimizer,
];
/// Nodes that are looked at before a large file counts as data.
const NODE_BUDGET: usize = 400;

/// A project's own training configuration: at least two concepts that only training uses, or one and a model.
fn project_config(root: NodeRef<'_>, keys: &BTreeSet<&str>, json: bool) -> Option<FileClass> {
    if NEOX_ONLY.iter().any(|key| keys.contains(key))
        || keys.contains("architectures")
        || keys.contains("model_type") && keys.contains("vocab_size")
    {
        return None;
    }
    let mut found = BTreeSet::new();
    let mut budget = NODE_BUDGET;
    visit_scalars(root, &mut Vec::new(), &mut budget, &mut |path, node| {
        if let Some(value) = node.value(if json { Loader::Json } else { Loader::PyYaml })
            && let Some(meaning) = dialect::meaning(Dialect::Plain, path, &value)
        {
            found.insert(meaning.concept);
        }
    });
    let training_concepts = TRAINING_CONCEPTS.iter().filter(|concept| found.contains(concept)).count();
    let model = found.contains(&Concept::Model);
    (training_concepts >= 2 || training_concepts == 1 && model).then(|| FileClass {
        kind: FileKind::Training,
        confidence: KindConfidence::Guessed,
        reason: message!("{training_concepts} keys that only training uses", "有 {training_concepts} 个训练特有的键"),
        unsupported: None,
    })
}

/// Calls `found` for every scalar with its key path. Lists are not entered.
pub(crate) fn visit_scalars<'a>(
    node: NodeRef<'a>,
    path: &mut Vec<&'a str>,
    budget: &mut usize,
    found: &mut dyn FnMut(&[&'a str], NodeRef<'a>),
) {
    visit(node, path, budget, false, found);
}

/// As [`visit_scalars`], and also calls `found` for lists of scalars: `lora_modules_to_save: [lm_head]`.
pub(crate) fn visit_values<'a>(
    node: NodeRef<'a>,
    path: &mut Vec<&'a str>,
    budget: &mut usize,
    found: &mut dyn FnMut(&[&'a str], NodeRef<'a>),
) {
    visit(node, path, budget, true, found);
}

fn visit<'a>(
    node: NodeRef<'a>,
    path: &mut Vec<&'a str>,
    budget: &mut usize,
    lists: bool,
    found: &mut dyn FnMut(&[&'a str], NodeRef<'a>),
) {
    for (key, value) in node.entries() {
        let Some(text) = key.text() else { continue };
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        if text == "<<" {
            // A merge key: its entries belong to this level.
            visit(value, path, budget, lists, found);
            value.items().for_each(|source| visit(source, path, budget, lists, found));
            continue;
        }
        path.push(text);
        if value.is_mapping() && path.len() < 8 {
            visit(value, path, budget, lists, found);
        } else if value.scalar().is_some() || lists && is_scalar_list(value) {
            found(path, value);
        }
        path.pop();
    }
}

fn is_scalar_list(value: NodeRef<'_>) -> bool {
    let mut items = value.items().peekable();
    items.peek().is_some() && items.all(|item| item.scalar().is_some())
}
