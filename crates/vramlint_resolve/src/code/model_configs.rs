//! Models that the code makes from a configuration of transformers: `T5Config(d_model=768)`, `AutoConfig.from_pretrained(…)`.

use super::call_arguments::CallArguments;
use super::conditions::PathConditions;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::model_record::ModelRecord;
use super::qualified_name::{leaf, library};
use super::trained_parameters::{CAST, is_module_class};
use super::value::{AbstractValue, ValueKind};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::Concept;
use vramlint_catalog::model_configs::{SHAPE_KEYS, is_model_config};

/// The attribute of a configuration that holds the name it is loaded by.
const LOADED_BY: &str = "__loaded_by__";
/// The attribute of a configuration that has keys which are not visible.
const OPEN: &str = "__open__";
/// The attribute of a model that holds its configuration.
const CONFIG: &str = "config";

/// A model that is made from a configuration.
pub(super) struct MadeModel {
    /// The model, as an object of the heap.
    id: usize,
    class: Rc<str>,
    guard: Option<Rc<str>>,
    place: FileRange,
}

impl Interpreter<'_> {
    /// Calls that make a configuration, or a model from one.
    pub(super) fn model_config_call(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        if library(path) != Some("transformers") {
            return None;
        }
        let (owner, method) = match path.rsplit_once('.') {
            Some((owner, method)) if method.starts_with(|c: char| c.is_lowercase() || c == '_') => (owner, Some(method)),
            _ => (&**path, None),
        };
        let owner: Rc<str> = owner.into();
        match method {
            None if is_model_config(leaf(&owner)) => Some(self.make_config(&owner, args, None, place)),
            Some("from_pretrained") if is_model_config(leaf(&owner)) => {
                let name = args.arg("pretrained_model_name_or_path", 0).cloned().unwrap_or_else(AbstractValue::unknown);
                Some(self.make_config(&owner, args, Some(name), place))
            }
            Some("from_config" | "_from_config") if is_module_class(&owner) => Some(self.make_from_config(&owner, args, place)),
            None if is_module_class(&owner) && args.arg(CONFIG, 0).is_some() => {
                self.escape(args);
                let id = self.new_object(ObjectKind::Library(owner.clone()));
                self.configure_model(id, &owner, args, place);
                Some(AbstractValue::located(ValueKind::Object(id), place))
            }
            _ => None,
        }
    }

    fn make_config(
        &mut self,
        class: &Rc<str>,
        args: &CallArguments,
        loaded_by: Option<AbstractValue>,
        place: FileRange,
    ) -> AbstractValue {
        self.escape(args);
        let block = args.unpacked_block.clone().and_then(|(load, route)| {
            let block = AbstractValue::located(ValueKind::Loaded(load, Rc::new(route)), place);
            self.known_entries(&block, place)
        });
        // Keys by position are not named here, and those of an unpacked object are not visible.
        let positional = usize::from(loaded_by.is_some());
        let open = args.open && block.is_none() || args.positional.len() > positional || !args.unpacked_objects.is_empty();
        let id = self.new_object(ObjectKind::Library(class.clone()));
        for (name, val) in block.unwrap_or_default().into_iter().chain(args.keyword.iter().cloned()) {
            self.heap.set_by_library(id, &name, val);
        }
        let attributes = &mut self.heap[id].attributes;
        attributes.extend(loaded_by.map(|name| (LOADED_BY.to_owned(), name)));
        if open {
            attributes.insert(OPEN.to_owned(), AbstractValue::unknown());
        }
        AbstractValue::located(ValueKind::Object(id), place)
    }

    /// `from_config` makes weights of the type that its argument or the configuration names (transformers 5.23.0
    /// `modeling_utils.py`).
    fn make_from_config(&mut self, class: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        self.escape(args);
        let config = args.arg(CONFIG, 0).and_then(|config| config.objects().next());
        let of_config = |name: &str| config.and_then(|id| self.heap.attribute(id, name).cloned());
        let is_loaded = config.is_none() || of_config(LOADED_BY).is_some() || of_config(OPEN).is_some();
        let given = |name: &str| args.get(name).cloned().or_else(|| of_config(name));
        let dtype = given("dtype").or_else(|| given("torch_dtype")).or_else(|| is_loaded.then(AbstractValue::unknown));
        let id = self.new_object(ObjectKind::Library(class.clone()));
        if let Some(dtype) = dtype {
            let named = Self::cast_dtype("to", &CallArguments { positional: vec![dtype], ..CallArguments::default() }, place);
            self.heap[id].attributes.insert(CAST.to_owned(), named.unwrap_or_else(AbstractValue::unknown));
        }
        self.configure_model(id, class, args, place);
        AbstractValue::located(ValueKind::Object(id), place)
    }

    /// Notes that a model of this class is made from the configuration among the arguments.
    pub(super) fn configure_model(&mut self, id: usize, class: &Rc<str>, args: &CallArguments, place: FileRange) {
        let Some(config) = args.arg(CONFIG, 0) else { return };
        self.heap.set_by_library(id, CONFIG, config.clone());
        let guard = self.control.guards.condition();
        self.parameters.made.push(MadeModel { id, class: class.clone(), guard, place });
    }

    /// Candidates from the models that are made and trained; a model that is loaded and trained speaks alone.
    pub(super) fn collect_made_models(&mut self) {
        if self.facts.models.iter().any(ModelRecord::is_trained) {
            return;
        }
        for made in std::mem::take(&mut self.parameters.made) {
            if self.parameters.modules.iter().any(|(id, _)| *id == made.id) {
                self.control.guards = PathConditions::from_condition(made.guard.clone());
                self.emit_made_model(&made);
            }
        }
        self.control.guards = PathConditions::default();
    }

    fn emit_made_model(&mut self, made: &MadeModel) {
        let config = self.heap.attribute(made.id, CONFIG).and_then(AbstractValue::single);
        let Some(ValueKind::Object(config)) = config.map(|alt| alt.kind.clone()) else { return };
        let ObjectKind::Library(class) = self.heap[config].kind.clone() else { return };
        if library(&class) != Some("transformers") || !is_model_config(leaf(&class)) {
            return;
        }
        let (path, place) = (&made.class, made.place);
        let loaded_by = self.heap.attribute(config, LOADED_BY).cloned();
        let mut keys: Vec<(Value, Value)> = Vec::new();
        let mut open = self.heap.attribute(config, OPEN).map(|_| "**");
        for key in SHAPE_KEYS.iter().filter(|key| **key != "vocab_size") {
            let Some(val) = self.heap.attribute(config, key) else { continue };
            match self.heap.single_as_data(val) {
                Some(value) => keys.push((Value::Text((*key).to_owned()), value)),
                None => open = open.or(Some(*key)),
            }
        }
        let vocabulary = self.heap.attribute(config, "vocab_size").cloned();
        if let Some(name) = loaded_by.as_ref().filter(|_| keys.is_empty() && open.is_none() && vocabulary.is_none()) {
            self.candidates().emit_value(Concept::Model, name, path, "config", place);
            return;
        }
        if let Some(val) = &vocabulary {
            self.candidates().emit_value(Concept::VocabSize, val, &class, "vocab_size", place);
        }
        let named = match &loaded_by {
            Some(name) => self.heap.single_as_data(name).map(|name| ("_name_or_path", name)),
            None => Some(("cls", Value::Text(leaf(&class).to_owned()))),
        };
        let value = match (named, open) {
            (Some((key, name)), None) => {
                keys.insert(0, (Value::Text(key.to_owned()), name));
                AbstractValue::located(ValueKind::Scalar(Value::Map(keys)), place)
            }
            (None, _) => loaded_by.unwrap_or_else(AbstractValue::unknown),
            (_, Some(key)) => {
                let unknown = AbstractValue::located(ValueKind::Unknown, place);
                self.candidates().emit_value(Concept::ModelConfig, &unknown, &class, key, place);
                return;
            }
        };
        self.candidates().emit_value(Concept::ModelConfig, &value, path, "config", place);
    }
}
