//! Calls that configure training: argument classes, trainers, loaders, optimizers, accelerate, `DeepSpeed`, adapters.

use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::library::{leaf, root};
use super::value::{AbstractValue, ObjectKind, ValueKind, ValueSource};
use super::{AcceleratorUse, LoadRole};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::{Concept, Dialect};

/// A class of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArgumentsKind {
    pub(super) dialect: Dialect,
    pub(super) task: Option<&'static str>,
}

/// Names of TRL's trainers and configs start with their task: trl 1.16 trainer/*_config.py, trl/experimental.
const TRL_TASKS: &[(&str, &str)] = &[
    ("SFT", "sft"),
    ("DPO", "dpo"),
    ("GRPO", "grpo"),
    ("KTO", "kto"),
    ("RLOO", "rloo"),
    ("Reward", "reward"),
    ("PRM", "reward"),
    ("ORPO", "orpo"),
    ("CPO", "cpo"),
    ("PPO", "ppo"),
    ("OnlineDPO", "dpo"),
    ("GKD", "gkd"),
    ("BCO", "bco"),
];

/// The vocabulary of a class of arguments, if it is one.
pub(super) fn arguments(path: &str) -> Option<ArgumentsKind> {
    let name = leaf(path);
    match root(path) {
        "transformers" | "sentence_transformers" | "?"
            if matches!(name, "TrainingArguments" | "Seq2SeqTrainingArguments" | "SentenceTransformerTrainingArguments") =>
        {
            Some(ArgumentsKind { dialect: Dialect::HfTrainer, task: None })
        }
        "trl" | "?" if name == "ModelConfig" && root(path) == "trl" => Some(ArgumentsKind { dialect: Dialect::Trl, task: None }),
        "trl" | "?" => {
            let task = trl_task(name.strip_suffix("Config")?)?;
            Some(ArgumentsKind { dialect: Dialect::Trl, task: Some(task) })
        }
        "unsloth" if name == "UnslothTrainingArguments" => Some(ArgumentsKind { dialect: Dialect::Trl, task: Some("sft") }),
        _ => None,
    }
}

fn trl_task(prefix: &str) -> Option<&'static str> {
    TRL_TASKS.iter().find(|(name, _)| *name == prefix).map(|(_, task)| *task)
}

/// Whether a class trains when it is told to.
pub(super) fn is_trainer(path: &str) -> bool {
    let name = leaf(path);
    match root(path) {
        "transformers" | "sentence_transformers" => {
            matches!(name, "Trainer" | "Seq2SeqTrainer" | "SentenceTransformerTrainer")
        }
        "trl" => name.ends_with("Trainer"),
        "unsloth" => name == "UnslothTrainer",
        "pytorch_lightning" | "lightning" | "lightning_fabric" => name == "Trainer",
        "?" => name == "Seq2SeqTrainer" || name.strip_suffix("Trainer").and_then(trl_task).is_some(),
        _ => false,
    }
}

/// Whether a class is an optimizer.
pub(super) fn is_optimizer(path: &str) -> bool {
    let name = leaf(path);
    match root(path) {
        "torch" => path.contains(".optim.") && !path.contains("lr_scheduler") && name.starts_with(char::is_uppercase),
        "bitsandbytes" | "deepspeed" | "apex" | "torchao" | "lion_pytorch" | "adam_mini" | "galore_torch" | "transformers"
        | "?" => {
            let lower = name.to_lowercase();
            (lower.contains("adam")
                || lower.contains("lion")
                || lower.contains("sgd")
                || lower.contains("adafactor")
                || lower.contains("lamb"))
                && name.starts_with(char::is_uppercase)
        }
        _ => false,
    }
}

