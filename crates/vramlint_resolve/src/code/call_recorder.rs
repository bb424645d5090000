//! Remembers the calls of libraries, and what each of them made.

use super::branch;
use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::library::root;
use super::recorded_call::{ArgValue, CallArgument, DictEntry, LibraryCall, PossibleValue};
use super::value::{AbstractValue, Alternative, ObjectKind, ValueKind};
use std::collections::HashMap;
use std::rc::Rc;
use vramlint_base::{FileId, FileRange, TextRange, Value};
use vramlint_syntax::python::{Call, ExprKind};

/// Calls remembered at most.
const CALLS: usize = 1000;
/// Dicts and lists inside of each other at most.
const DEPTH: u32 = 6;
/// Items of a list or dict looked at at most.
const ITEMS: usize = 200;

/// Libraries of which every call is remembered.
const LIBRARIES: &[&str] = &[
    "transformers",
    "trl",
    "peft",
    "accelerate",
    "bitsandbytes",
    "deepspeed",
    "unsloth",
    "lightning",
    "pytorch_lightning",
    "lightning_fabric",
    "sentence_transformers",
    "torchao",
    "vllm",
    "datasets",
    "optimum",
    "modelscope",
    "liger_kernel",
];
/// Of torch only what has a part in training; tensors and layers have none.
const OF_TORCH: &[&str] = &[
    "optim",
    "utils",
    "cuda",
    "amp",
    "autocast",
    "compile",
    "distributed",
    "device",
    "load",
    "backends",
    "autograd",
    "set_default_dtype",
    "set_float32_matmul_precision",
    "set_num_threads",
    "multiprocessing",
    "mps",
    "xpu",
    "npu",
];
/// Methods that are remembered of things that are not known.
const OF_UNKNOWN: &[&str] =
    &["backward", "gradient_checkpointing_enable", "gradient_checkpointing_disable", "enable_input_require_grads"];

/// The calls so far.
#[derive(Default)]
pub(super) struct CallRecorder {
    pub(super) calls: Vec<LibraryCall>,
    /// Which call made a thing, by its index in the heap.
    made: HashMap<usize, usize>,
    /// Calls by place, way and name.
    known: HashMap<(FileRange, Vec<FileRange>, String), usize>,
    /// Whether what runs now has no caller that is seen.
    pub(super) uncalled: bool,
    /// Whether only calls are still looked for: what is loaded from files now is in no list.
    pub(super) late: bool,
}

/// Where the arguments of a call are written.
#[derive(Clone, Debug, Default)]
pub(super) struct ArgumentRanges {
    pub(super) positional: Vec<Option<TextRange>>,
    pub(super) keyword: Vec<Option<TextRange>>,
}

/// Whether calls of this full name are remembered.
fn matters(path: &str) -> bool {
    if LIBRARIES.contains(&root(path)) {
        return true;
    }
    let mut parts = path.split('.');
    parts.next() == Some("torch")
        && match parts.next() {
            // A container may be the whole of a model that is prepared.
            Some("nn") => {
                path.contains("parallel")
                    || path.contains("DataParallel")
                    || path.contains(".utils.")
                    || path == "torch.nn.Sequential"
            }
            Some(part) => OF_TORCH.contains(&part),
            None => false,
        }
}

