//! Objects with identity: dicts, instances, models, parsers, objects of libraries.

use super::call_arguments::CallArguments;
use super::value::{AbstractValue, Alternative, ValueKind};
use std::collections::HashMap;
use std::ops::{Index, IndexMut};
use std::rc::Rc;
use vramlint_base::value_readers::python_truth;
use vramlint_base::{FileRange, Value};

/// Maximum nesting of containers that are searched for models.
pub(super) const MODEL_DEPTH: usize = 5;

/// An object with identity.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) kind: ObjectKind,
    pub(super) attributes: HashMap<String, AbstractValue>,
    /// The number of undecided branches that were open when it was made. A write under more of them is conditional.
    pub(super) depth: usize,
}

/// The kind of an object.
#[derive(Clone, Debug)]
pub(super) enum ObjectKind {
    /// A dict; `open` if it may have keys that are not visible.
    Dict { entries: Vec<(Value, AbstractValue)>, open: bool },
    /// An instance of a class of the project. `rest` is the source of attributes that the code does not set.
    Instance { class: usize, rest: FieldSource },
    /// `super()` of an object in a class.
    Super { object: usize, class: usize },
    /// An object of a library, by the full name of its class.
    Library(Rc<str>),
    /// An argument parser. The options of its groups and subparsers are its own.
    Parser,
    /// The result of `parse_args()`, for the parser with this index.
    Namespace(usize),
    /// A parser of dataclasses.
    DataclassParser { classes: Vec<AbstractValue>, trl: bool, place: FileRange },
    /// A model, by its index among the loaded models.
    Model(usize),
    /// The output of a model.
    Output(usize),
    /// An open file, or its content.
    Handle(AbstractValue),
    /// The configuration of adapters.
    Lora,
    /// A quantization, as a canonical value with its place and library call.
    Quantization {
        /// Its kind: `nf4-double`, `none`.
        kind: AbstractValue,
        /// `bnb_4bit_compute_dtype`, if it is given.
        compute: Option<AbstractValue>,
    },
}

/// The source of fields that the code does not set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldSource {
    /// The class.
    Class,
    /// The class, unless an invisible caller passes others.
    Overridable,
    /// Arguments or a file that are not visible; the class has the rest.
    Hidden,
    /// Options of the command line, with the class's defaults.
    Options,
    /// Keys of a loaded file below this route, with the class's defaults.
    Loaded(usize, Vec<String>),
}

/// Every object that was made; values hold indices into it.
#[derive(Default)]
pub(super) struct Heap {
    objects: Vec<Object>,
}

impl Index<usize> for Heap {
    type Output = Object;

    fn index(&self, id: usize) -> &Object {
        &self.objects[id]
    }
}

impl IndexMut<usize> for Heap {
    fn index_mut(&mut self, id: usize) -> &mut Object {
        &mut self.objects[id]
    }
}

impl Heap {
    /// Makes an object under `branch_depth` undecided branches.
    pub(super) fn allocate(&mut self, kind: ObjectKind, branch_depth: usize) -> usize {
        self.objects.push(Object { kind, attributes: HashMap::new(), depth: branch_depth });
        self.objects.len() - 1
    }

    /// An attribute of an object: as the code writes it, else as its library sets it.
    pub(super) fn attribute(&self, id: usize, name: &str) -> Option<&AbstractValue> {
        let attributes = &self.objects[id].attributes;
        attributes.get(name).or_else(|| attributes.get(&by_library(name)))
    }