impl Interpreter<'_> {
    /// Calls of libraries that configure or do training.
    pub(super) fn training_call(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        let name = leaf(path);
        if let Some(kind) = arguments(path) {
            self.emit_arguments(path, kind, given, place);
            return Some(AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Library(path.clone()))), place));
        }
        if is_trainer(path) {
            return Some(self.trainer(path, given, place));
        }
        if is_optimizer(path) {
            self.optimizer(path, given, place);
            return Some(AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Library(path.clone()))), place));
        }
        match (root(path), name) {
            ("torch" | "torchdata" | "?", "DataLoader" | "StatefulDataLoader") => self.data_loader(path, given, place),
            ("accelerate" | "?", "Accelerator") => self.accelerator(path, given, place),
            ("accelerate", "GradientAccumulationPlugin") => {
                self.emit_key(Concept::GradientAccumulationSteps, "num_steps", given, 0, path, place);
            }
            ("accelerate", "ParallelismConfig") => self.parallelism(path, given, place),
            ("accelerate", "FullyShardedDataParallelPlugin") => self.fsdp_plugin(path, given, place),
            ("accelerate", "DeepSpeedPlugin") => self.deepspeed_plugin(path, given, place),
            ("deepspeed", "initialize") => return Some(self.deepspeed(path, given, place)),
            ("peft" | "?", "LoraConfig") => {
                self.emit_call(Dialect::HfTrainer, path, given, place);
                self.record.adapters = true;
                return Some(AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Lora)), place));
            }
            _ => return None,
        }
        Some(AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Library(path.clone()))), place))
    }

    /// The keywords of an argument class.
    pub(super) fn emit_arguments(&mut self, path: &str, kind: ArgumentsKind, given: &CallArguments, place: FileRange) {
        self.record.note_library(kind.dialect, kind.task);
        self.emit_call(kind.dialect, path, given, place);
        for (_, _, candidate) in &mut self.record.candidates {
            if candidate.call_place == Some(place) && candidate.stage.is_none() {
                candidate.stage = kind.task;
            }
        }
        if let Some(config) = given.get("deepspeed") {
            self.deepspeed_config(config, path, place);
        }
    }

    fn trainer(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> AbstractValue {
        self.events.trainer = true;
        let lightning = matches!(root(path), "pytorch_lightning" | "lightning" | "lightning_fabric");
        if lightning {
            self.record.note_library(Dialect::Lightning, None);
            self.emit_call(Dialect::Lightning, path, given, place);
        } else {
            let task = leaf(path).strip_suffix("Trainer").and_then(trl_task);
            let dialect = if root(path) == "transformers" { Dialect::HfTrainer } else { Dialect::Trl };
            self.record.note_library(dialect, task);
            let model = given.arg("model", 0).cloned();
            if let Some(model) = &model
                && model.objects().next().is_none()
            {
                self.emit_as_key(Concept::Model, model, path, "model", place);
            }
            if let Some(peft) = given.get("peft_config") {
                self.adapted(peft, path, place);
            }
        }
        let models = match given.arg("model", 0) {
            Some(model) if !lightning => self.models_of(model),
            _ => Vec::new(),
        };
        let id = self.new_object(ObjectKind::Library(path.clone()));
        self.objects[id]
            .attributes
            .insert("__models__".to_string(), AbstractValue::one(ValueKind::Bundle(Rc::new(models)), ValueSource::default()));
        self.record.trainers.push(id);
        self.escape_functions(given);
        AbstractValue::at(ValueKind::Object(id), place)
    }

    fn optimizer(&mut self, path: &str, given: &CallArguments, place: FileRange) {
        let family = if root(path) == "bitsandbytes" { format!("bitsandbytes.{}", leaf(path)) } else { leaf(path).to_string() };
        let name = AbstractValue::at(ValueKind::Scalar(Value::Text(family)), place);
        self.emit_as_key(Concept::Optimizer, &name, path, "", place);
        if let Some(rate) = given.arg("lr", 1) {
            let rate = rate.clone();
            self.emit_as_key(Concept::LearningRate, &rate, path, "lr", place);
        }
        self.trained_arguments(given);
    }

    fn data_loader(&mut self, path: &str, given: &CallArguments, place: FileRange) {
        let evaluation = self.in_evaluation() || given.arg("dataset", 0).is_some_and(|val| self.names_evaluation(val));
        if evaluation {
            return;
        }
        self.emit_key(Concept::MicroBatch, "batch_size", given, 1, path, place);
        self.emit_key(Concept::DataloaderWorkers, "num_workers", given, 5, path, place);
        self.emit_key(Concept::DataloaderPrefetchFactor, "prefetch_factor", given, usize::MAX, path, place);
    }

    fn accelerator(&mut self, path: &str, given: &CallArguments, place: FileRange) {
        self.record.note_library(Dialect::Accelerate, None);
        let accumulation_given = given.get("gradient_accumulation_steps").is_some()
            || given.get("gradient_accumulation_plugin").is_some()
            || given.open;
        let before = self.record.accelerator.as_ref().is_some_and(|known| known.sets_accumulation);
        self.record.accelerator =
            Some(AcceleratorUse { place, sets_accumulation: accumulation_given || before, accumulate_called: false });
        for (concept, key) in
            [(Concept::GradientAccumulationSteps, "gradient_accumulation_steps"), (Concept::MixedPrecision, "mixed_precision")]
        {
            self.emit_key(concept, key, given, usize::MAX, path, place);
        }
    }

    /// Sizes of accelerate 1.15.0 `parallelism_config.py`, 1 where they are not given; `sp_size` divides rows as `cp_size` does, and
    /// only one of them may be above 1.
    fn parallelism(&mut self, path: &str, given: &CallArguments, place: FileRange) {
        let one = AbstractValue::at(ValueKind::Scalar(Value::Int(1)), place);
        let hidden = given.open || given.rest.is_some() || !given.positional.is_empty();
        let absent = if hidden { AbstractValue::at(ValueKind::Unknown, place) } else { one.clone() };
        let tensor = given.get("tp_size").cloned().unwrap_or_else(|| absent.clone());
        self.emit_as_key(Concept::TensorParallelSize, &tensor, path, "tp_size", place);
        let trivial = |val: &AbstractValue| val.certain() == Some(&Value::Int(1));
        let (key, rows) = match (given.get("cp_size"), given.get("sp_size")) {
            (Some(context), sequence) if sequence.is_none_or(trivial) => ("cp_size", context.clone()),
            (context, Some(sequence)) if context.is_none_or(trivial) => ("sp_size", sequence.clone()),
            (None, None) => ("cp_size", absent),
            _ => ("cp_size", AbstractValue::at(ValueKind::Unknown, place)),
        };
        self.emit_as_key(Concept::ContextParallelSize, &rows, path, key, place);
    }

    /// accelerate 1.15.0 `utils/dataclasses.py`, `FullyShardedDataParallelPlugin`: its arguments beat the launcher's.
    fn fsdp_plugin(&mut self, path: &str, given: &CallArguments, place: FileRange) {
        for (key, concept) in [
            ("fsdp_version", Concept::FsdpVersion),
            ("cpu_offload", Concept::FsdpOffload),
            ("activation_checkpointing", Concept::FsdpActivationCheckpointing),
            ("state_dict_type", Concept::FsdpStateDict),
        ] {
            self.emit_key(concept, key, given, usize::MAX, path, place);
        }
        for (key, concept) in [("sharding_strategy", Concept::FsdpSharding), ("reshard_after_forward", Concept::FsdpReshard)] {
            let strategy = given.get(key).filter(|val| val.certain().is_some()).cloned();
            let val = strategy.or_else(|| given.get(key).map(|_| AbstractValue::at(ValueKind::Unknown, place)));
            if let Some(val) = val {
                self.emit_as_key(concept, &val, path, key, place);
            }
        }
    }

    fn deepspeed_plugin(&mut self, path: &str, given: &CallArguments, place: FileRange) {
        self.emit_key(Concept::ZeroStage, "zero_stage", given, usize::MAX, path, place);
        self.emit_key(Concept::GradientAccumulationSteps, "gradient_accumulation_steps", given, usize::MAX, path, place);
        self.emit_key(Concept::OffloadOptimizer, "offload_optimizer_device", given, usize::MAX, path, place);
        self.emit_key(Concept::OffloadParam, "offload_param_device", given, usize::MAX, path, place);
        if let Some(config) = given.arg("hf_ds_config", 0) {
            self.deepspeed_config(config, path, place);
        }
    }

    /// `deepspeed.initialize` gives back the engine and the optimizer.
    fn deepspeed(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> AbstractValue {
        self.record.note_library(Dialect::DeepSpeed, None);
        self.events.engine = true;
        if let Some(config) = given.get("config").or_else(|| given.get("config_params")) {
            self.deepspeed_config(config, path, place);
        }
        if let Some(model) = given.arg("model", 1) {
            let only = CallArguments { positional: vec![model.clone()], ..CallArguments::default() };
            self.trained_arguments(&only);
        }
        let mut thing = || {
            let inner: Rc<str> = format!("{path}.engine").into();
            AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Library(inner))), place)
        };
        let items = vec![thing(), thing(), thing(), thing()];
        AbstractValue::at(ValueKind::Items(Rc::new(items)), place)
    }

    /// `DeepSpeed`'s configuration, as a dict or as the path of a file.
    fn deepspeed_config(&mut self, config: &AbstractValue, path: &str, place: FileRange) {
        for alt in &config.alternatives.clone() {
            match &alt.kind {
                ValueKind::Object(id) => {
                    let id = *id;
                    self.emit_nested(Dialect::DeepSpeed, id, path, place);
                }
                ValueKind::Scalar(Value::Text(_)) => {
                    self.new_load(&AbstractValue { alternatives: vec![alt.clone()] }, None, place, LoadRole::DeepSpeed);
                }
                ValueKind::Unknown if alt.source.option.is_some() => {
                    self.new_load(&AbstractValue { alternatives: vec![alt.clone()] }, None, place, LoadRole::DeepSpeed);
                }
                ValueKind::Loaded(load, _) => {
                    if let Some(file) = self.record.loads.get_mut(*load) {
                        file.role = LoadRole::DeepSpeed;
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether a data set is one for evaluation, by the name that it has.
    fn names_evaluation(&self, val: &AbstractValue) -> bool {
        val.alternatives.iter().all(|alt| super::name_roles::speaks_of_evaluation(&alt.source.name))
            || val.alternatives.iter().any(|alt| {
                alt.source.place.is_some_and(|place| {
                    let text = self.text(place);
                    text.len() < 200 && super::name_roles::speaks_of_evaluation(text) && !text.contains("train")
                })
            })
    }

    fn escape_functions(&mut self, given: &CallArguments) {
        let functions: Vec<AbstractValue> = given
            .all()
            .filter(|val| val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Function { .. })))
            .cloned()
            .collect();
        self.escape(&CallArguments { positional: functions, ..CallArguments::default() });
    }
}
