//! Calls that configure training: argument classes, trainers, loaders, optimizers, accelerate, `DeepSpeed`, adapters.

use super::call_arguments::CallArguments;
use super::control_flow::DeferredCall;
use super::facts::{AcceleratorUse, LoadRole};
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::library_classes::{self, ArgumentClassKind, is_optimizer, is_trainer, sentence_task, trl_task};
use super::name_roles;
use super::qualified_name::{leaf, library};
use super::script_arguments::RankVariables;
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::python::{Expr, ExprKind};

/// Nesting of the blocks of a DeepSpeed configuration.
const DEEPSPEED_DEPTH: usize = 4;

impl Interpreter<'_> {
    /// Library calls that configure or run training.
    pub(super) fn training_call(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        let name = leaf(path);
        if let Some(kind) = library_classes::argument_class(path) {
            self.emit_arguments(path, kind, args, place);
            return Some(AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Library(path.clone()))), place));
        }
        if is_trainer(path) {
            return Some(self.call_trainer(path, args, place));
        }
        if is_optimizer(path) {
            self.call_optimizer(path, args, place);
            return Some(AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Library(path.clone()))), place));
        }
        match (library(path), name) {
            (Some("torch" | "torchdata") | None, "DataLoader" | "StatefulDataLoader") => self.call_data_loader(path, args, place),
            (Some("accelerate") | None, "Accelerator") => return Some(self.call_accelerator(path, args, place)),
            (Some("torch"), "get_world_size") if path.contains("distributed") => return self.known_world_size(place),
            (Some("accelerate"), "GradientAccumulationPlugin") => {
                self.candidates().emit_argument(Concept::GradientAccumulationSteps, "num_steps", args, 0, path, place);
            }
            (Some("accelerate"), "ParallelismConfig") => self.call_parallelism_config(path, args, place),
            (Some("accelerate"), "FullyShardedDataParallelPlugin") => self.call_fsdp_plugin(path, args, place),
            (Some("accelerate"), "DeepSpeedPlugin") => self.call_deepspeed_plugin(path, args, place),
            (Some("torch"), "MixedPrecision" | "MixedPrecisionPolicy") => self.call_fsdp_precision(path, args, place),
            (Some("torch"), "autocast") => self.call_autocast(path, args, place),
            (Some("deepspeed"), "initialize") => return Some(self.call_deepspeed_initialize(path, args, place)),
            (Some("peft") | None, "LoraConfig") => {
                self.candidates().emit_call(Dialect::HfTrainer, path, args, place);
                self.facts.adapters = true;
                return Some(AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Lora)), place));
            }
            // Low-rank adapters whose rank falls from its first value to its last (peft 0.21.2 tuners/adalora/config.py).
            (Some("peft"), "AdaLoraConfig") => {
                self.candidates().emit_call(Dialect::HfTrainer, path, args, place);
                self.facts
                    .candidates
                    .retain(|(concept, _, candidate)| *concept != Concept::LoraR || candidate.call_place != Some(place));
                let first = AbstractValue::located(ValueKind::Scalar(Value::Int(12)), place);
                let rank = args.get("init_r").cloned().unwrap_or(first);
                self.candidates().emit_value(Concept::LoraR, &rank, path, "init_r", place);
                self.facts.adapters = true;
            }
            _ => return None,
        }
        Some(AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Library(path.clone()))), place))
    }

    /// The keywords of an argument class.
    pub(super) fn emit_arguments(&mut self, path: &str, kind: ArgumentClassKind, args: &CallArguments, place: FileRange) {
        self.facts.record_library(kind.dialect, kind.task);
        self.candidates().emit_call(kind.dialect, path, args, place);
        for (_, _, candidate) in &mut self.facts.candidates {
            if candidate.call_place == Some(place) && candidate.stage.is_none() {
                candidate.stage = kind.task;
            }
        }
        if let Some(config) = args.get("deepspeed") {
            self.deepspeed_config(config, path, place);
        }
    }

    fn call_trainer(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        self.training.trainer = true;
        let lightning = matches!(library(path), Some("pytorch_lightning" | "lightning" | "lightning_fabric"));
        if lightning {
            self.facts.record_library(Dialect::Lightning, None);
            self.candidates().emit_call(Dialect::Lightning, path, args, place);
        } else {
            let prefix = leaf(path).strip_suffix("Trainer");
            let task =
                if library(path) == Some("sentence_transformers") { sentence_task(prefix) } else { prefix.and_then(trl_task) };
            let plain = matches!(library(path), Some("transformers" | "sentence_transformers"));
            let dialect = if plain { Dialect::HfTrainer } else { Dialect::Trl };
            self.facts.record_library(dialect, task);
            if !plain {
                // Before trl 0.13 the trainers took the length and packing themselves, and unsloth hands both on.
                for key in ["max_seq_length", "max_length"] {
                    self.candidates().emit_argument(Concept::SequenceLength, key, args, usize::MAX, path, place);
                }
                self.candidates().emit_argument(Concept::Packing, "packing", args, usize::MAX, path, place);
            }
            let model = args.arg("model", 0).cloned();
            if let Some(model) = &model
                && model.objects().next().is_none()
            {
                self.candidates().emit_value(Concept::Model, model, path, "model", place);
            }
            if let Some(peft) = args.get("peft_config") {
                self.facts.adapters_refused |= peft.constant() == Some(&Value::Null);
                self.candidates().emit_adapters(peft, path, place);
            }
        }
        if let Some(model) = args.arg("model", 0).cloned().filter(|_| !lightning) {
            self.train_modules(&model, place);
        }
        let models = match args.arg("model", 0) {
            Some(model) if !lightning => self.heap.if_contains_model(model),
            _ => Vec::new(),
        };
        let id = self.new_object(ObjectKind::Library(path.clone()));
        self.heap[id]
            .attributes
            .insert("__models__".to_string(), AbstractValue::new(ValueKind::Bundle(Rc::new(models)), ValueSource::default()));
        self.facts.trainers.push(id);
        self.escape_functions(args);
        AbstractValue::located(ValueKind::Object(id), place)
    }

    /// An optimizer of a library, or of the project by the name of its class.
    pub(super) fn call_optimizer(&mut self, path: &str, args: &CallArguments, place: FileRange) {
        let family =
            if library(path) == Some("bitsandbytes") { format!("bitsandbytes.{}", leaf(path)) } else { leaf(path).to_string() };
        let name = AbstractValue::located(ValueKind::Scalar(Value::Text(family)), place);
        self.candidates().emit_value(Concept::Optimizer, &name, path, "", place);
        if let Some(rate) = args.arg("lr", 1) {
            let rate = rate.clone();
            self.candidates().emit_value(Concept::LearningRate, &rate, path, "lr", place);
        }
        self.mark_arguments_trained(args);
        let parameters = args.arg("params", 0).cloned().unwrap_or_else(AbstractValue::unknown);
        let absent = default_rate(path).filter(|_| args.arg("lr", 1).is_none() && !args.open && self.is_one_group(&parameters));
        if let Some(rate) = absent {
            let rate = AbstractValue::located(ValueKind::Scalar(Value::Float(rate)), place);
            self.candidates().emit_value(Concept::LearningRate, &rate, path, "lr", place);
        }
        self.train_modules(&parameters, place);
    }

    /// Whether parameters are visible and come without learning rates of their own.
    fn is_one_group(&self, parameters: &AbstractValue) -> bool {
        parameters.alternatives.iter().all(|alt| match &alt.kind {
            ValueKind::Object(id) => !matches!(self.heap[*id].kind, ObjectKind::Dict { .. }),
            ValueKind::Method(..) => true,
            ValueKind::Items(items) | ValueKind::Bundle(items) => items.iter().all(|item| self.is_one_group(item)),
            _ => false,
        })
    }

    fn call_data_loader(&mut self, path: &str, args: &CallArguments, place: FileRange) {
        let evaluation = self.in_evaluation() || args.arg("dataset", 0).is_some_and(|val| self.names_evaluation(val));
        if evaluation {
            return;
        }
        if !args.arg("batch_size", 1).is_some_and(|batch| self.is_batch_of_engine(batch)) {
            self.candidates().emit_argument(Concept::MicroBatch, "batch_size", args, 1, path, place);
        }
        self.escape_functions(args);
        self.candidates().emit_argument(Concept::DataloaderWorkers, "num_workers", args, 5, path, place);
        self.candidates().emit_argument(Concept::DataloaderPrefetchFactor, "prefetch_factor", args, usize::MAX, path, place);
    }

    /// Whether a batch is the one that DeepSpeed has read in its configuration: `engine.train_micro_batch_size_per_gpu()`.
    fn is_batch_of_engine(&self, batch: &AbstractValue) -> bool {
        batch.objects().any(|id| {
            matches!(&self.heap[id].kind, ObjectKind::Library(path) if path.starts_with("deepspeed.") && path.ends_with(".train_micro_batch_size_per_gpu"))
        })
    }

    /// The number of processes that the launcher starts.
    fn known_world_size(&self, place: FileRange) -> Option<AbstractValue> {
        let Some(RankVariables::Set(count)) = self.command_line.arguments.ranks else { return None };
        Some(AbstractValue::located(ValueKind::Scalar(Value::Int(count)), place))
    }

    fn call_accelerator(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        self.facts.record_library(Dialect::Accelerate, None);
        let accumulation_given =
            args.get("gradient_accumulation_steps").is_some() || args.get("gradient_accumulation_plugin").is_some() || args.open;
        let before = self.facts.accelerator.as_ref().is_some_and(|known| known.sets_accumulation);
        self.facts.accelerator =
            Some(AcceleratorUse { place, sets_accumulation: accumulation_given || before, accumulate_called: false });
        for (concept, key) in
            [(Concept::GradientAccumulationSteps, "gradient_accumulation_steps"), (Concept::MixedPrecision, "mixed_precision")]
        {
            self.candidates().emit_argument(concept, key, args, usize::MAX, path, place);
        }
        let id = self.new_object(ObjectKind::Library(path.clone()));
        let alone = self.command_line.arguments.ranks == Some(RankVariables::Absent);
        let one = alone.then(|| AbstractValue::located(ValueKind::Scalar(Value::Int(1)), place));
        if let Some(count) = self.known_world_size(place).or(one) {
            self.heap.set_by_library(id, "num_processes", count);
        }
        // Where it is not given, the launcher's holds.
        if let Some(precision) = args.get("mixed_precision").filter(|val| val.constant().is_some_and(|own| *own != Value::Null)) {
            self.heap.set_by_library(id, "mixed_precision", precision.clone());
        }
        AbstractValue::located(ValueKind::Object(id), place)
    }

    /// Sizes of accelerate 1.15.0 `parallelism_config.py`, 1 by default. `sp_size` divides the batch as `cp_size` does, and only
    /// one of them may be above 1.
    fn call_parallelism_config(&mut self, path: &str, args: &CallArguments, place: FileRange) {
        let one = AbstractValue::located(ValueKind::Scalar(Value::Int(1)), place);
        let hidden = args.open || args.unpacked_block.is_some() || !args.positional.is_empty();
        let absent = if hidden { AbstractValue::located(ValueKind::Unknown, place) } else { one.clone() };
        let tensor = args.get("tp_size").cloned().unwrap_or_else(|| absent.clone());
        self.candidates().emit_value(Concept::TensorParallelSize, &tensor, path, "tp_size", place);
        let is_one = |val: &AbstractValue| val.constant() == Some(&Value::Int(1));
        let (key, rows) = match (args.get("cp_size"), args.get("sp_size")) {
            (Some(context), sequence) if sequence.is_none_or(is_one) => ("cp_size", context.clone()),
            (context, Some(sequence)) if context.is_none_or(is_one) => ("sp_size", sequence.clone()),
            (None, None) => ("cp_size", absent),
            _ => ("cp_size", AbstractValue::located(ValueKind::Unknown, place)),
        };
        self.candidates().emit_value(Concept::ContextParallelSize, &rows, path, key, place);
    }

    /// accelerate 1.15.0 `utils/dataclasses.py`, `FullyShardedDataParallelPlugin`: its arguments override the launcher's.
    fn call_fsdp_plugin(&mut self, path: &str, args: &CallArguments, place: FileRange) {
        for (key, concept) in [
            ("fsdp_version", Concept::FsdpVersion),
            ("cpu_offload", Concept::FsdpOffload),
            ("activation_checkpointing", Concept::FsdpActivationCheckpointing),
            ("state_dict_type", Concept::FsdpStateDict),
        ] {
            self.candidates().emit_argument(concept, key, args, usize::MAX, path, place);
        }
        for (key, concept) in [("sharding_strategy", Concept::FsdpSharding), ("reshard_after_forward", Concept::FsdpReshard)] {
            let strategy = args.get(key).filter(|val| val.constant().is_some()).cloned();
            let val = strategy.or_else(|| args.get(key).map(|_| AbstractValue::located(ValueKind::Unknown, place)));
            if let Some(val) = val {
                self.candidates().emit_value(concept, &val, path, key, place);
            }
        }
    }

    fn call_deepspeed_plugin(&mut self, path: &str, args: &CallArguments, place: FileRange) {
        self.candidates().emit_argument(Concept::ZeroStage, "zero_stage", args, usize::MAX, path, place);
        self.candidates().emit_argument(
            Concept::GradientAccumulationSteps,
            "gradient_accumulation_steps",
            args,
            usize::MAX,
            path,
            place,
        );
        self.candidates().emit_argument(Concept::OffloadOptimizer, "offload_optimizer_device", args, usize::MAX, path, place);
        self.candidates().emit_argument(Concept::OffloadParam, "offload_param_device", args, usize::MAX, path, place);
        if let Some(config) = args.arg("hf_ds_config", 0) {
            self.deepspeed_config(config, path, place);
        }
    }

    /// `deepspeed.initialize` returns the engine and the optimizer.
    fn call_deepspeed_initialize(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        self.facts.record_library(Dialect::DeepSpeed, None);
        self.training.engine = true;
        if let Some(config) = args.get("config").or_else(|| args.get("config_params")) {
            self.deepspeed_config(config, path, place);
        }
        if let Some(model) = args.arg("model", 1) {
            let only = CallArguments { positional: vec![model.clone()], ..CallArguments::default() };
            self.mark_arguments_trained(&only);
            self.train_modules(&only.positional[0], place);
        }
        let mut thing = || {
            let inner: Rc<str> = format!("{path}.engine").into();
            AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Library(inner))), place)
        };
        let items = vec![thing(), thing(), thing(), thing()];
        AbstractValue::located(ValueKind::Items(Rc::new(items)), place)
    }

    /// `DeepSpeed`'s configuration, as a dict or as the path of a file.
    fn deepspeed_config(&mut self, config: &AbstractValue, path: &str, place: FileRange) {
        for alt in &config.alternatives.clone() {
            match &alt.kind {
                ValueKind::Scalar(Value::Text(_)) => {
                    self.facts.add_load(&AbstractValue { alternatives: vec![alt.clone()] }, None, place, LoadRole::DeepSpeed);
                }
                ValueKind::Unknown if alt.source.option.is_some() => {
                    self.facts.add_load(&AbstractValue { alternatives: vec![alt.clone()] }, None, place, LoadRole::DeepSpeed);
                }
                ValueKind::Loaded(load, route) if route.is_empty() => {
                    if let Some(file) = self.facts.loads.get_mut(*load) {
                        file.role = LoadRole::DeepSpeed;
                    }
                }
                ValueKind::Loaded(..) | ValueKind::Object(_) => {
                    if let Some(dict) = self.as_nested_dict(&alt.kind, place, DEEPSPEED_DEPTH) {
                        self.candidates().emit_nested(Dialect::DeepSpeed, dict, path, place);
                    }
                }
                _ => {}
            }
        }
    }

    /// `plugin.deepspeed_config["train_micro_batch_size_per_gpu"] = val`.
    pub(super) fn set_deepspeed_key(&mut self, base: &Expr, index: &Expr, val: &AbstractValue, place: FileRange) {
        let ExprKind::Value(Value::Text(key)) = &index.kind else { return };
        if !base.dotted().is_some_and(|name| name.ends_with(".deepspeed_config")) {
            return;
        }
        let concept = match key.as_str() {
            "train_micro_batch_size_per_gpu" => Concept::MicroBatch,
            "gradient_accumulation_steps" => Concept::GradientAccumulationSteps,
            _ => return,
        };
        self.candidates().emit_value(concept, val, "deepspeed_config", key, place);
    }

    /// Whether a dataset is for evaluation, judging by its name.
    fn names_evaluation(&self, val: &AbstractValue) -> bool {
        val.alternatives.iter().all(|alt| name_roles::is_evaluation_name(&alt.source.name))
            || val.alternatives.iter().any(|alt| {
                alt.source.place.is_some_and(|place| {
                    let argument = self.sources.text(place);
                    // The one look at source text: the argument may be an expression, and any word with "train" in it counts.
                    argument.len() < 200 && name_roles::is_evaluation_name(argument) && !argument.contains("train")
                })
            })
    }

    /// Functions among the arguments, and objects of the project that are called as one or asked for rows: collators and data sets.
    fn escape_functions(&mut self, args: &CallArguments) {
        let given: Vec<usize> = args.values().flat_map(AbstractValue::objects).collect();
        for object in given {
            let ObjectKind::Instance { class, .. } = self.heap[object].kind else { continue };
            for name in ["__call__", "__getitem__"] {
                let method = self.definitions.class_attribute(&self.scopes, class, name);
                if let Some(ValueKind::Function { id, .. }) = method.as_ref().and_then(AbstractValue::single).map(|alt| &alt.kind)
                {
                    self.deferred.push_back(DeferredCall::Function(*id, Some(object)));
                }
            }
        }
        let functions: Vec<AbstractValue> = args
            .values()
            .filter(|val| val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Function { .. })))
            .cloned()
            .collect();
        self.escape(&CallArguments { positional: functions, ..CallArguments::default() });
    }
}

/// The learning rate of an optimizer of torch that is given none (torch 2.9.0 `torch/optim`).
fn default_rate(path: &str) -> Option<f64> {
    match (library(path), leaf(path)) {
        (Some("torch"), "Adam" | "AdamW" | "RAdam") => Some(1e-3),
        (Some("torch"), "NAdam" | "Adamax") => Some(2e-3),
        (Some("torch"), "Adagrad" | "RMSprop") => Some(1e-2),
        _ => None,
    }
}