    /// Sets an attribute that the library gives an object: no code of the project writes it.
    pub(super) fn set_by_library(&mut self, id: usize, name: &str, val: AbstractValue) {
        self.objects[id].attributes.insert(by_library(name), val);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Object> {
        self.objects.iter()
    }

    /// The number of objects.
    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    /// The value as data, if every part of it is known.
    pub(super) fn as_data(&self, val: &AbstractValue) -> Option<Value> {
        val.alternatives.first().filter(|alt| alt.condition.is_none()).and_then(|alt| self.kind_as_data(&alt.kind, 8))
    }

    /// The value as data, if it is known and no branch chooses it.
    pub(super) fn single_as_data(&self, val: &AbstractValue) -> Option<Value> {
        val.single().and_then(|_| self.as_data(val))
    }

    /// A value as data. Names of torch's dtypes become strings.
    pub(super) fn kind_as_data(&self, what: &ValueKind, depth: u32) -> Option<Value> {
        if depth == 0 {
            return None;
        }
        let inner = |val: &AbstractValue| val.single().and_then(|alt| self.kind_as_data(&alt.kind, depth - 1));
        match what {
            ValueKind::Scalar(value) => Some(value.clone()),
            ValueKind::Items(items) => items.iter().map(inner).collect::<Option<Vec<_>>>().map(Value::List),
            ValueKind::External(path) => {
                path.strip_prefix("torch.").filter(|name| !name.contains('.')).map(|name| Value::Text(name.to_string()))
            }
            ValueKind::Object(id) => match &self.objects[*id].kind {
                ObjectKind::Dict { entries, open: false } => {
                    entries.iter().map(|(key, val)| Some((key.clone(), inner(val)?))).collect::<Option<Vec<_>>>().map(Value::Map)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of an alternative as data. `None` if only its absence is known.
    pub(super) fn data_unless_absent(&self, alt: &Alternative) -> Option<Value> {
        if matches!(alt.kind, ValueKind::Scalar(Value::Null)) && alt.source.is_set_outside() {
            return None;
        }
        self.kind_as_data(&alt.kind, 8)
    }

    /// Whether a value is certainly true or false, whatever the command line says.
    pub(super) fn truth(&self, val: &AbstractValue) -> Option<bool> {
        let alt = val.single().filter(|alt| !alt.source.may_be_overridden && alt.condition.is_none())?;
        match &alt.kind {
            ValueKind::Scalar(value) => Some(python_truth(value)),
            ValueKind::Function { .. } | ValueKind::Class(_) | ValueKind::Module(_) | ValueKind::External(_) => Some(true),
            ValueKind::Object(id) if matches!(self.objects[*id].kind, ObjectKind::Dict { .. }) => {
                let ObjectKind::Dict { entries, open } = &self.objects[*id].kind else { return None };
                let certain = entries.iter().any(|(_, val)| val.alternatives.iter().any(|alt| alt.condition.is_none()));
                if certain { Some(true) } else { (entries.is_empty() && !open).then_some(false) }
            }
            ValueKind::Object(id) if !matches!(self.objects[*id].kind, ObjectKind::Library(_) | ObjectKind::Handle(_)) => {
                Some(true)
            }
            _ => None,
        }
    }

    /// Whether every alternative is a dict with this key.
    pub(super) fn every_dict_has(&self, val: &AbstractValue, key: &Value) -> bool {
        let has_key = |alt: &Alternative| match &alt.kind {
            ValueKind::Object(id) => {
                matches!(&self.objects[*id].kind, ObjectKind::Dict { entries, .. } if entries.iter().any(|(known, _)| known == key))
            }
            _ => false,
        };
        val.alternatives.len() == 1 || val.alternatives.iter().all(has_key)
    }

    /// Whether an alternative is an object of a library class that passes the test.
    pub(super) fn is_library(&self, val: &AbstractValue, test: impl Fn(&str) -> bool) -> bool {
        val.objects().any(|id| matches!(&self.objects[id].kind, ObjectKind::Library(path) if test(path)))
    }

    pub(super) fn is_engine(&self, id: usize) -> bool {
        matches!(&self.objects[id].kind, ObjectKind::Library(path) if path.starts_with("deepspeed."))
    }

    /// Indices of the models that a value contains.
    pub(super) fn models_in(&self, val: &AbstractValue, depth: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for alt in &val.alternatives {
            match &alt.kind {
                ValueKind::Object(id) => match &self.objects[*id].kind {
                    ObjectKind::Model(load) | ObjectKind::Output(load) => found.push(*load),
                    ObjectKind::Instance { .. } if depth > 0 => {
                        let mut names: Vec<&String> = self.objects[*id].attributes.keys().collect();
                        names.sort_unstable();
                        for name in names {
                            found.extend(self.models_in(&self.objects[*id].attributes[name], depth.saturating_sub(2)));
                        }
                    }
                    ObjectKind::Dict { entries, .. } if depth > 0 => {
                        found.extend(entries.iter().flat_map(|(_, val)| self.models_in(val, depth - 1)));
                    }
                    _ => {}
                },
                ValueKind::Items(items) | ValueKind::Bundle(items) if depth > 0 => {
                    found.extend(items.iter().flat_map(|item| self.models_in(item, depth - 1)));
                }
                _ => {}
            }
        }
        found
    }

    pub(super) fn if_contains_model(&self, val: &AbstractValue) -> Vec<AbstractValue> {
        if self.models_in(val, MODEL_DEPTH).is_empty() { Vec::new() } else { vec![val.clone()] }
    }

    /// The `model` argument, if it contains a model.
    pub(super) fn model_argument(&self, args: &CallArguments) -> Vec<AbstractValue> {
        args.arg("model", 0).map_or_else(Vec::new, |model| self.if_contains_model(model))
    }

    /// The path of an open file; the value itself if it is not a file.
    pub(super) fn opened_path(&self, val: &AbstractValue, depth: usize) -> AbstractValue {
        let handle =
            val.objects().find_map(|id| if let ObjectKind::Handle(path) = &self.objects[id].kind { Some(path) } else { None });
        match handle {
            Some(path) if depth > 0 => self.opened_path(path, depth - 1),
            _ => val.clone(),
        }
    }

    pub(super) fn open_dict(&mut self, id: usize) {
        if let ObjectKind::Dict { open, .. } = &mut self.objects[id].kind {
            *open = true;
        }
    }

    /// Prepends the key of a nested dict to the names of its entries: `training` to `batch_size`.
    pub(super) fn prefix_nested_names(&mut self, val: AbstractValue, key: &Value) -> AbstractValue {
        let Value::Text(key) = key else { return val };
        for id in val.objects().collect::<Vec<_>>() {
            if let ObjectKind::Dict { entries, .. } = &mut self.objects[id].kind {
                for (_, inner) in entries.iter_mut() {
                    let named = std::mem::replace(inner, AbstractValue::unknown()).map_source(|source| {
                        if source.declared && !source.path.is_empty() {
                            source.path.insert(0, key.clone());
                        }
                    });
                    *inner = named;
                }
            }
        }
        val
    }

    /// After `pop`, the entry may be gone. It is not certain: a function runs once for several callers.
    pub(super) fn make_popped_conditional(&mut self, id: usize, key: &AbstractValue) {
        let key = key.single().and_then(Alternative::scalar).cloned();
        let ObjectKind::Dict { entries, .. } = &mut self.objects[id].kind else { return };
        for (name, val) in entries.iter_mut().filter(|(name, _)| key.as_ref().is_none_or(|key| key == name)) {
            let condition = format!("{} is not taken out", name.as_str().unwrap_or("it"));
            *val = std::mem::replace(val, AbstractValue::unknown()).under_condition(Some(&condition.into()));
        }
    }
}

/// The key of an attribute that a library sets.
fn by_library(name: &str) -> String {
    format!("__library__.{name}")
}
