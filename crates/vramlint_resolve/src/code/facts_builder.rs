//! What an interpretation found, put together.

use super::call::CallArguments;
use super::candidates::{ReachedCall, Strength};
use super::cli_options::OptionValue;
use super::interpreter::Interpreter;
use super::library::{leaf, root};
use super::models::{ModelRecord, ModelRole};
use super::value::{AbstractValue, Alternative, ObjectKind, ValueKind};
use super::{AcceleratorUse, ArgumentClass, CliOption, CodeCandidate, CodeFacts, LoadedFile, ModelLoad, ParserUse, name_roles};
use crate::setting::Resolved;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use vramlint_base::{FileRange, Value};
use vramlint_catalog::dialect::meaning;
use vramlint_catalog::{Concept, Dialect};

/// What was found so far.
#[derive(Default)]
pub(super) struct FactsBuilder {
    pub(super) candidates: Vec<(Concept, Strength, CodeCandidate)>,
    pub(super) loads: Vec<LoadedFile>,
    pub(super) options: Vec<CliOption>,
    pub(super) option_values: Vec<OptionValue>,
    pub(super) argument_classes: Vec<ArgumentClass>,
    pub(super) parsers: Vec<ParserUse>,
    pub(super) environment: Vec<(String, Option<Value>, FileRange)>,
    pub(super) models: Vec<ModelRecord>,
    /// What the code puts in place of keys of loaded files.
    pub(super) overlays: HashMap<(usize, Vec<String>), AbstractValue>,
    pub(super) trainers: Vec<usize>,
    pub(super) accelerator: Option<AcceleratorUse>,
    pub(super) adapters: bool,
    pub(super) unsloth: bool,
    dialects: Vec<Dialect>,
    tasks: Vec<&'static str>,
}

impl FactsBuilder {
    /// Notes that a library takes part.
    pub(super) fn note_library(&mut self, dialect: Dialect, task: Option<&'static str>) {
        if !self.dialects.contains(&dialect) {
            self.dialects.push(dialect);
        }
        if let Some(task) = task
            && !self.tasks.contains(&task)
        {
            self.tasks.push(task);
        }
    }

    fn dialect(&self, trains: bool) -> Option<Dialect> {
        const ORDER: &[Dialect] =
            &[Dialect::Trl, Dialect::HfTrainer, Dialect::Lightning, Dialect::DeepSpeed, Dialect::Accelerate];
        let found = ORDER.iter().copied().find(|dialect| self.dialects.contains(dialect));
        found.or_else(|| self.unsloth.then_some(Dialect::Unsloth)).or_else(|| trains.then_some(Dialect::Plain))
    }
}

pub(super) fn finish(mut interpreter: Interpreter<'_>) -> CodeFacts {
    interpreter.guards.clear();
    interpreter.frames.clear();
    interpreter.collect_accumulation();
    interpreter.collect_constants();
    interpreter.settled.clear();
    let models = interpreter.collect_models();
    interpreter.collect_options();
    let accumulate_called = interpreter.events.accumulate;
    let given = interpreter.record.accelerator.is_some_and(|known| known.sets_accumulation);
    let accumulates = interpreter.events.accumulates(given);
    let task = interpreter.task();
    let trains = interpreter.events.trains();
    let record = &mut interpreter.record;
    let mut candidates = std::mem::take(&mut record.candidates);
    drop_reached(&mut candidates);
    candidates.sort_by_key(|(concept, strength, candidate)| {
        (*concept, *strength, candidate.fallback, candidate.candidate.condition.is_some())
    });
    let mut facts = CodeFacts {
        steps: 0,
        calls: Vec::new(),
        files: interpreter.order.clone(),
        dialect: record.dialect(trains),
        task,
        accumulates,
        accelerator: record.accelerator.map(|known| AcceleratorUse { accumulate_called, ..known }),
        models,
        uncalled_models: Vec::new(),
        candidates: candidates.into_iter().map(|(concept, _, candidate)| (concept, candidate)).collect(),
        loads: record.loads.clone(),
        options: std::mem::take(&mut record.options),
        argument_classes: std::mem::take(&mut record.argument_classes),
        parsers: std::mem::take(&mut record.parsers),
        environment: std::mem::take(&mut record.environment),
    };
    // From here on only calls of libraries are looked for: what nobody calls says nothing about the run.
    interpreter.run_for_calls();
    facts.steps = interpreter.steps;
    for index in facts.models.len()..interpreter.record.models.len() {
        let trained = interpreter.record.models[index].trained.then_some(true);
        facts.uncalled_models.push(interpreter.model_load(index, trained, false));
    }
    facts.calls = interpreter.take_calls();
    facts
}

