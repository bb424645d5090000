//! The facts found so far.

use super::command_line::OptionValue;
use super::facts::{AcceleratorUse, ArgumentClass, CliOption, CodeCandidate, LoadRole, LoadedFile, ParserUse, TrainingPath};
use super::model_record::ModelRecord;
use super::module_casts::ModuleCast;
use super::value::{AbstractValue, Alternative};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::data::Loader;

/// Maximum number of candidates.
const MAX_CANDIDATES: usize = 2_000;
/// Maximum number of loads.
const MAX_LOADS: usize = 100;

/// How strong a candidate is; the order is that of [`super::CodeFacts::candidates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// An argument of a call that the library reads.
    Call,
    /// A constant that is read.
    Used,
    /// A default of a field or of an option.
    Default,
}

/// The facts found so far.
#[derive(Default)]
pub(super) struct FactsBuilder {
    pub(super) candidates: Vec<(Concept, Strength, CodeCandidate)>,
    pub(super) loads: Vec<LoadedFile>,
    /// The lengths at which calls cut texts, by the place of the call.
    pub(super) cuts: HashMap<FileRange, BTreeSet<i64>>,
    /// The names by which tokenizers are loaded; `None`: one is not known.
    pub(super) tokenizers: BTreeSet<Option<String>>,
    /// The lengths at which they cut the texts of a training, where they differ; rising.
    pub(super) text_lengths: Vec<u64>,
    /// The files that loads read, by the index of the load, as far as they are known.
    pub(super) loaded_files: HashMap<usize, FileId>,
    /// The words of the command line that choose among files of a composed configuration, by the index of the load.
    pub(super) group_choices: HashMap<usize, HashSet<String>>,
    /// Nesting of the interpolations that are being followed.
    pub(super) interpolations: u32,
    pub(super) options: Vec<CliOption>,
    pub(super) option_values: Vec<OptionValue>,
    pub(super) argument_classes: Vec<ArgumentClass>,
    pub(super) parsers: Vec<ParserUse>,
    pub(super) environment: Vec<(String, Option<Value>, FileRange)>,
    pub(super) models: Vec<ModelRecord>,
    /// Values that the code puts in place of keys of loaded files.
    pub(super) overlays: HashMap<(usize, Vec<String>), AbstractValue>,
    /// Keys that the code takes out of blocks of loaded files, and whether it does so under no condition.
    pub(super) removed_keys: HashMap<(usize, Vec<String>), bool>,
    pub(super) trainers: Vec<usize>,
    pub(super) accelerator: Option<AcceleratorUse>,
    /// Whether adapters are configured, made or loaded.
    pub(super) adapters: bool,
    /// Whether adapters are put on a model or loaded, other than by a trainer's configuration.
    pub(super) adapts: bool,
    /// Functions that put a kernel in the place of a model's attention, called under no condition.
    pub(super) attention_kernels: BTreeSet<String>,
    /// Whether a trainer is told to put no adapters on its model.
    pub(super) adapters_refused: bool,
    /// What loops over the modules of a model cast.
    pub(super) module_casts: Vec<ModuleCast>,
    /// Whether the loss of a trainer of the project compares pairs.
    pub(super) compares_pairs: bool,
    pub(super) unsloth: bool,
    pub(super) training_path: Option<TrainingPath>,
    pub(super) is_cut_off: bool,
    dialects: Vec<Dialect>,
    tasks: Vec<&'static str>,
    /// Concepts that the code which is called sets: code without callers adds nothing to them.
    frozen_concepts: BTreeSet<Concept>,
}

impl FactsBuilder {
    /// Records that a library is in use.
    pub(super) fn record_library(&mut self, dialect: Dialect, task: Option<&'static str>) {
        if !self.dialects.contains(&dialect) {
            self.dialects.push(dialect);
        }
        if let Some(task) = task
            && !self.tasks.contains(&task)
        {
            self.tasks.push(task);
        }
    }

    pub(super) fn dialect(&self, trains: bool) -> Option<Dialect> {
        const ORDER: &[Dialect] =
            &[Dialect::Trl, Dialect::HfTrainer, Dialect::Lightning, Dialect::DeepSpeed, Dialect::Accelerate];
        let found = ORDER.iter().copied().find(|dialect| self.dialects.contains(dialect));
        found.or_else(|| self.unsloth.then_some(Dialect::Unsloth)).or_else(|| trains.then_some(Dialect::Plain))
    }

