//! What is trained: modules that the project builds itself, and parameters that are kept from training.

use super::call_arguments::CallArguments;
use super::freeze_rules::FreezeRule;
use super::heap::{MODEL_DEPTH, ObjectKind};
use super::interpreter::Interpreter;
use super::model_configs::MadeModel;
use super::qualified_name::{leaf, library};
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vramlint_base::{FileId, FileRange, Value};
use vramlint_catalog::Concept;
use vramlint_syntax::python::{Call, ExprKind};

/// Maximum nesting of modules that are searched.
const DEPTH: u32 = 4;
/// Maximum number of names of functions that are not visible.
const MAX_NAMES: usize = 2_000;
/// The attribute that holds the dtype that a module is cast to.
pub(super) const CAST: &str = "__dtype__";

/// What the code trains, apart from models that it loads.
#[derive(Default)]
pub(super) struct TrainedParameters {
    /// Modules that the code builds itself and that reach an optimizer or a trainer, with the place of that call.
    pub(super) modules: Vec<(usize, FileRange)>,
    /// Models that are made from a configuration of transformers.
    pub(super) made: Vec<MadeModel>,
    /// Parts of models that reach an optimizer, by their paths within the model.
    pub(super) parts: BTreeSet<(usize, Rc<str>)>,
    /// Whether an optimizer or a trainer gets parameters of something that is not visible.
    pub(super) hidden: bool,
    /// Modules of which parameters are kept from training.
    pub(super) frozen: BTreeSet<usize>,
    /// Modules and models of which parameters are kept from training under no condition.
    pub(super) surely_frozen: BTreeSet<usize>,
    /// The parts of models of which parameters are kept from training.
    pub(super) frozen_parts: BTreeSet<ModelPart>,
    /// The parts that are told to train under no condition.
    pub(super) unfrozen_parts: BTreeSet<ModelPart>,
    /// What is frozen and told to train, in order.
    pub(super) rules: Vec<FreezeRule>,
    /// Whether parameters of something that is not visible are kept from training.
    pub(super) freezes_hidden: bool,
    /// Whether something that is not visible is cast to another dtype, or the default dtype is changed.
    pub(super) casts_hidden: bool,
    /// The classes of the project that derive from a library's model, by where their loaders start.
    pub(super) derived_loads: BTreeMap<(FileId, u32), usize>,
    /// Whether something that is not visible is told to train: `trainer.train()` of a class that is not followed.
    pub(super) tells_to_train: bool,
    /// Names of the methods that are called on something that is not visible.
    pub(super) unseen_methods: BTreeSet<String>,
}

/// Whether a library's class is a module of torch that is built without loading weights.
pub(super) fn is_module_class(path: &str) -> bool {
    match library(path) {
        Some("torch") => path.contains(".nn.") && !path.contains(".functional") && !path.contains(".utils."),
        Some("pytorch_lightning" | "lightning") => leaf(path) == "LightningModule",
        Some("diffusers") => is_diffusers_model(leaf(path)),
        Some("transformers") => leaf(path).starts_with(char::is_uppercase) && has_model_name(leaf(path)),
        _ => false,
    }
}

/// A part of a model that reads images and writes text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ModelPart {
    /// What sees images.
    Vision,
    /// What joins images to the text.
    Projector,
    /// The language model.
    Language,
    /// A whole model that is loaded.
    Whole,
    /// Anything else.
    Other,
}

impl ModelPart {
    /// The part to which a path within a model leads: `model.vision_model`, `visual.blocks`, `mm_projector`.
    fn at(path: &str) -> Self {
        let is_any = |is: fn(&str) -> bool| path.split('.').any(is);
        if is_any(|name| name.contains("projector") || matches!(name, "mlp1" | "aligner" | "connector" | "merger")) {
            Self::Projector
        } else if is_any(|name| name.starts_with("vision_") || matches!(name, "visual" | "vit" | "image_encoder")) {
            Self::Vision
        } else if is_any(|name| matches!(name, "language_model" | "llm" | "text_model")) {
            Self::Language
        } else {
            Self::Other
        }
    }
}

/// Whether a class of diffusers is a model rather than a pipeline or a scheduler (diffusers 0.40 `models/__init__.py`).
pub(super) fn is_diffusers_model(class: &str) -> bool {
    const ENDS: &[&str] = &["Model", "Adapter", "Transformer", "UNet", "VAE", "Vae"];
    class.contains("Autoencoder") || ENDS.iter().any(|end| class.ends_with(end))
}

