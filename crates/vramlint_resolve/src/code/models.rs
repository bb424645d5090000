//! Models that are loaded, and what becomes of them.

use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::library::{leaf, root};
use super::name_roles;
use super::value::{AbstractValue, ObjectKind, ValueKind};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// Lists inside of lists that are looked through.
const DEPTH: usize = 5;

/// What a loaded model is for, by the name it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelRole {
    Policy,
    Reference,
    Reward,
}

/// A model that is loaded.
#[allow(clippy::struct_excessive_bools)] // each is one thing that becomes of it
pub(super) struct ModelRecord {
    pub(super) class: Rc<str>,
    pub(super) place: FileRange,
    pub(super) given: CallArguments,
    pub(super) part: ModelRole,
    pub(super) guard: Option<Rc<str>>,
    pub(super) via: Vec<FileRange>,
    /// It reaches an optimizer, adapters, or a backward.
    pub(super) trained: bool,
    /// It is handed to a trainer that only evaluates, unless that is seen to train.
    pub(super) in_trainer: bool,
    /// It is handed to `prepare()`.
    pub(super) prepared: bool,
    /// It goes where the project does not show.
    pub(super) escaped: bool,
    /// It generates, or is put into evaluation mode.
    pub(super) inferred: bool,
    /// Where the whole of it is frozen, unless it is thawed later.
    pub(super) frozen: Option<FileRange>,
    /// The type that it is cast to after it is loaded, by the last such call; unknown under a condition.
    pub(super) cast: Option<AbstractValue>,
}

/// Whether a call loads a model with its weights.
fn loads_model(path: &str) -> bool {
    let Some(class) = path.strip_suffix(".from_pretrained").map(leaf) else { return false };
    let known = matches!(
        root(path),
        "transformers" | "unsloth" | "trl" | "peft" | "optimum" | "modelscope" | "ipex_llm" | "?" | "liger_kernel"
    );
    let is_model = class.contains("Model") && !class.contains("Tokenizer") && !class.contains("Config");
    let has_head =
        ["ForCausalLM", "ForConditionalGeneration", "ForSequenceClassification"].iter().any(|end| class.ends_with(end));
    // PeftModel puts adapters on a model that is there; AutoPeftModel loads one.
    let adapters_only = class == "PeftModel" || root(path) == "peft" && !class.starts_with("AutoPeftModel");
    known && (is_model || has_head) && !adapters_only
}