/// A value that reaches a call speaks there; by its own name it need not speak again, save of the stage.
fn drop_reached(candidates: &mut Vec<(Concept, Strength, CodeCandidate)>) {
    let at = |known: &(Concept, Strength, CodeCandidate)| known.2.candidate.origin.place().map(|place| (known.0, place));
    let weak: BTreeMap<(Concept, FileRange), Option<&'static str>> = candidates
        .iter()
        .filter(|known| known.1 != Strength::Call)
        .filter_map(|known| Some((at(known)?, known.2.stage)))
        .collect();
    let mut reached = BTreeSet::new();
    for known in candidates.iter_mut().filter(|known| known.1 == Strength::Call) {
        if let Some(key) = at(known) {
            known.2.stage = known.2.stage.or_else(|| weak.get(&key).copied().flatten());
            reached.insert(key);
        }
    }
    candidates.retain(|known| known.1 == Strength::Call || at(known).is_none_or(|key| !reached.contains(&key)));
}

impl Interpreter<'_> {
    /// Constants, attributes and entries that are read, by the names that people choose.
    pub(super) fn collect_constants(&mut self) {
        let reads: Vec<Alternative> = std::mem::take(&mut self.reads).into_values().collect();
        for alt in reads {
            if alt.source.path.is_empty() || alt.source.class.as_deref().is_some_and(name_roles::is_no_trainer) {
                continue;
            }
            let Some(value) = self.known(&alt) else { continue };
            let path: Vec<&str> = alt.source.path.iter().map(String::as_str).collect();
            let Some(found) = meaning(Dialect::Plain, &path, &value) else { continue };
            if !is_countable(found.concept, &found.value) {
                continue;
            }
            let strength = if alt.source.option.is_some() || alt.source.default { Strength::Default } else { Strength::Used };
            let mut candidate = self.candidate(&alt, Resolved::Known(found.value), None);
            candidate.stage = found.stage;
            self.push(found.concept, strength, candidate);
        }
    }

    /// Options by their own names: they are the user's vocabulary, whether or not they are seen to reach a call.
    fn collect_options(&mut self) {
        for option in self.record.options.clone() {
            let (Some(default), Some(place)) = (&option.default, option.default_place) else { continue };
            let known =
                self.record.candidates.iter().any(|(_, _, candidate)| candidate.option.as_deref() == Some(option.dest.as_str()));
            if known {
                continue;
            }
            let Some(found) = meaning(Dialect::Plain, &[option.dest.as_str()], default)
                .or_else(|| meaning(Dialect::HfTrainer, &[option.dest.as_str()], default))
            else {
                continue;
            };
            if !is_countable(found.concept, &found.value) {
                continue;
            }
            let val = self.as_option(AbstractValue::at(ValueKind::Scalar(default.clone()), place), &option.dest);
            if let Some(alt) = val.only() {
                let value = alt
                    .scalar()
                    .cloned()
                    .map_or(found.value.clone(), |given| if given == *default { found.value } else { given });
                let mut candidate = self.candidate(alt, Resolved::Known(value), None);
                candidate.stage = found.stage;
                candidate.used = false;
                self.push(found.concept, Strength::Default, candidate);
            }
        }
    }

    /// Models with what is said about each, and candidates from the ones that the run trains.
    fn collect_models(&mut self) -> Vec<ModelLoad> {
        let backward = self.events.has_backward();
        let only_evaluates = self.events.trainer_evaluates && !self.events.trainer_trains && !backward;
        for id in self.record.trainers.clone() {
            if let Some(models) = self.objects[id].attributes.get("__models__").cloned() {
                for load in self.loads_in(&models, 5) {
                    self.record.models[load].in_trainer = true;
                }
            }
        }
        let trained: Vec<Option<bool>> = self
            .record
            .models
            .iter()
            .map(|model| {
                if model.trained || (model.prepared && backward) || (model.in_trainer && !only_evaluates) {
                    Some(true)
                } else if (model.inferred || model.in_trainer) && !model.escaped {
                    Some(false)
                } else {
                    None
                }
            })
            .collect();
        let any_trained = trained.contains(&Some(true));
        let mut found = Vec::new();
        for (index, trained) in trained.into_iter().enumerate() {
            let speaks = if any_trained { trained == Some(true) } else { trained.is_none() };
            found.push(self.model_load(index, trained, speaks));
        }
        found
    }

    fn model_load(&mut self, index: usize, trained: Option<bool>, speaks: bool) -> ModelLoad {
        let (class, place, given, part) = {
            let model = &self.record.models[index];
            (model.class.clone(), model.place, model.given.clone(), model.part)
        };
        // What is said of the load holds where the load is made.
        self.guards = self.record.models[index].guard.iter().cloned().collect();
        let name = if root(&class) == "unsloth" { "model_name" } else { "pretrained_model_name_or_path" };
        let model = given.arg(name, 0).or_else(|| given.get("pretrained_model_name_or_path")).cloned();
        if let Some(model) = &model {
            let concept = match part {
                ModelRole::Policy if speaks => Some(Concept::Model),
                ModelRole::Policy => None,
                ModelRole::Reference => Some(Concept::ReferenceModel),
                ModelRole::Reward => Some(Concept::RewardModel),
            };
            if let Some(concept) = concept {
                self.emit_as_key(concept, model, &class, name, place);
            }
        }
        if speaks && part == ModelRole::Policy {
            self.emit_load(index, &class, &given, place);
        }
        let device_map = given.get("device_map").cloned().map_or_else(Vec::new, |val| self.device_maps(&val, &class, place));
        let arguments = given
            .keyword
            .iter()
            .map(|(key, val)| (key.clone(), self.plain_value(val), super::member_access::place_of(val).unwrap_or(place)))
            .collect();
        self.guards.clear();
        let record = &self.record.models[index];
        ModelLoad {
            file: place.file,
            place,
            class: class.to_string(),
            model: model.as_ref().and_then(|val| self.plain_value(val)),
            device_map,
            arguments,
            open: given.open || given.rest.is_some(),
            trained,
            conditional: record.guard.is_some(),
            call_chain: record.via.clone(),
        }
    }

    /// What a load says about the run, besides the name of the model.
    fn emit_load(&mut self, index: usize, class: &str, given: &CallArguments, place: FileRange) {
        let (cast, frozen) = (self.record.models[index].cast.clone(), self.record.models[index].frozen);
        if let Some(cast) = &cast {
            self.emit_as_key(Concept::WeightsDtype, cast, class, "dtype", place);
        }
        // What is trained beside adapters is theirs; what is thawed by name is not seen.
        if let Some(at) = frozen {
            let base = AbstractValue::at(ValueKind::Scalar(Value::Text("base".to_string())), at);
            self.emit_as_key(Concept::Freeze, &base, class, "requires_grad_", at);
        }
        let unsloth = root(class) == "unsloth";
        let dialect = if unsloth { Dialect::Unsloth } else { Dialect::HfTrainer };
        let named: Vec<(String, AbstractValue)> = given
            .keyword
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "model_name" | "pretrained_model_name_or_path"))
            .filter(|(key, _)| cast.is_none() || !matches!(key.as_str(), "dtype" | "torch_dtype"))
            .cloned()
            .collect();
        self.emit_call(dialect, class, &CallArguments { keyword: named, ..CallArguments::default() }, place);
        for alt in given.get("quantization_config").map_or(&[][..], |val| &val.alternatives).to_vec() {
            if let ValueKind::Object(id) = alt.kind
                && let ObjectKind::Quantization(val) = self.objects[id].kind.clone()
            {
                let alternatives =
                    val.alternatives.into_iter().map(|inner| Alternative { condition: alt.condition.clone(), ..inner }).collect();
                self.emit_as_key(
                    Concept::Quantization,
                    &AbstractValue::from_alts(alternatives),
                    class,
                    "quantization_config",
                    place,
                );
            }
        }
        let head = leaf(class.trim_end_matches(".from_pretrained"));
        if head.contains("SequenceClassification") {
            self.record.note_library(Dialect::HfTrainer, None);
        }
    }

    fn device_maps(&mut self, val: &AbstractValue, class: &str, place: FileRange) -> Vec<CodeCandidate> {
        val.alternatives
            .iter()
            .map(|alt| {
                let value = match self.known(alt) {
                    Some(value) => Resolved::Known(value),
                    None => {
                        Resolved::Unknown(vramlint_base::message!("it is decided while the program runs", "其值在运行时才确定"))
                    }
                };
                self.candidate(alt, value, Some(ReachedCall { path: class, key: "device_map", place }))
            })
            .collect()
    }

    /// The task, by the trainer, else by the stage that the names of what is used agree on.
    fn task(&self) -> Option<String> {
        if let [task] = self.record.tasks.as_slice() {
            return Some((*task).to_string());
        }
        if !self.record.tasks.is_empty() {
            return None;
        }
        let mut stages: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, _, candidate) in &self.record.candidates {
            if let Some(stage) = candidate.stage {
                *stages.entry(stage).or_default() += 1;
            }
        }
        if stages.len() == 1 {
            return stages.into_keys().next().map(str::to_string);
        }
        let classifies = self.record.models.iter().any(|model| model.class.contains("ForSequenceClassification"));
        (stages.is_empty() && classifies).then(|| "seq-cls".to_string())
    }
}

/// Whether a value fits a concept that must be a number: people's names also hold text there (`"1-2"`).
fn is_countable(concept: Concept, value: &Value) -> bool {
    let number = matches!(
        concept,
        Concept::MicroBatch
            | Concept::GradientAccumulationSteps
            | Concept::SequenceLength
            | Concept::NumGenerations
            | Concept::LoraR
    );
    !number || value.as_int().is_some()
}