fn has_model_name(name: &str) -> bool {
    (name.contains("Model") || name.contains("For")) && !name.contains("Config") && !name.contains("Tokenizer")
}

impl Interpreter<'_> {
    /// Whether an object is a module of torch that the code builds.
    pub(super) fn is_module(&self, id: usize) -> bool {
        match &self.heap[id].kind {
            ObjectKind::Instance { class, .. } => {
                self.definitions.external_base(*class).is_some_and(|base| is_module_class(&base))
            }
            ObjectKind::Library(path) => is_module_class(path) && leaf(path).starts_with(char::is_uppercase),
            _ => false,
        }
    }

    /// Whether an object is a model that is loaded or a module that the code builds. Its attributes that nothing assigns are parts.
    pub(super) fn is_model_or_module(&self, id: usize) -> bool {
        matches!(self.heap[id].kind, ObjectKind::Model(_)) || self.is_module(id)
    }

    /// A copy of a module that the code builds, as for a moving average of its weights.
    pub(super) fn copied_module(&mut self, val: &AbstractValue) -> Option<AbstractValue> {
        let alt = val.single()?;
        let ValueKind::Object(id) = alt.kind else { return None };
        if !self.is_module(id) {
            return None;
        }
        let copy = self.new_object(self.heap[id].kind.clone());
        self.heap[copy].attributes = self.heap[id].attributes.clone();
        Some(AbstractValue::new(ValueKind::Object(copy), (*alt.source).clone()))
    }

    /// A method of a part of a model: `model.encoder.parameters()`. The part is written as its path within the model.
    pub(super) fn part_method(
        &mut self,
        id: usize,
        part: &str,
        name: &str,
        args: &CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        let whole = AbstractValue::located(ValueKind::Method(id, part.into()), place);
        match name {
            "requires_grad_" => self.freeze(&whole, args.arg("requires_grad", 0)),
            "parameters" | "named_parameters" | "modules" | "named_modules" | "children" | "named_children" | "train"
            | "eval" => {}
            _ => {
                self.escape(args);
                return AbstractValue::located(ValueKind::Unknown, place);
            }
        }
        whole
    }

    /// A method that every module has and that returns the module, or something that stands for its parameters.
    pub(super) fn module_method(
        &mut self,
        id: usize,
        name: &str,
        args: &CallArguments,
        place: FileRange,
    ) -> Option<AbstractValue> {
        if !self.is_module(id) {
            return None;
        }
        match name {
            "to" | "float" | "half" | "bfloat16" | "double" => self.cast_module(id, name, args, place),
            "requires_grad_" => self.freeze(&object(id), args.arg("requires_grad", 0)),
            "cuda" | "cpu" | "xpu" | "npu" | "train" | "eval" | "share_memory" | "to_empty" | "parameters"
            | "named_parameters" | "modules" | "named_modules" | "children" | "named_children" | "state_dict" => {}
            "apply" => self.escape(args),
            "add_adapter" => {
                self.facts.adapts = true;
                if let Some(config) = args.arg("adapter_config", 0).cloned() {
                    self.candidates().emit_adapters(&config, name, place);
                }
            }
            "gradient_checkpointing_enable" | "enable_gradient_checkpointing" => {
                let on = AbstractValue::located(ValueKind::Scalar(Value::Bool(true)), place);
                self.candidates().emit_value(Concept::GradientCheckpointing, &on, name, "", place);
            }
            _ => return None,
        }
        Some(AbstractValue::located(ValueKind::Object(id), place))
    }

    fn cast_module(&mut self, id: usize, name: &str, args: &CallArguments, place: FileRange) {
        for load in self.heap.models_in(&object(id), MODEL_DEPTH) {
            self.cast(load, name, args, place);
        }
        if let Some(to) = Self::cast_dtype(name, args, place) {
            let to = if self.control.guards.is_empty() { to } else { AbstractValue::unknown() };
            self.heap[id].attributes.insert(CAST.to_owned(), to);
        }
    }

    /// Keeps the parameters of a value from training, unless `on` is true.
    pub(super) fn freeze(&mut self, base: &AbstractValue, on: Option<&AbstractValue>) {
        self.note_freeze_rule(base, on);
        if on.is_none_or(|on| self.heap.truth(on) == Some(true)) {
            if self.control.guards.is_empty() && on.is_some() {
                let parts: Vec<ModelPart> = base.alternatives.iter().map(|alt| self.part_of(&alt.kind)).collect();
                self.parameters.unfrozen_parts.extend(parts);
            }
            return;
        }
        let certain =
            self.control.guards.is_empty() && base.single().is_some() && on.is_none_or(|on| self.heap.truth(on).is_some());
        for alt in &base.alternatives {
            let part = self.part_of(&alt.kind);
            self.parameters.frozen_parts.insert(part);
            let id = match alt.kind {
                ValueKind::Object(id) => id,
                ValueKind::Method(id, _) if self.is_model_or_module(id) => id,
                _ => {
                    self.parameters.freezes_hidden = true;
                    continue;
                }
            };
            match self.heap[id].kind {
                ObjectKind::Model(load) => self.facts.models[load].partly_frozen = true,
                _ if self.is_module(id) => {
                    self.parameters.frozen.insert(id);
                }
                _ => {
                    self.parameters.freezes_hidden = true;
                    continue;
                }
            }
            if certain {
                self.parameters.surely_frozen.insert(id);
            }
        }
    }

    /// Which part of a model a value stands for. A model that another one holds is named by the attribute that holds it.
    fn part_of(&self, kind: &ValueKind) -> ModelPart {
        match kind {
            ValueKind::Method(_, path) => ModelPart::at(path),
            ValueKind::Object(id) => {
                let holds = |val: &AbstractValue| val.objects().any(|held| held == *id);
                let holders = (0..self.heap.len()).filter(|holder| holder != id && self.is_module(*holder));
                let mut names = holders.flat_map(|holder| &self.heap[holder].attributes);
                match names.find(|(_, val)| holds(val)) {
                    Some((name, _)) => ModelPart::at(name),
                    None if self.is_model_or_module(*id) => ModelPart::Whole,
                    None => ModelPart::Other,
                }
            }
            _ => ModelPart::Other,
        }
    }

    /// `base.requires_grad = val`.
    pub(super) fn set_requires_grad(&mut self, base: &AbstractValue, val: &AbstractValue, place: FileRange) {
        let certain = self.control.guards.is_empty() && base.alternatives.len() == 1;
        let truth = self.heap.truth(val);
        for id in base.objects().collect::<Vec<_>>() {
            if let ObjectKind::Model(load) = self.heap[id].kind
                && certain
            {
                self.facts.models[load].frozen = (truth == Some(false)).then_some(place);
            }
        }
        self.freeze(base, Some(val));
    }

    /// Notes a call of something that is not visible and that may keep parameters from training.
    pub(super) fn observe_unseen_call(&mut self, call: &Call, callee: &AbstractValue, args: &CallArguments) {
        let name = match &call.callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => name.as_str(),
            _ => return,
        };
        let of_method = |id: usize| self.is_model_or_module(id).then(|| object(id));
        let receiver = callee.alternatives.iter().find_map(|alt| match &alt.kind {
            ValueKind::Method(id, _) => of_method(*id),
            _ => None,
        });
        let followed = callee.alternatives.iter().all(|alt| matches!(alt.kind, ValueKind::Function { .. }));
        self.parameters.tells_to_train |= receiver.is_none() && !followed && matches!(name, "train" | "fit" | "learn");
        let unseen = callee.alternatives.iter().any(|alt| match &alt.kind {
            ValueKind::Method(id, path) => path.contains('.') && self.is_model_or_module(*id),
            kind => matches!(kind, ValueKind::Unknown),
        });
        if !unseen && receiver.is_none() {
            return;
        }
        let lower = name.to_lowercase();
        let no = AbstractValue::new(ValueKind::Scalar(Value::Bool(false)), ValueSource::default());
        match name {
            "requires_grad_" if unseen && receiver.is_none() => self.freeze(callee, args.arg("requires_grad", 0)),
            "half" | "bfloat16" | "double" | "to" if unseen => {
                let forward =
                    self.control.frames.iter().any(|frame| self.definitions.functions[frame.function].def.name == "forward");
                let casts = Self::cast_dtype(name, args, self.sources.entry_start()).is_some();
                self.parameters.casts_hidden |= casts && !forward;
            }
            _ if lower.contains("freeze") && !lower.contains("unfreeze") => {
                let frozen = receiver.or_else(|| args.positional.first().cloned()).unwrap_or_else(AbstractValue::unknown);
                self.freeze(&frozen, Some(&no));
            }
            _ => {}
        }
        if self.parameters.unseen_methods.len() < MAX_NAMES {
            self.parameters.unseen_methods.insert(name.to_owned());
        }
    }

    /// Notes the modules whose parameters an optimizer or a trainer gets.
    pub(super) fn train_modules(&mut self, val: &AbstractValue, place: FileRange) {
        let mut found = Vec::new();
        let mut parts = BTreeSet::new();
        self.collect_modules(val, DEPTH, &mut found, &mut parts);
        for (id, _) in &parts {
            if let ObjectKind::Model(load) = self.heap[*id].kind {
                self.facts.models[load].trained = true;
            }
        }
        self.parameters.parts.append(&mut parts);
        let visible = !found.is_empty() || !self.parameters.parts.is_empty() || !self.heap.models_in(val, MODEL_DEPTH).is_empty();
        self.parameters.hidden |= !visible;
        self.parameters.modules.extend(found.into_iter().map(|id| (id, place)));
    }

    fn collect_modules(&self, val: &AbstractValue, depth: u32, found: &mut Vec<usize>, parts: &mut BTreeSet<(usize, Rc<str>)>) {
        for alt in &val.alternatives {
            match &alt.kind {
                ValueKind::Object(id) if self.is_module(*id) => found.push(*id),
                ValueKind::Method(id, part) if self.is_model_or_module(*id) => {
                    parts.insert((*id, part.clone()));
                }
                ValueKind::Object(id) if depth > 0 => {
                    if let ObjectKind::Dict { entries, .. } = &self.heap[*id].kind {
                        for (_, val) in entries {
                            self.collect_modules(val, depth - 1, found, parts);
                        }
                    }
                }
                ValueKind::Items(items) | ValueKind::Bundle(items) if depth > 0 => {
                    items.iter().for_each(|item| self.collect_modules(item, depth - 1, found, parts));
                }
                _ => {}
            }
        }
    }

    /// Whether all that is trained is visible: every optimizer and trainer gets models and modules that the code makes.
    pub(super) fn sees_what_is_trained(&self) -> bool {
        !self.parameters.hidden && self.sees_some_trained()
    }

    /// Whether any of what is trained is visible.
    pub(super) fn sees_some_trained(&self) -> bool {
        let loaded = self.facts.models.iter().any(|model| model.trained || model.in_trainer);
        loaded || !self.parameters.modules.is_empty() || !self.parameters.parts.is_empty()
    }

    /// Whether a module is a model of transformers that the code makes from a configuration, of a class of its own too.
    pub(super) fn is_made_model(&self, id: usize) -> bool {
        let path = match &self.heap[id].kind {
            ObjectKind::Instance { class, .. } => self.definitions.external_base(*class),
            ObjectKind::Library(path) => Some(path.clone()),
            _ => None,
        };
        path.is_some_and(|path| library(&path) == Some("transformers") && is_module_class(&path))
    }

    /// The library classes of the modules that are trained, or that the trained ones derive from.
    pub(super) fn built_models(&self) -> Vec<String> {
        let class = |id: usize| match &self.heap[id].kind {
            ObjectKind::Instance { class, .. } => self.definitions.external_base(*class),
            ObjectKind::Library(path) => Some(path.clone()),
            _ => None,
        };
        let paths: BTreeSet<String> =
            self.parameters.modules.iter().filter_map(|(id, _)| class(*id)).map(|path| path.to_string()).collect();
        paths.into_iter().filter(|path| library(path) == Some("transformers")).collect()
    }

    /// The call that trains modules which keep the dtype in which torch makes them: nothing loads or casts them.
    pub(super) fn keeps_default_dtype(&self) -> Option<FileRange> {
        let cast = |id: usize| match self.heap[id].attributes.get(CAST) {
            Some(to) => to.constant().and_then(Value::as_str) != Some("fp32"),
            None => false,
        };
        let loads = |id: usize| !self.heap.models_in(&object(id), MODEL_DEPTH).is_empty();
        let modules = &self.parameters.modules;
        let kept = self.sees_what_is_trained()
            && !self.parameters.casts_hidden
            && !self.facts.models.iter().any(|model| model.trained || model.in_trainer)
            && !modules.iter().any(|(id, _)| cast(*id) || loads(*id));
        modules.first().map(|(_, place)| *place).filter(|_| kept)
    }
}

pub(super) fn object(id: usize) -> AbstractValue {
    AbstractValue::new(ValueKind::Object(id), ValueSource::default())
}