impl Interpreter<'_> {
    /// Calls that load, wrap or adapt a model.
    pub(super) fn model_call(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        if loads_model(path) {
            return Some(self.load_model(path, given, place));
        }
        let name = leaf(path);
        match (root(path), name) {
            ("peft" | "unsloth" | "?", "get_peft_model") => {
                if root(path) == "unsloth" {
                    self.emit_call(vramlint_catalog::Dialect::Unsloth, path, given, place);
                }
                if let Some(config) = given.arg("peft_config", 1).cloned() {
                    self.adapted(&config, path, place);
                } else {
                    let lora = AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Lora)), place);
                    self.adapted(&lora, path, place);
                }
                let model = CallArguments {
                    positional: given.arg("model", 0).into_iter().cloned().collect(),
                    ..CallArguments::default()
                };
                self.trained_arguments(&model);
                Some(model.positional.into_iter().next().unwrap_or_else(AbstractValue::unknown))
            }
            ("peft" | "torch" | "accelerate" | "transformers" | "unsloth" | "trl" | "?", _)
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
                let model = given.arg("model", 0).cloned().unwrap_or_else(AbstractValue::unknown);
                if name == "for_inference" {
                    for load in self.loads_in(&model, DEPTH) {
                        self.record.models[load].inferred = true;
                    }
                }
                Some(model)
            }
            ("transformers" | "?", "BitsAndBytesConfig") => Some(self.quantization(path, given, place)),
            _ => None,
        }
    }

    fn load_model(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> AbstractValue {
        let name = self.target.clone().unwrap_or_default();
        let part = if name_roles::speaks_of_reference(&name) {
            ModelRole::Reference
        } else if name_roles::speaks_of_reward(&name) {
            ModelRole::Reward
        } else {
            ModelRole::Policy
        };
        let via: Vec<FileRange> = self.frames.iter().filter_map(|frame| frame.call).collect();
        let load = self.record.models.len();
        self.record.models.push(ModelRecord {
            class: path.clone(),
            place,
            given: given.clone(),
            part,
            guard: super::branch::all(self.guards.iter()),
            via,
            trained: false,
            in_trainer: false,
            prepared: false,
            escaped: false,
            inferred: false,
            frozen: None,
            cast: None,
        });
        let model = AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Model(load))), place);
        if root(path) == "unsloth" {
            self.record.unsloth = true;
            return AbstractValue::at(ValueKind::Items(Rc::new(vec![model, AbstractValue::unknown()])), place);
        }
        model
    }

    /// A method of a model.
    pub(super) fn model_method(
        &mut self,
        id: usize,
        load: usize,
        name: &str,
        given: &CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        let same = AbstractValue::at(ValueKind::Object(id), place);
        match name {
            "generate" => {
                self.record.models[load].inferred = true;
                AbstractValue::at(ValueKind::Unknown, place)
            }
            "eval" => {
                self.record.models[load].inferred = true;
                same
            }
            "half" | "bfloat16" | "float" | "to" => {
                self.cast(load, name, given, place);
                same
            }
            "requires_grad_" => {
                let off = given.arg("requires_grad", 0).and_then(AbstractValue::certain) == Some(&Value::Bool(false));
                self.record.models[load].frozen = (off && self.guards.is_empty()).then_some(place);
                same
            }
            "parameters" | "named_parameters" | "cuda" | "cpu" | "train" | "merge_and_unload" | "modules" | "named_modules"
            | "children" | "state_dict" => same,
            "gradient_checkpointing_enable" => {
                let kwargs = CallArguments {
                    keyword: given
                        .arg("gradient_checkpointing_kwargs", 0)
                        .map(|val| ("gradient_checkpointing_kwargs".to_string(), val.clone()))
                        .into_iter()
                        .collect(),
                    ..CallArguments::default()
                };
                self.emit_call(vramlint_catalog::Dialect::HfTrainer, name, &kwargs, place);
                let on = AbstractValue::at(ValueKind::Scalar(Value::Bool(true)), place);
                self.emit_as_key(
                    vramlint_catalog::Concept::GradientCheckpointing,
                    &on,
                    "gradient_checkpointing_enable",
                    "",
                    place,
                );
                AbstractValue::at(ValueKind::Scalar(Value::Null), place)
            }
            "forward" => AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Output(load))), place),
            "add_adapter" => {
                self.record.models[load].trained = true;
                AbstractValue::at(ValueKind::Unknown, place)
            }
            _ => {
                self.escape(given);
                AbstractValue::at(ValueKind::Unknown, place)
            }
        }
    }

    /// `.half()`, `.to(torch.bfloat16)`, `.to("cuda", dtype=…)`: the type of the weights from here on.
    fn cast(&mut self, load: usize, name: &str, given: &CallArguments, place: FileRange) {
        let named = |word: &str| Some(AbstractValue::at(ValueKind::Scalar(Value::Text(word.to_string())), place));
        let to = match name {
            "half" => named("fp16"),
            "bfloat16" => named("bf16"),
            "float" => named("fp32"),
            _ => given.all().find_map(|val| {
                let path = match val.certain() {
                    Some(Value::Text(text)) => text.clone(),
                    _ => val.external()?.to_string(),
                };
                match path.strip_prefix("torch.")? {
                    "bfloat16" => named("bf16"),
                    "float16" | "half" => named("fp16"),
                    "float32" | "float" => named("fp32"),
                    _ => None,
                }
            }),
        };
        let to = match (to, given.get("dtype")) {
            (None, Some(_)) => Some(AbstractValue::at(ValueKind::Unknown, place)),
            (to, _) => to,
        };
        if let Some(to) = to {
            let certain = self.guards.is_empty();
            self.record.models[load].cast = Some(if certain { to } else { AbstractValue::at(ValueKind::Unknown, place) });
        }
    }

    /// Indices of the models that a value holds.
    pub(super) fn loads_in(&self, val: &AbstractValue, depth: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for alt in &val.alternatives {
            match &alt.kind {
                ValueKind::Object(id) => match &self.objects[*id].kind {
                    ObjectKind::Model(load) | ObjectKind::Output(load) => found.push(*load),
                    ObjectKind::Instance { .. } if depth > 0 => {
                        let mut names: Vec<&String> = self.objects[*id].attributes.keys().collect();
                        names.sort_unstable();
                        for name in names {
                            found.extend(self.loads_in(&self.objects[*id].attributes[name], depth.saturating_sub(2)));
                        }
                    }
                    ObjectKind::Dict { entries, .. } if depth > 0 => {
                        found.extend(entries.iter().flat_map(|(_, val)| self.loads_in(val, depth - 1)));
                    }
                    _ => {}
                },
                ValueKind::Items(items) | ValueKind::Bundle(items) if depth > 0 => {
                    found.extend(items.iter().flat_map(|item| self.loads_in(item, depth - 1)));
                }
                _ => {}
            }
        }
        found
    }

    /// Every model among these arguments is trained.
    pub(super) fn trained_arguments(&mut self, given: &CallArguments) {
        for val in given.all() {
            for load in self.loads_in(val, DEPTH) {
                self.record.models[load].trained = true;
            }
        }
    }

    /// The models among these arguments, as values.
    pub(super) fn models_in(&self, given: &CallArguments) -> Vec<AbstractValue> {
        given.arg("model", 0).map_or_else(Vec::new, |model| self.models_of(model))
    }

    pub(super) fn models_of(&self, val: &AbstractValue) -> Vec<AbstractValue> {
        if self.loads_in(val, DEPTH).is_empty() { Vec::new() } else { vec![val.clone()] }
    }

    /// `trainer.train()`: the models that the trainer was given are trained.
    pub(super) fn trained_by_trainer(&mut self, id: usize) {
        if let Some(models) = self.objects[id].attributes.get("__models__").cloned() {
            for load in self.loads_in(&models, DEPTH) {
                self.record.models[load].trained = true;
            }
        }
    }

    /// `loss.backward()`, `accelerator.backward(loss)`.
    pub(super) fn trained_by_backward(&mut self, callee: &AbstractValue, given: &CallArguments) {
        let mut loads: Vec<usize> = given.all().flat_map(|val| self.loads_in(val, 0)).collect();
        for alt in &callee.alternatives {
            if let ValueKind::Method(id, _) = alt.kind
                && let ObjectKind::Output(load) = self.objects[id].kind
            {
                loads.push(load);
            }
        }
        for load in loads {
            self.record.models[load].trained = true;
        }
    }

    /// `accelerator.prepare(…)` gives back what it is given.
    pub(super) fn prepared(&mut self, given: &CallArguments, place: FileRange) -> AbstractValue {
        let with_optimizer = given.all().any(|val| self.is_library(val, super::training_calls::is_optimizer));
        for val in given.all() {
            for load in self.loads_in(val, DEPTH) {
                self.record.models[load].prepared = true;
                self.record.models[load].trained |= with_optimizer;
            }
        }
        match given.positional.as_slice() {
            [one] => one.clone(),
            several => AbstractValue::at(ValueKind::Items(Rc::new(several.to_vec())), place),
        }
    }
}
