//! The end of an interpretation: its state becomes [`CodeFacts`].

use super::autocast;
use super::call_arguments::CallArguments;
use super::candidates::{CandidateSink, ReachedCall};
use super::command_line::OptionForm;
use super::conditions::PathConditions;
use super::control_flow::ControlFlow;
use super::facts::{AcceleratorUse, CodeCandidate, CodeFacts, ModelLoad};
use super::facts_builder::{Strength, drop_reached};
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::library_classes::trl_task;
use super::model_record::{ModelRecord, ModelRole};
use super::name_roles;
use super::qualified_name::library;
use super::value::{AbstractValue, Alternative, ValueKind, place_of_value};
use crate::setting::Resolved;
use std::collections::BTreeSet;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::dialect::meaning;
use vramlint_catalog::{Concept, Dialect};

pub(super) fn finish(mut interpreter: Interpreter<'_>) -> CodeFacts {
    interpreter.control = ControlFlow::default();
    for count in interpreter.training.accumulation_counts() {
        interpreter.candidates().emit_inferred(Concept::GradientAccumulationSteps, &count, None);
    }
    interpreter.mark_models_in_trainers();
    interpreter.collect_constants();
    interpreter.facts.unfreeze_concepts();
    let models = interpreter.collect_models();
    interpreter.collect_made_models();
    interpreter.collect_options();
    interpreter.collect_tokenizer_lengths();
    interpreter.collect_sliced_batches();
    let cuts_rows_into_blocks = interpreter.collect_row_blocks();
    interpreter.collect_sliced_lengths();
    let (generated_tokens, texts_per_sample) = (interpreter.training.generated_tokens(), interpreter.texts_per_sample());
    let accumulate_called = interpreter.training.accumulate;
    let args = interpreter.facts.accelerator.is_some_and(|known| known.sets_accumulation);
    let accumulates = interpreter.training.accumulates(args);
    let task = interpreter.facts.task();
    let trains = interpreter.training.trains();
    let (may_freeze, freezes_part) = (interpreter.may_freeze(), interpreter.freezes_part());
    let frozen_part = interpreter.frozen_part().map(str::to_owned).or_else(|| interpreter.freeze_rules());
    let trains_one_part = interpreter.trains_one_part();
    let (may_adapt, sees_what_is_trained) = (interpreter.may_adapt(), interpreter.sees_what_is_trained());
    let sees_some_trained = interpreter.sees_some_trained();
    let built_models = interpreter.built_models();
    let keeps_default_dtype = interpreter.keeps_default_dtype();
    let own_trainers = interpreter.own_trainers();
    let predicts_next_token = interpreter.training.has_backward() && interpreter.predicts_next_token();
    let tokenizer = interpreter.only_tokenizer();
    let record = &mut interpreter.facts;
    let dialect = record.dialect(trains);
    let mut candidates = std::mem::take(&mut record.candidates);
    candidates.retain(|candidate| !autocast::is_overruled(candidate, dialect));
    drop_reached(&mut candidates);
    candidates.sort_by_key(|(concept, strength, candidate)| {
        (*concept, *strength, candidate.fallback, candidate.candidate.condition.is_some())
    });
    let mut facts = CodeFacts {
        steps: 0,
        calls: Vec::new(),
        files: interpreter.load_order.clone(),
        dialect,
        task,
        accumulates,
        training_path: record.training_path,
        is_cut_off: record.is_cut_off,
        accelerator: record.accelerator.map(|known| AcceleratorUse { accumulate_called, ..known }),
        models,
        uncalled_models: Vec::new(),
        may_freeze,
        freezes_part,
        frozen_part,
        trains_one_part,
        attention_kernels: record.attention_kernels.iter().cloned().collect(),
        tokenizer,
        module_casts: std::mem::take(&mut record.module_casts),
        refuses_adapters: record.adapters_refused && !record.adapts,
        may_adapt,
        adapters: record.adapters,
        sees_some_trained,
        sees_what_is_trained,
        built_models,
        tells_to_train: interpreter.parameters.tells_to_train,
        keeps_default_dtype,
        own_trainers,
        predicts_next_token,
        cuts_rows_into_blocks,
        text_lengths: std::mem::take(&mut record.text_lengths),
        generated_tokens,
        texts_per_sample,
        candidates: candidates.into_iter().map(|(concept, _, candidate)| (concept, candidate)).collect(),
        loads: record.loads.clone(),
        options: std::mem::take(&mut record.options),
        argument_classes: std::mem::take(&mut record.argument_classes),
        parsers: std::mem::take(&mut record.parsers),
        environment: std::mem::take(&mut record.environment),
    };
    // From here on only library calls are collected: code without callers says nothing about the run.
    interpreter.run_for_calls();
    facts.steps = interpreter.budget.used();
    for index in facts.models.len()..interpreter.facts.models.len() {
        let trained = interpreter.facts.models[index].trained.then_some(true);
        facts.uncalled_models.push(interpreter.model_load(index, trained, false));
    }
    facts.calls = interpreter.recorder.take_calls(&interpreter.heap);
    facts
}