    pub(super) fn push(&mut self, concept: Concept, strength: Strength, candidate: CodeCandidate) {
        let is_same = |known: &(Concept, Strength, CodeCandidate)| {
            known.0 == concept
                && known.2.candidate == candidate.candidate
                && known.2.call_place == candidate.call_place
                && known.2.loaded_key == candidate.loaded_key
                && known.2.option == candidate.option
        };
        let place = candidate.candidate.origin.place();
        let is_same_place =
            |known: &(Concept, Strength, CodeCandidate)| known.0 == concept && known.2.candidate.origin.place() == place;
        if self.frozen_concepts.contains(&concept) && !self.candidates.iter().any(is_same_place) {
            return;
        }
        match self.candidates.iter().position(is_same) {
            // The same candidate, found again by its own name: keep the stage of the name.
            Some(index) => {
                let known = &mut self.candidates[index].2;
                known.stage = known.stage.or(candidate.stage);
            }
            None if self.candidates.len() < MAX_CANDIDATES => self.candidates.push((concept, strength, candidate)),
            None => {}
        }
    }

    /// Records a load. The same call with the same path is one load.
    pub(super) fn add_load(&mut self, path: &AbstractValue, loader: Option<Loader>, place: FileRange, role: LoadRole) -> usize {
        let alt: Option<&Alternative> = path.alternatives.first();
        let text = alt.and_then(Alternative::scalar).and_then(Value::as_str).map(str::to_string);
        let option = alt.and_then(|alt| alt.source.option.clone());
        let word = |name: &str| name.strip_prefix("sys.argv[")?.strip_suffix(']')?.parse().ok();
        let argument = path.library_path().and_then(|path| path.strip_prefix("sys.argv.").and_then(|n| n.parse().ok()));
        let argument = argument.or_else(|| alt.and_then(|alt| word(&alt.source.name)));
        let known = self.loads.iter().position(|load| load.place == place && load.path == text && load.option == option);
        if let Some(index) = known {
            return index;
        }
        if self.loads.len() >= MAX_LOADS {
            return MAX_LOADS - 1;
        }
        self.loads.push(LoadedFile { path: text, option, place, loader, file: None, argument, role, layers: Vec::new() });
        self.loads.len() - 1
    }

    /// Records a configuration that is made of several files. The same call with the same files is one load.
    pub(super) fn add_composed(&mut self, made: LoadedFile) -> usize {
        let known = self.loads.iter().position(|load| load.place == made.place && load.layers == made.layers);
        if known.is_none() && self.loads.len() < MAX_LOADS {
            self.loads.push(made);
        }
        known.unwrap_or(self.loads.len() - 1)
    }

    /// The task, by the trainer, otherwise by the stage on which the names in use agree.
    pub(super) fn task(&self) -> Option<String> {
        if let [task] = self.tasks.as_slice() {
            return Some((*task).to_string());
        }
        if !self.tasks.is_empty() {
            return None;
        }
        let mut stages: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, _, candidate) in &self.candidates {
            if let Some(stage) = candidate.stage {
                *stages.entry(stage).or_default() += 1;
            }
        }
        if stages.len() == 1 {
            return stages.into_keys().next().map(str::to_string);
        }
        // A trainer of TRL whose task is not known may load a classifier as its judge.
        let classifies = !self.dialects.contains(&Dialect::Trl)
            && self.models.iter().any(|model| model.class.contains("ForSequenceClassification"));
        let task = if self.compares_pairs { "reward" } else { "seq-cls" };
        (stages.is_empty() && classifies).then(|| task.to_string())
    }

    /// Freezes the concepts that have candidates: they get no candidates at further places.
    pub(super) fn freeze_concepts(&mut self) {
        self.frozen_concepts = self.candidates.iter().map(|(concept, ..)| *concept).collect();
    }

    pub(super) fn unfreeze_concepts(&mut self) {
        self.frozen_concepts.clear();
    }
}

/// Drops candidates by name whose value also reaches a call. Only the stage of the name is kept.
pub(super) fn drop_reached(candidates: &mut Vec<(Concept, Strength, CodeCandidate)>) {
    let key_of = |known: &(Concept, Strength, CodeCandidate)| known.2.candidate.origin.place().map(|place| (known.0, place));
    let weak: BTreeMap<(Concept, FileRange), Option<&'static str>> = candidates
        .iter()
        .filter(|known| known.1 != Strength::Call)
        .filter_map(|known| Some((key_of(known)?, known.2.stage)))
        .collect();
    let mut reached = BTreeSet::new();
    for known in candidates.iter_mut().filter(|known| known.1 == Strength::Call) {
        if let Some(key) = key_of(known) {
            known.2.stage = known.2.stage.or_else(|| weak.get(&key).copied().flatten());
            // The type of autocast is not that of the weights, whatever its name.
            reached.extend((key.0 == Concept::MixedPrecision).then_some((Concept::WeightsDtype, key.1)));
            reached.insert(key);
        }
    }
    candidates.retain(|known| known.1 == Strength::Call || key_of(known).is_none_or(|key| !reached.contains(&key)));
}
