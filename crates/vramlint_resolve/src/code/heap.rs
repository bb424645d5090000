//! Objects with identity: dicts, instances, models, parsers, things of libraries.

use super::call_arguments::CallArguments;
use super::value::{AbstractValue, Alternative, ValueKind};
use std::collections::HashMap;
use std::ops::{Index, IndexMut};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// Containers inside of containers that are searched for models.
pub(super) const MODEL_DEPTH: usize = 5;

/// A thing with identity.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) kind: ObjectKind,
    pub(super) attributes: HashMap<String, AbstractValue>,
    /// How many undecided branches were open when it was made: a write under more of them is conditional.
    pub(super) depth: usize,
}

/// What a thing is.
#[derive(Clone, Debug)]
pub(super) enum ObjectKind {
    /// A dict; `open` where it may hold keys that are not seen.
    Dict { entries: Vec<(Value, AbstractValue)>, open: bool },
    /// An object of a class of the project. `rest` is where attributes that nobody set come from.
    Instance { class: usize, rest: FieldSource },
    /// `super()` of an object in a class.
    Super { object: usize, class: usize },
    /// A thing of a library, by the full name of its class.
    Library(Rc<str>),
    /// An argument parser; the options of its groups and subparsers are its own.
    Parser,
    /// What `parse_args()` returns, for the parser with this object.
    Namespace(usize),
    /// A parser of dataclasses.
    DataclassParser { classes: Vec<AbstractValue>, trl: bool, place: FileRange },
    /// A model, by its index in the record of loads.
    Model(usize),
    /// What a model computes.
    Output(usize),
    /// An open file, or what was read from it.
    Handle(AbstractValue),
    /// Adapters' configuration.
    Lora,
    /// Quantization, as a canonical value, where it was decided and by which library call.
    Quantization(AbstractValue),
}

/// Where the fields of an object come from that nobody sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FieldSource {
    /// From the class.
    Class,
    /// From the class, unless a caller that is not seen gives others.
    Overridable,
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
    /// Makes an object under so many undecided branches.
    pub(super) fn allocate(&mut self, kind: ObjectKind, branch_depth: usize) -> usize {
        self.objects.push(Object { kind, attributes: HashMap::new(), depth: branch_depth });
        self.objects.len() - 1
    }

    /// The number of objects.
    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    /// The value as data, if every part of it is known.
    pub(super) fn plain_value(&self, val: &AbstractValue) -> Option<Value> {
        val.alternatives.first().filter(|alt| alt.condition.is_none()).and_then(|alt| self.plain(&alt.kind, 8))
    }

    /// A thing as data; names of torch's types become their text.
    pub(super) fn plain(&self, what: &ValueKind, depth: u32) -> Option<Value> {
        if depth == 0 {
            return None;
        }
        let inner = |val: &AbstractValue| val.only().and_then(|alt| self.plain(&alt.kind, depth - 1));
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

    /// The value of an alternative as data, unless only its absence is known.
    pub(super) fn known_value(&self, alt: &Alternative) -> Option<Value> {
        if matches!(alt.kind, ValueKind::Scalar(Value::Null)) && alt.source.is_set_outside() {
            return None;
        }
        self.plain(&alt.kind, 8)
    }

    /// Whether a value is certainly true or false, whatever the command line says.
    pub(super) fn truth(&self, val: &AbstractValue) -> Option<bool> {
        let alt = val.only().filter(|alt| !alt.source.may_be_overridden && alt.condition.is_none())?;
        match &alt.kind {
            ValueKind::Scalar(value) => Some(truthy(value)),
            ValueKind::Function { .. } | ValueKind::Class(_) | ValueKind::Module(_) | ValueKind::External(_) => Some(true),
            ValueKind::Object(id)
                if !matches!(
                    self.objects[*id].kind,
                    ObjectKind::Dict { .. } | ObjectKind::Library(_) | ObjectKind::Handle(_)
                ) =>
            {
                Some(true)
            }
            _ => None,
        }
    }

    /// Whether every alternative is a dict with this key.
    pub(super) fn in_each(&self, val: &AbstractValue, key: &Value) -> bool {
        let holds = |alt: &Alternative| match &alt.kind {
            ValueKind::Object(id) => {
                matches!(&self.objects[*id].kind, ObjectKind::Dict { entries, .. } if entries.iter().any(|(known, _)| known == key))
            }
            _ => false,
        };
        val.alternatives.len() == 1 || val.alternatives.iter().all(holds)
    }

    /// Whether an alternative is an object of a library class with this full name.
    pub(super) fn is_library(&self, val: &AbstractValue, test: impl Fn(&str) -> bool) -> bool {
        val.objects().any(|id| matches!(&self.objects[id].kind, ObjectKind::Library(path) if test(path)))
    }

    pub(super) fn is_engine(&self, id: usize) -> bool {
        matches!(&self.objects[id].kind, ObjectKind::Library(path) if path.starts_with("deepspeed."))
    }

    /// Indices of the models that a value holds.
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

    pub(super) fn if_holds_model(&self, val: &AbstractValue) -> Vec<AbstractValue> {
        if self.models_in(val, MODEL_DEPTH).is_empty() { Vec::new() } else { vec![val.clone()] }
    }

    /// The models among these arguments, as values.
    pub(super) fn model_argument(&self, args: &CallArguments) -> Vec<AbstractValue> {
        args.arg("model", 0).map_or_else(Vec::new, |model| self.if_holds_model(model))
    }

    /// The path of an open file; the value itself where it is no file.
    pub(super) fn path_behind(&self, val: &AbstractValue, depth: usize) -> AbstractValue {
        let handle =
            val.objects().find_map(|id| if let ObjectKind::Handle(path) = &self.objects[id].kind { Some(path) } else { None });
        match handle {
            Some(path) if depth > 0 => self.path_behind(path, depth - 1),
            _ => val.clone(),
        }
    }

    pub(super) fn open_dict(&mut self, id: usize) {
        if let ObjectKind::Dict { open, .. } = &mut self.objects[id].kind {
            *open = true;
        }
    }

    /// Puts the key of a nested dict before the names of what it holds: `training` before `batch_size`.
    pub(super) fn name_inner(&mut self, val: AbstractValue, key: &Value) -> AbstractValue {
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

    /// After `pop`, what stood there may be gone. It is not certain to be: a function is run once for several callers.
    pub(super) fn taken(&mut self, id: usize, key: &AbstractValue) {
        let key = key.only().and_then(Alternative::scalar).cloned();
        let ObjectKind::Dict { entries, .. } = &mut self.objects[id].kind else { return };
        for (name, val) in entries.iter_mut().filter(|(name, _)| key.as_ref().is_none_or(|key| key == name)) {
            let condition = format!("{} is not taken out", name.as_str().unwrap_or("it"));
            *val = std::mem::replace(val, AbstractValue::unknown()).under(Some(&condition.into()));
        }
    }
}

/// What Python takes a value for in a condition.
fn truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Int(n) => *n != 0,
        Value::Float(x) => *x != 0.0,
        Value::Text(text) => !text.is_empty(),
        Value::List(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        Value::BigInt(_) | Value::Timestamp(_) => true,
    }
}