impl Interpreter<'_> {
    /// Remembers a call of one of the things that the callee may be; the index of the call, if it is one of a library.
    pub(super) fn note_library_call(
        &mut self,
        call: &Call,
        alt: &Alternative,
        given: &CallArguments,
        ranges: &ArgumentRanges,
        place: FileRange,
    ) -> Option<usize> {
        let (path, receiver, derived) = self.called(call, alt)?;
        let via: Vec<FileRange> = self.frames.iter().filter_map(|frame| frame.call).collect();
        let key = (place, via, path);
        if let Some(index) = self.noted.known.get(&key) {
            return Some(*index);
        }
        if self.noted.calls.len() >= CALLS {
            return None;
        }
        let condition = branch::both(branch::all(self.guards.iter()).as_ref(), alt.condition.as_ref());
        let mut arguments = self.call_arguments(given, ranges, place);
        let mut fields_seen = false;
        if let ValueKind::Class(class) = &alt.kind
            && derived
            && self.is_plain_record(*class)
        {
            fields_seen = true;
            self.add_defaults(*class, &mut arguments, place);
        }
        let noted = LibraryCall {
            file: place.file,
            place,
            callee: FileRange::new(place.file, call.callee.range),
            path: key.2.clone(),
            receiver,
            arguments,
            open: given.open || given.rest.is_some(),
            unpacked_block: given.rest.clone().filter(|_| !self.noted.late),
            is_subclass: derived,
            fields_known: fields_seen,
            assigned: Vec::new(),
            assigned_to: self.target.clone(),
            conditional: condition.is_some(),
            condition: condition.map(|condition| condition.to_string()),
            caught: self.catching > 0,
            without_grad: self.events.without_grad > 0,
            in_loop: !self.loops.is_empty(),
            uncalled: self.noted.uncalled,
            call_chain: key.1.clone(),
        };
        let index = self.noted.calls.len();
        self.noted.calls.push(noted);
        self.noted.known.insert(key, index);
        Some(index)
    }

    /// The full name of what is called, what it is called on, and whether it is a class of the project made from a library's.
    fn called(&self, call: &Call, alt: &Alternative) -> Option<(String, Option<ArgValue>, bool)> {
        match &alt.kind {
            ValueKind::External(path) => matters(path).then(|| (path.to_string(), None, false)),
            ValueKind::Method(id, name) => self.called_method(*id, name),
            ValueKind::Class(class) => {
                let base = self.external_base(*class).filter(|base| matters(base))?;
                self.own_initializer(*class).is_none().then(|| (base.to_string(), None, true))
            }
            ValueKind::Unknown => match &call.callee.kind {
                ExprKind::Attribute(_, name, _) if OF_UNKNOWN.contains(&name.as_str()) => {
                    Some((format!("?.{name}"), None, false))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a class of the project, and every one above it that is of the project too, is a dataclass without code of its own that
    /// runs when it is made.
    fn is_plain_record(&self, class: usize) -> bool {
        self.class_attribute(class, "__post_init__").is_none()
            && self.lineage(class).into_iter().all(|class| {
                let decorators = &self.classes[class].def.decorators;
                let named = |expr: &vramlint_syntax::python::Expr| {
                    let callee = if let ExprKind::Call(call) = &expr.kind { &call.callee } else { expr };
                    callee.dotted().is_some_and(|name| name.rsplit('.').next() == Some("dataclass"))
                };
                decorators.iter().any(named)
            })
    }

    /// The defaults that the fields of a class have, behind what a call gives.
    fn add_defaults(&self, class: usize, arguments: &mut Vec<CallArgument>, place: FileRange) {
        for name in self.fields(class) {
            if arguments.iter().any(|argument| argument.name.as_deref() == Some(name.as_str())) {
                continue;
            }
            if let Some(val) = self.class_attribute(class, &name) {
                let values = self.call_values(&val, place, DEPTH);
                let place = values[0].place;
                arguments.push(CallArgument { name: Some(name), position: None, place, is_explicit: false, values });
            }
        }
    }

    fn called_method(&self, id: usize, name: &str) -> Option<(String, Option<ArgValue>, bool)> {
        let made = || self.noted.made.get(&id).map(|index| ArgValue::ResultOf(*index));
        match &self.objects[id].kind {
            ObjectKind::Model(load) => {
                let class = &self.record.models[*load].class;
                Some((format!("{}.{name}", class.trim_end_matches(".from_pretrained")), Some(ArgValue::Model(*load)), false))
            }
            ObjectKind::Output(load) => {
                (name == "backward").then(|| ("torch.Tensor.backward".into(), Some(ArgValue::Model(*load)), false))
            }
            ObjectKind::Library(path) => matters(path).then(|| (format!("{path}.{name}"), made(), false)),
            ObjectKind::Super { class, .. } => {
                let base = self.external_base(*class).filter(|base| matters(base))?;
                let path = if name == "__init__" { base.to_string() } else { format!("{base}.{name}") };
                Some((path, None, true))
            }
            ObjectKind::Instance { class, .. } => {
                let base = self.external_base(*class).filter(|base| matters(base))?;
                Some((format!("{base}.{name}"), made(), true))
            }
            _ => None,
        }
    }

    /// The `__init__` that a class of the project has, or one above it.
    fn own_initializer(&self, class: usize) -> Option<usize> {
        let val = self.class_attribute(class, "__init__")?;
        val.only().and_then(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None })
    }

    /// Remembers which call made the things in `result` that were not there `before`.
    pub(super) fn made_by(&mut self, index: usize, callee: &Alternative, result: &AbstractValue, before: usize) {
        if let ValueKind::Method(id, name) = &callee.kind
            && let ObjectKind::Super { object, .. } = self.objects[*id].kind
            && &**name == "__init__"
        {
            self.noted.made.insert(object, index);
        }
        for alt in &result.alternatives {
            match &alt.kind {
                ValueKind::Object(id) if *id >= before => {
                    self.noted.made.entry(*id).or_insert(index);
                }
                ValueKind::Items(items) => {
                    for id in items.iter().flat_map(AbstractValue::objects).filter(|id| *id >= before) {
                        self.noted.made.entry(id).or_insert(index);
                    }
                }
                _ => {}
            }
        }
    }

    /// The calls, with what is set on the things that they made.
    pub(super) fn take_calls(&mut self) -> Vec<LibraryCall> {
        let mut calls = std::mem::take(&mut self.noted.calls);
        let mut made: Vec<(usize, usize)> = self.noted.made.iter().map(|(object, call)| (*object, *call)).collect();
        made.sort_unstable();
        for (object, index) in made {
            if matches!(self.objects[object].kind, ObjectKind::Instance { .. }) {
                continue;
            }
            let mut names: Vec<String> =
                self.objects[object].attributes.keys().filter(|name| !name.starts_with("__")).cloned().collect();
            names.sort_unstable();
            for name in names {
                let val = self.objects[object].attributes[&name].clone();
                let values = self.call_values(&val, calls[index].place, DEPTH);
                let place = values[0].place;
                calls[index].assigned.push(CallArgument { name: Some(name), position: None, place, is_explicit: false, values });
            }
        }
        calls
    }

    fn call_arguments(&self, given: &CallArguments, ranges: &ArgumentRanges, call: FileRange) -> Vec<CallArgument> {
        let argument = |name: Option<&String>, position, range: Option<TextRange>, val: &AbstractValue, file: FileId| {
            let values = self.call_values(val, call, DEPTH);
            let place = range.map_or(values[0].place, |range| FileRange::new(file, range));
            CallArgument { name: name.cloned(), position, place, is_explicit: range.is_some(), values }
        };
        let at = |ranges: &[Option<TextRange>], i: usize| ranges.get(i).copied().flatten();
        let positional = given
            .positional
            .iter()
            .enumerate()
            .map(|(i, val)| argument(None, Some(i), at(&ranges.positional, i), val, call.file));
        let keyword = given
            .keyword
            .iter()
            .enumerate()
            .map(|(i, (name, val))| argument(Some(name), None, at(&ranges.keyword, i), val, call.file));
        positional.chain(keyword).collect()
    }

    /// The alternatives of a value; those without a place of their own stand at `at`.
    fn call_values(&self, val: &AbstractValue, at: FileRange, depth: u32) -> Vec<PossibleValue> {
        val.alternatives.iter().map(|alt| self.call_value(alt, at, depth)).collect()
    }

    fn call_value(&self, alt: &Alternative, at: FileRange, depth: u32) -> PossibleValue {
        let place = alt.source.place.unwrap_or(at);
        let condition = match (&alt.condition, alt.fallback) {
            (Some(condition), _) => Some(condition.to_string()),
            (None, true) => Some("…".to_string()),
            (None, false) => None,
        };
        let soft = alt.source.soft || alt.source.option.is_some() || alt.source.env.is_some();
        PossibleValue {
            value: self.call_what(&alt.kind, place, depth),
            place,
            condition,
            may_be_overridden: soft,
            option: alt.source.option.clone(),
        }
    }

    fn call_what(&self, what: &ValueKind, place: FileRange, depth: u32) -> ArgValue {
        match what {
            ValueKind::Scalar(value) => ArgValue::Known(value.clone()),
            ValueKind::Items(items) if depth > 0 && items.len() <= ITEMS => self.call_items(items, place, depth),
            ValueKind::Object(id) => self.call_object_value(*id, place, depth),
            ValueKind::External(path) if !path.starts_with("sys.argv") && !path.starts_with("os.environ") => {
                ArgValue::Name(path.to_string())
            }
            ValueKind::Loaded(load, route) if !self.noted.late => ArgValue::Loaded(*load, (**route).clone()),
            _ => ArgValue::Unknown,
        }
    }

    fn call_items(&self, items: &Rc<Vec<AbstractValue>>, place: FileRange, depth: u32) -> ArgValue {
        let mut found = Vec::new();
        for item in items.iter() {
            let Some(alt) = item.only() else { return ArgValue::Unknown };
            found.push(self.call_value(alt, place, depth - 1));
        }
        let plain = |item: &PossibleValue| match &item.value {
            ArgValue::Known(value) if !item.may_be_overridden && item.condition.is_none() => Some(value.clone()),
            _ => None,
        };
        match found.iter().map(plain).collect::<Option<Vec<Value>>>() {
            Some(values) => ArgValue::Known(Value::List(values)),
            None => ArgValue::List(found),
        }
    }

    fn call_object_value(&self, id: usize, place: FileRange, depth: u32) -> ArgValue {
        match &self.objects[id].kind {
            ObjectKind::Model(load) => ArgValue::Model(*load),
            ObjectKind::Dict { entries, open } if depth > 0 && entries.len() <= ITEMS => {
                let entries = entries.iter().map(|(key, val)| {
                    let key_place = val.alternatives.first().and_then(|alt| alt.source.key);
                    DictEntry { key: key.clone(), key_place, values: self.call_values(val, place, depth - 1) }
                });
                ArgValue::Dict { entries: entries.collect(), open: *open }
            }
            _ => self.noted.made.get(&id).map_or(ArgValue::Unknown, |index| ArgValue::ResultOf(*index)),
        }
    }
}
