//! Models: loading, casting, freezing, adapting and training.

use super::call_arguments::CallArguments;
use super::heap::{MODEL_DEPTH, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes::{self, loads_model, loads_sentence_transformer};
use super::model_record::{ModelRecord, ModelRole};
use super::name_roles;
use super::qualified_name::{leaf, library};
use super::value::{AbstractValue, ValueKind, ValueSource, place_of_value};
use std::rc::Rc;
use vramlint_base::value_readers::spelled_bool;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::dialect::quantization;
use vramlint_catalog::{Concept, Dialect};
use vramlint_syntax::python::{Expr, ExprKind};

impl<'a> Interpreter<'a> {
    /// Calls that load, wrap or adapt a model.
    pub(super) fn model_call(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        if loads_model(path) {
            if let Some(model) = self.model_of_modules(args) {
                return Some(model);
            }
            return Some(self.load_model(path, args, place));
        }
        let name = leaf(path);
        match (library(path), name) {
            (Some("unsloth"), "get_peft_model") if self.trains_in_full(args.arg("model", 0)) => {
                self.mark_arguments_trained(args);
                Some(args.arg("model", 0).cloned().unwrap_or_else(AbstractValue::unknown))
            }
            (Some("peft" | "unsloth") | None, "get_peft_model") => {
                self.facts.adapts = true;
                if library(path) == Some("unsloth") {
                    self.candidates().emit_call(vramlint_catalog::Dialect::Unsloth, path, args, place);
                }
                if let Some(config) = args.arg("peft_config", 1).cloned() {
                    self.candidates().emit_adapters(&config, path, place);
                } else {
                    let lora = AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Lora)), place);
                    self.candidates().emit_adapters(&lora, path, place);
                }
                let model =
                    CallArguments { positional: args.arg("model", 0).into_iter().cloned().collect(), ..CallArguments::default() };
                self.mark_arguments_trained(&model);
                Some(model.positional.into_iter().next().unwrap_or_else(AbstractValue::unknown))
            }
            // trl 1.16.0 `models/utils.py`, `chat_template_utils.py`: the model comes back first.
            (Some("trl"), "setup_chat_format" | "clone_chat_template") => {
                let part = |name: &str, index: usize| args.arg(name, index).cloned().unwrap_or_else(AbstractValue::unknown);
                let mut parts = vec![part("model", 0), part("tokenizer", 1)];
                if name == "clone_chat_template" {
                    parts.push(AbstractValue::unknown());
                }
                Some(AbstractValue::located(ValueKind::Items(Rc::new(parts)), place))
            }
            (Some("peft" | "torch" | "accelerate" | "transformers" | "unsloth" | "trl") | None, _)
                if matches!(
                    name,
                    "prepare_model_for_kbit_training"
                        | "prepare_model_for_int8_training"
                        | "DistributedDataParallel"
                        | "DataParallel"
                        | "FullyShardedDataParallel"
                        | "DDP"
                        | "FSDP"
                        | "for_training"
                        | "for_inference"
                        | "dispatch_model"
                        | "fully_shard"
                ) || (path.contains("PeftModel") && name == "from_pretrained") =>
            {
                let model = args.arg("model", 0).cloned().unwrap_or_else(AbstractValue::unknown);
                if path.contains("PeftModel") {
                    self.facts.adapters = true;
                    self.facts.adapts = true;
                    if args.get("is_trainable").and_then(AbstractValue::constant) == Some(&Value::Bool(true)) {
                        let lora = AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Lora)), place);
                        self.candidates().emit_adapters(&lora, path, place);
                    }
                }
                if matches!(name, "prepare_model_for_kbit_training" | "prepare_model_for_int8_training") {
                    self.checkpoint_for_kbit_training(args, name, place);
                }
                if name == "for_inference" {
                    for load in self.heap.models_in(&model, MODEL_DEPTH) {
                        self.facts.models[load].inferred = true;
                    }
                }
                Some(model)
            }
            (Some("trl"), "get_peft_config") => Some(self.trl_peft_config(path, args, place)),
            (Some("transformers") | None, "BitsAndBytesConfig") => Some(self.call_quantization_config(path, args, place)),
            _ => None,
        }
    }

    /// Whether a model is loaded with `full_finetuning = True`: Unsloth then puts no adapters on it (unsloth 2026.10.9 `models/llama.py`,
    /// `models/vision.py`).
    fn trains_in_full(&self, model: Option<&AbstractValue>) -> bool {
        let loads = model.map_or_else(Vec::new, |model| self.heap.models_in(model, MODEL_DEPTH));
        !loads.is_empty() && loads.iter().all(|load| self.facts.models[*load].is_trained_in_full())
    }

    /// `prepare_model_for_kbit_training` turns checkpointing on for a quantized model unless `use_gradient_checkpointing` says otherwise
    /// (peft 0.21.2 utils/other.py).
    fn checkpoint_for_kbit_training(&mut self, args: &CallArguments, name: &str, place: FileRange) {
        let on = AbstractValue::located(ValueKind::Scalar(Value::Bool(true)), place);
        let val = args.get("use_gradient_checkpointing").cloned().unwrap_or(on);
        self.candidates().emit_value(Concept::GradientCheckpointing, &val, name, "use_gradient_checkpointing", place);
    }

    /// `get_peft_config(model_args)` of TRL: adapters if `use_peft` is given, none if it is not (trl 1.16.0 trainer/utils.py).
    fn trl_peft_config(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        self.escape(args);
        let given = self.command_line.arguments.option("use_peft", &[]).map(|given| match given.words.first() {
            Some(word) => word.as_ref().and_then(|word| spelled_bool(&Value::Text(word.clone()))),
            None => Some(true),
        });
        let parsed = self.facts.loads.iter().position(|load| load.role == super::facts::LoadRole::Arguments);
        let in_file = parsed.map(|load| {
            let written = self.loaded_key(load, &Rc::default(), "use_peft", place);
            (self.loaded_has(load, &[], "use_peft"), written.constant().and_then(spelled_bool))
        });
        let used = match (given, in_file) {
            (Some(given), _) => given,
            (None, Some((Some(true), written))) => written,
            (None, Some((Some(false), _)) | None) if self.command_line.arguments.complete => Some(false),
            _ => None,
        };
        match used {
            Some(true) => AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Lora)), place),
            Some(false) => AbstractValue::located(ValueKind::Scalar(Value::Null), place),
            None => AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Library(path.clone()))), place),
        }
    }

    /// `BitsAndBytesConfig(…)`: the quantization that its keywords describe together.
    fn call_quantization_config(&mut self, path: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        let values: Vec<(&String, Option<Value>)> = args.keyword.iter().map(|(key, val)| (key, self.heap.as_data(val))).collect();
        let keyword = |key: &str| values.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.as_ref());
        let is_unknown = |key: &str| matches!(keyword(key), Some(None));
        let decided = !args.open
            && args.unpacked_block.is_none()
            && !["load_in_4bit", "load_in_8bit", "bnb_4bit_quant_type", "bnb_4bit_use_double_quant"].into_iter().any(is_unknown);
        let key = ["load_in_4bit", "load_in_8bit"]
            .into_iter()
            .find(|key| matches!(keyword(key), Some(Some(Value::Bool(true)))))
            .unwrap_or("load_in_4bit");
        let at = args.get(key).and_then(place_of_value).unwrap_or(place);
        let kind = match quantization(Dialect::HfTrainer, |key| keyword(key).flatten()) {
            Some(name) if decided => ValueKind::Scalar(Value::Text(name.to_string())),
            None if decided => ValueKind::Scalar(Value::Text("none".to_string())),
            _ => ValueKind::Unknown,
        };
        let name = format!("{}({key})", leaf(path));
        let compute = args.get("bnb_4bit_compute_dtype").cloned();
        let val = AbstractValue::new(kind, ValueSource { place: Some(at), name, ..ValueSource::default() });
        AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Quantization { kind: val, compute })), place)
    }

    /// The model that one of the modules of `SentenceTransformer(modules=[transformer, pooling])` loaded.
    fn model_of_modules(&self, args: &CallArguments) -> Option<AbstractValue> {
        let modules = args.get("modules").filter(|_| args.arg("model_name_or_path", 0).is_none())?;
        let ValueKind::Items(items) = &modules.single()?.kind else { return None };
        items.iter().find(|item| !self.heap.models_in(item, MODEL_DEPTH).is_empty()).cloned()
    }

    fn load_model(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        let name = self.assigned_to.clone().unwrap_or_default();
        let part = if name_roles::is_reference_name(&name) {
            ModelRole::Reference
        } else if name_roles::is_reward_name(&name) {
            ModelRole::Reward
        } else {
            ModelRole::Policy
        };
        let via: Vec<FileRange> = self.control.frames.iter().filter_map(|frame| frame.call).collect();
        let load = self.facts.models.len();
        let mut args = args.clone();
        if library(path) == Some("sentence_transformers")
            && let Some(inner) = args.get("model_kwargs").cloned()
        {
            // They are the arguments of `from_pretrained`.
            let entries = self.known_entries(&inner, place);
            args.open |= entries.is_none();
            args.keyword.extend(entries.unwrap_or_default());
        }
        if library(path) == Some("sentence_transformers") {
            // The modules tokenize: `CrossEncoder(name, max_length=256)`, `models.Transformer(name, max_seq_length=128)`.
            for key in ["max_length", "max_seq_length"] {
                self.candidates().emit_argument(Concept::SequenceLength, key, &args, usize::MAX, path, place);
            }
        }
        self.facts.models.push(ModelRecord {
            class: path.clone(),
            place,
            args,
            part,
            guard: self.control.guards.condition(),
            via,
            trained: false,
            in_trainer: false,
            prepared: false,
            escaped: false,
            inferred: false,
            frozen: None,
            partly_frozen: false,
            cast: None,
        });
        let model = AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Model(load))), place);
        if library(path) == Some("unsloth") {
            self.facts.unsloth = true;
            if loads_sentence_transformer(path) {
                return model;
            }
            return AbstractValue::located(ValueKind::Items(Rc::new(vec![model, AbstractValue::unknown()])), place);
        }
        model
    }

    /// Takes the length at which a sentence transformer, or its first module, cuts texts: `model.max_seq_length = 128`,
    /// `model[0].max_seq_length = 128`.
    pub(super) fn limit_sentences(
        &mut self,
        owner: &'a Expr,
        base: &AbstractValue,
        val: &AbstractValue,
        place: FileRange,
        scope: usize,
    ) {
        let base = match &owner.kind {
            ExprKind::Subscript(model, _) => self.without_reads(|this| this.eval(model, scope)),
            _ => base.clone(),
        };
        let Some(ValueKind::Object(id)) = base.single().map(|alternative| &alternative.kind) else { return };
        let ObjectKind::Model(load) = self.heap[*id].kind else { return };
        let ModelRecord { class, place: loaded, .. } = &self.facts.models[load];
        let (class, loaded) = (class.clone(), *loaded);
        if library(&class) == Some("sentence_transformers") || loads_sentence_transformer(&class) {
            if self.control.guards.is_empty() {
                self.facts.candidates.retain(|(concept, _, candidate)| {
                    !(*concept == Concept::SequenceLength && candidate.call_place == Some(loaded))
                });
            }
            self.candidates().emit_value(Concept::SequenceLength, val, &class, "max_seq_length", place);
        }
    }

    /// A copy of a loaded model, as for a moving average of its weights: a model of its own.
    pub(super) fn copied_model(&mut self, val: &AbstractValue, place: FileRange) -> Option<AbstractValue> {
        let ValueKind::Object(id) = val.single()?.kind else { return None };
        let ObjectKind::Model(load) = self.heap[id].kind else { return None };
        let of = &self.facts.models[load];
        let copy = ModelRecord {
            class: of.class.clone(),
            place,
            args: of.args.clone(),
            part: ModelRole::Policy,
            guard: self.control.guards.condition(),
            via: self.control.call_chain(),
            trained: false,
            in_trainer: false,
            prepared: false,
            escaped: false,
            inferred: true,
            frozen: None,
            partly_frozen: false,
            cast: of.cast.clone(),
        };
        let load = self.facts.models.len();
        self.facts.models.push(copy);
        Some(AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Model(load))), place))
    }

    /// A method of a model.
    pub(super) fn model_method(
        &mut self,
        id: usize,
        load: usize,
        name: &str,
        args: &CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        let same = AbstractValue::located(ValueKind::Object(id), place);
        match name {
            "generate" => {
                self.facts.models[load].inferred = true;
                AbstractValue::located(ValueKind::Unknown, place)
            }
            "eval" => {
                self.facts.models[load].inferred = true;
                same
            }
            "half" | "bfloat16" | "float" | "to" => {
                self.cast(load, name, args, place);
                same
            }
            "requires_grad_" => {
                let off = args.arg("requires_grad", 0).and_then(AbstractValue::constant) == Some(&Value::Bool(false));
                self.facts.models[load].frozen = (off && self.control.guards.is_empty()).then_some(place);
                self.freeze(&same, args.arg("requires_grad", 0));
                same
            }
            "parameters" | "named_parameters" | "cuda" | "cpu" | "train" | "merge_and_unload" | "modules" | "named_modules"
            | "children" | "state_dict" => same,
            "gradient_checkpointing_enable" => {
                let kwargs = CallArguments {
                    keyword: args
                        .arg("gradient_checkpointing_kwargs", 0)
                        .map(|val| ("gradient_checkpointing_kwargs".to_string(), val.clone()))
                        .into_iter()
                        .collect(),
                    ..CallArguments::default()
                };
                self.candidates().emit_call(vramlint_catalog::Dialect::HfTrainer, name, &kwargs, place);
                let on = AbstractValue::located(ValueKind::Scalar(Value::Bool(true)), place);
                self.candidates().emit_value(
                    vramlint_catalog::Concept::GradientCheckpointing,
                    &on,
                    "gradient_checkpointing_enable",
                    "",
                    place,
                );
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            "_set_gradient_checkpointing" => {
                // Without a word it is on (transformers 4.35 `modeling_utils.py`); before, it took a layer and a value.
                let on = AbstractValue::located(ValueKind::Scalar(Value::Bool(true)), place);
                let is_bare = args.positional.is_empty() && args.keyword.is_empty() && !args.open;
                let given = args.get("enable").or_else(|| args.arg("value", 1)).cloned();
                let val = given.unwrap_or_else(|| if is_bare { on } else { AbstractValue::unknown() });
                self.candidates().emit_value(Concept::GradientCheckpointing, &val, name, "value", place);
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            "get_encoder" => AbstractValue::located(ValueKind::Method(id, "encoder".into()), place),
            "get_decoder" => AbstractValue::located(ValueKind::Method(id, "decoder".into()), place),
            "get_input_embeddings" => AbstractValue::located(ValueKind::Method(id, "<input>".into()), place),
            "get_output_embeddings" => AbstractValue::located(ValueKind::Method(id, "<output>".into()), place),
            "forward" => AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Output(load))), place),
            "add_adapter" => {
                self.facts.models[load].trained = true;
                self.facts.adapts = true;
                if let Some(config) = args.arg("adapter_config", 0).cloned() {
                    self.candidates().emit_adapters(&config, name, place);
                }
                AbstractValue::located(ValueKind::Unknown, place)
            }
            _ => {
                self.escape(args);
                AbstractValue::located(ValueKind::Unknown, place)
            }
        }
    }

    /// `.half()`, `.to(torch.bfloat16)`, `.to("cuda", dtype=…)`: the dtype of the weights from here on.
    pub(super) fn cast(&mut self, load: usize, name: &str, args: &CallArguments, place: FileRange) {
        // A loop that casts some layers does not cast the model.
        if self.control.loops.last().is_some_and(|open| open.of_parts) && !self.control.guards.is_empty() {
            return;
        }
        if let Some(to) = Self::cast_dtype(name, args, place) {
            let certain = self.control.guards.is_empty();
            self.facts.models[load].cast = Some(if certain { to } else { AbstractValue::located(ValueKind::Unknown, place) });
        }
    }

    /// The dtype that a call casts to; `None` if it casts nothing.
    pub(super) fn cast_dtype(name: &str, args: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        let dtype = |word: &str| Some(AbstractValue::located(ValueKind::Scalar(Value::Text(word.to_string())), place));
        let to = match name {
            "half" => dtype("fp16"),
            "bfloat16" => dtype("bf16"),
            "float" => dtype("fp32"),
            "double" => dtype("fp64"),
            _ => args.values().find_map(|val| {
                let path = match val.constant() {
                    Some(Value::Text(text)) => text.clone(),
                    _ => val.library_path()?.to_string(),
                };
                match path.strip_prefix("torch.")? {
                    "bfloat16" => dtype("bf16"),
                    "float16" | "half" => dtype("fp16"),
                    "float32" | "float" => dtype("fp32"),
                    _ => None,
                }
            }),
        };
        match (to, args.get("dtype")) {
            // Tensors of whole numbers: no weights have such a type.
            (None, Some(given)) if given.library_path().is_some_and(|path| is_of_whole_numbers(&path)) => None,
            (None, Some(_)) => Some(AbstractValue::located(ValueKind::Unknown, place)),
            (to, _) => to,
        }
    }

    /// Marks every model among these arguments as trained.
    pub(super) fn mark_arguments_trained(&mut self, args: &CallArguments) {
        for val in args.values() {
            for load in self.heap.models_in(val, MODEL_DEPTH) {
                self.facts.models[load].trained = true;
            }
        }
    }

    /// `trainer.train()`: marks the trainer's models as trained.
    pub(super) fn mark_trainer_models_trained(&mut self, id: usize) {
        if let Some(models) = self.heap[id].attributes.get("__models__").cloned() {
            for load in self.heap.models_in(&models, MODEL_DEPTH) {
                self.facts.models[load].trained = true;
            }
        }
    }

    /// `loss.backward()`, `accelerator.backward(loss)`.
    pub(super) fn mark_backward_trained(&mut self, callee: &AbstractValue, args: &CallArguments) {
        let mut loads: Vec<usize> = args.values().flat_map(|val| self.heap.models_in(val, 0)).collect();
        for alt in &callee.alternatives {
            if let ValueKind::Method(id, _) = alt.kind
                && let ObjectKind::Output(load) = self.heap[id].kind
            {
                loads.push(load);
            }
        }
        for load in loads {
            self.facts.models[load].trained = true;
        }
    }

    /// `accelerator.prepare(…)` returns its arguments.
    pub(super) fn accelerate_prepare(&mut self, args: &CallArguments, place: FileRange) -> AbstractValue {
        let with_optimizer = args.values().any(|val| self.heap.is_library(val, library_classes::is_optimizer));
        for val in args.values() {
            for load in self.heap.models_in(val, MODEL_DEPTH) {
                self.facts.models[load].prepared = true;
                self.facts.models[load].trained |= with_optimizer;
            }
        }
        match args.positional.as_slice() {
            [one] => one.clone(),
            several => AbstractValue::located(ValueKind::Items(Rc::new(several.to_vec())), place),
        }
    }
}

/// Whether a dtype of torch holds whole numbers or truth values.
fn is_of_whole_numbers(path: &str) -> bool {
    let name = path.strip_prefix("torch.").unwrap_or("");
    matches!(name, "long" | "int" | "short" | "bool") || name.starts_with("int") || name.starts_with("uint")
}