impl Interpreter<'_> {
    /// The tasks of the trainers that the project writes itself and makes, by the names that TRL gives to such trainers.
    fn own_trainers(&self) -> BTreeSet<&'static str> {
        let made = self.definitions.classes.iter().filter(|info| info.made);
        made.filter_map(|info| info.def.name.strip_suffix("Trainer").and_then(trl_task)).collect()
    }

    /// Collects constants, attributes and entries that are read, by their names.
    pub(super) fn collect_constants(&mut self) {
        let reads: Vec<_> = self.reads.take().into_iter().collect();
        self.collect_joined_lengths(&reads);
        let collated = self.collated_lengths();
        for read in reads {
            let alt = read.alternative;
            if alt.source.path.is_empty() || alt.source.class.as_deref().is_some_and(name_roles::is_non_training_class) {
                continue;
            }
            let Some(value) = self.heap.data_unless_absent(&alt) else { continue };
            let path: Vec<&str> = alt.source.path.iter().map(String::as_str).collect();
            let Some(found) = meaning(Dialect::Plain, &path, &value) else { continue };
            // The batch and the length of an evaluation or a generation are not those of the training.
            let of_training = !read.only_inferred || !matches!(found.concept, Concept::MicroBatch | Concept::SequenceLength);
            if !is_countable(found.concept, &found.value) || !of_training {
                continue;
            }
            let is_cut_later = found.concept == Concept::SequenceLength
                && !collated.is_empty()
                && !collated.iter().any(|name| path.last().is_some_and(|last| name.eq_ignore_ascii_case(last)));
            if is_cut_later {
                continue;
            }
            let strength = if alt.source.option.is_some() || alt.source.default { Strength::Default } else { Strength::Used };
            let mut candidate = self.candidates().candidate(&alt, Resolved::Known(found.value), None);
            candidate.stage = found.stage;
            self.candidates().push(found.concept, strength, candidate);
        }
    }

    /// Collects options by their own names: they are the user's vocabulary, whether or not they visibly reach a call.
    fn collect_options(&mut self) {
        for option in self.facts.options.clone() {
            let (Some(default), Some(place)) = (&option.default, option.default_place) else { continue };
            let known =
                self.facts.candidates.iter().any(|(_, _, candidate)| candidate.option.as_deref() == Some(option.dest.as_str()));
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
            let val = self.command_line.as_option_value(
                AbstractValue::located(ValueKind::Scalar(default.clone()), place),
                &option.dest,
                &option.names,
                &OptionForm { switch: option.switch, ..OptionForm::default() },
            );
            if let Some(alt) = val.single() {
                let value =
                    alt.scalar().cloned().map_or(found.value.clone(), |args| if args == *default { found.value } else { args });
                let mut candidate = self.candidates().candidate(alt, Resolved::Known(value), None);
                candidate.stage = found.stage;
                candidate.used = false;
                self.candidates().push(found.concept, Strength::Default, candidate);
            }
        }
    }

    fn mark_models_in_trainers(&mut self) {
        for id in self.facts.trainers.clone() {
            if let Some(models) = self.heap[id].attributes.get("__models__").cloned() {
                for load in self.heap.models_in(&models, 5) {
                    self.facts.models[load].in_trainer = true;
                }
            }
        }
    }

    /// Collects the models, and candidates from those that the run trains.
    fn collect_models(&mut self) -> Vec<ModelLoad> {
        let backward = self.training.has_backward();
        let only_evaluates = self.training.trainer_evaluates && !self.training.trainer_trains && !backward;
        let trained: Vec<Option<bool>> = self
            .facts
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
        let (class, place, args, part) = {
            let model = &self.facts.models[index];
            (model.class.clone(), model.place, model.args.clone(), model.part)
        };
        // The candidates hold under the conditions of the load.
        self.control.guards = PathConditions::from_condition(self.facts.models[index].guard.clone());
        let name = match library(&class) {
            Some("unsloth") => "model_name",
            Some("sentence_transformers") => "model_name_or_path",
            _ => "pretrained_model_name_or_path",
        };
        let model = args.arg(name, 0).or_else(|| args.get("pretrained_model_name_or_path")).cloned();
        if let Some(model) = &model {
            let concept = match part {
                ModelRole::Policy if speaks => Some(Concept::Model),
                ModelRole::Policy => None,
                ModelRole::Reference => Some(Concept::ReferenceModel),
                ModelRole::Reward => Some(Concept::RewardModel),
            };
            if let Some(concept) = concept {
                self.candidates().emit_value(concept, model, &class, name, place);
            }
        }
        if speaks && part == ModelRole::Policy {
            self.emit_load(index, &class, &args, place);
        }
        let device_map = args.get("device_map").cloned().map_or_else(Vec::new, |val| self.device_maps(&val, &class, place));
        let arguments = args
            .keyword
            .iter()
            .map(|(key, val)| (key.clone(), self.heap.as_data(val), place_of_value(val).unwrap_or(place)))
            .collect();
        self.control.guards = PathConditions::default();
        let record = &self.facts.models[index];
        ModelLoad {
            file: place.file,
            place,
            class: class.to_string(),
            model: model.as_ref().and_then(|val| self.heap.as_data(val)),
            device_map,
            arguments,
            open: args.open || args.unpacked_block.is_some(),
            trained,
            conditional: record.guard.is_some(),
            forward_calls: self.training.forwards.per_backward(index),
            derived: self.parameters.derived_loads.contains_key(&(place.file, place.range.start)),
            call_chain: record.via.clone(),
        }
    }

    /// Emits the settings of a load other than the name of the model.
    fn emit_load(&mut self, index: usize, class: &str, args: &CallArguments, place: FileRange) {
        let (cast, frozen) = (self.facts.models[index].cast.clone(), self.facts.models[index].frozen);
        if let Some(cast) = &cast {
            self.candidates().emit_value(Concept::WeightsDtype, cast, class, "dtype", place);
        }
        // Parameters that train next to adapters belong to them; parameters that are unfrozen by name are not visible.
        if let Some(at) = frozen.filter(|_| self.is_among_trained(index)) {
            let base = AbstractValue::located(ValueKind::Scalar(Value::Text("base".to_string())), at);
            let is_frozen = |model: &ModelRecord| model.frozen == Some(at);
            self.emit_of_models(is_frozen, |candidates| {
                candidates.emit_value(Concept::Freeze, &base, class, "requires_grad_", at);
            });
        }
        let unsloth = library(class) == Some("unsloth");
        let dialect = if unsloth { Dialect::Unsloth } else { Dialect::HfTrainer };
        // Unsloth then quantizes nothing, whatever the call says (unsloth 2026.10.9 `models/loader.py`).
        let in_full = self.facts.models[index].is_trained_in_full();
        if in_full {
            let none = AbstractValue::located(ValueKind::Scalar(Value::Text("none".to_owned())), place);
            self.emit_of_models(ModelRecord::is_trained_in_full, |candidates| {
                candidates.emit_value(Concept::Quantization, &none, class, "full_finetuning", place);
            });
        }
        let configured = args
            .get("quantization_config")
            .is_some_and(|val| val.objects().any(|id| matches!(self.heap[id].kind, ObjectKind::Quantization { .. })));
        let named: Vec<(String, AbstractValue)> = args
            .keyword
            .iter()
            .filter(|(key, _)| !matches!(key.as_str(), "model_name" | "pretrained_model_name_or_path"))
            // The configuration says how, where both are given.
            .filter(|(key, _)| !(configured || in_full) || !matches!(key.as_str(), "load_in_4bit" | "load_in_8bit"))
            .filter(|(key, _)| cast.is_none() || !matches!(key.as_str(), "dtype" | "torch_dtype"))
            .cloned()
            .collect();
        self.candidates().emit_call(dialect, class, &CallArguments { keyword: named, ..CallArguments::default() }, place);
        let is_null = |val: &AbstractValue| val.constant() == Some(&Value::Null);
        let by_switch = args.keyword.iter().any(|(key, _)| matches!(key.as_str(), "load_in_4bit" | "load_in_8bit"));
        if args.get("quantization_config").is_some_and(is_null) && !by_switch && !args.open {
            let none = AbstractValue::located(ValueKind::Scalar(Value::Text("none".to_owned())), place);
            let is_plain = |model: &ModelRecord| model.args.get("quantization_config").is_some_and(is_null);
            self.emit_of_models(is_plain, |candidates| {
                candidates.emit_value(Concept::Quantization, &none, class, "quantization_config", place);
            });
        }
        for alt in args.get("quantization_config").map_or(&[][..], |val| &val.alternatives).to_vec() {
            if let ValueKind::Object(id) = alt.kind
                && let ObjectKind::Quantization { kind: val, compute } = self.heap[id].kind.clone()
            {
                let alternatives =
                    val.alternatives.into_iter().map(|inner| Alternative { condition: alt.condition.clone(), ..inner }).collect();
                self.candidates().emit_value(
                    Concept::Quantization,
                    &AbstractValue::from_alternatives(alternatives),
                    class,
                    "quantization_config",
                    place,
                );
                let given = compute.map(|compute| ("bnb_4bit_compute_dtype".to_owned(), compute));
                let arguments = CallArguments { keyword: given.into_iter().collect(), ..CallArguments::default() };
                self.candidates().emit_call(dialect, class, &arguments, place);
            }
        }
    }

    /// Emits what holds of a loaded model: always if it holds of every trained model, else under the condition of the load.
    fn emit_of_models(&mut self, holds_of: impl Fn(&ModelRecord) -> bool, emit: impl FnOnce(&mut CandidateSink<'_, '_>)) {
        let guards = self.control.guards.clone();
        if self.facts.models.iter().filter(|model| model.is_trained()).all(holds_of) {
            self.control.guards = PathConditions::default();
        }
        emit(&mut self.candidates());
        self.control.guards = guards;
    }

    fn device_maps(&mut self, val: &AbstractValue, class: &str, place: FileRange) -> Vec<CodeCandidate> {
        val.alternatives
            .iter()
            .map(|alt| {
                let value = match self.heap.data_unless_absent(alt) {
                    Some(value) => Resolved::Known(value),
                    None => {
                        Resolved::Unknown(vramlint_base::message!("the program sets it at run time", "其值由程序在运行时设置"))
                    }
                };
                self.candidates().candidate(alt, value, Some(ReachedCall { path: class, key: "device_map", place }))
            })
            .collect()
    }
}

/// Whether a value fits its concept. Names in the wild also hold strings (`"1-2"`) where a number is expected.
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
