//! Records library calls and the objects they return.

use super::call_arguments::{ArgumentRanges, CallArguments};
use super::call_values::{self, ValueReader};
use super::conditions::conjoin;
use super::control_flow::ControlFlow;
use super::definitions::Definitions;
use super::heap::{Heap, ObjectKind};
use super::model_record::ModelRecord;
use super::qualified_name::{UNKNOWN_LIBRARY, library};
use super::recorded_call::{ArgValue, CallArgument, LibraryCall};
use super::scopes::Scopes;
use super::value::{AbstractValue, Alternative, ValueKind};
use std::collections::HashMap;
use vramlint_base::FileRange;
use vramlint_catalog::libraries;
use vramlint_syntax::python::{Call, ExprKind};

/// Maximum number of recorded calls.
const MAX_CALLS: usize = 1000;

/// Parts of torch that take part in training; calls of tensors and layers are not recorded.
const RECORDED_TORCH_PARTS: &[&str] = &[
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
/// Methods that are recorded even if their receiver is unknown.
const METHODS_OF_UNKNOWN: &[&str] =
    &["backward", "gradient_checkpointing_enable", "gradient_checkpointing_disable", "enable_input_require_grads"];

/// The calls so far.
#[derive(Default)]
pub(super) struct CallRecorder {
    calls: Vec<LibraryCall>,
    /// The call that made each object, by its index in the heap.
    producers: HashMap<usize, usize>,
    /// Indices of calls by place, call chain and full name.
    index: HashMap<(FileRange, Vec<FileRange>, String), usize>,
    /// Whether the code that runs has no visible caller.
    pub(super) uncalled: bool,
    /// Whether only calls are still wanted: files that are loaded from now on are in no list.
    pub(super) calls_only: bool,
}

/// The state that calls are read from.
#[derive(Clone, Copy)]
pub(super) struct CallView<'s, 'a> {
    pub(super) heap: &'s Heap,
    pub(super) definitions: &'s Definitions<'a>,
    pub(super) scopes: &'s Scopes,
    pub(super) models: &'s [ModelRecord],
}

/// Where a call is made.
pub(super) struct CallSite<'s> {
    pub(super) place: FileRange,
    pub(super) control: &'s ControlFlow,
    pub(super) assigned_to: Option<&'s str>,
    pub(super) without_grad: bool,
}

/// What is called.
struct CallTarget {
    /// The full name.
    path: String,
    /// What a method is called on.
    receiver: Option<ArgValue>,
    /// Whether it is a class of the project made from a library's.
    is_subclass: bool,
}

/// Whether calls of this full name are recorded.
fn is_recorded(path: &str) -> bool {
    if library(path).and_then(libraries::find).is_some_and(|found| found.calls_recorded) {
        return true;
    }
    let mut parts = path.split('.');
    parts.next() == Some("torch")
        && match parts.next() {
            // A container may be the whole model that is prepared.
            Some("nn") => {
                path.contains("parallel")
                    || path.contains("DataParallel")
                    || path.contains(".utils.")
                    || path == "torch.nn.Sequential"
            }
            Some(part) => RECORDED_TORCH_PARTS.contains(&part),
            None => false,
        }
}

impl CallRecorder {
    /// Records a call of one of the alternatives of its callee. Returns the index of the call if it is one of a library.
    pub(super) fn record(
        &mut self,
        view: CallView<'_, '_>,
        site: &CallSite<'_>,
        call: &Call,
        alt: &Alternative,
        args: (&CallArguments, &ArgumentRanges),
    ) -> Option<usize> {
        let (args, ranges) = args;
        let place = site.place;
        let CallTarget { path, receiver, is_subclass } = self.target(view, call, alt)?;
        let key = (place, site.control.call_chain(), path);
        if let Some(index) = self.index.get(&key) {
            return Some(*index);
        }
        if self.calls.len() >= MAX_CALLS {
            return None;
        }
        let condition = conjoin(site.control.guards.condition().as_ref(), alt.condition.as_ref());
        let values = self.value_reader(view.heap);
        let mut arguments = values.arguments(args, ranges, place);
        let mut fields_known = false;
        if let ValueKind::Class(class) = &alt.kind
            && is_subclass
            && view.definitions.is_plain_record(view.scopes, *class)
        {
            fields_known = true;
            add_field_defaults(view, values, *class, &mut arguments, place);
        }
        let recorded = LibraryCall {
            file: place.file,
            place,
            callee: FileRange::new(place.file, call.callee.range),
            path: key.2.clone(),
            receiver,
            arguments,
            open: args.open || args.unpacked_block.is_some(),
            unpacked_block: args.unpacked_block.clone().filter(|_| !self.calls_only),
            is_subclass,
            fields_known,
            assigned: Vec::new(),
            assigned_to: site.assigned_to.map(str::to_string),
            conditional: condition.is_some(),
            condition: condition.map(|condition| condition.to_string()),
            caught: site.control.catching > 0,
            without_grad: site.without_grad,
            in_loop: !site.control.loops.is_empty(),
            uncalled: self.uncalled,
            call_chain: key.1.clone(),
        };
        let index = self.calls.len();
        self.calls.push(recorded);
        self.index.insert(key, index);
        Some(index)
    }

    fn value_reader<'s>(&'s self, heap: &'s Heap) -> ValueReader<'s> {
        ValueReader { heap, producers: &self.producers, with_loads: !self.calls_only }
    }

    /// What one alternative of a callee is, if calls of it are recorded.
    fn target(&self, view: CallView<'_, '_>, call: &Call, alt: &Alternative) -> Option<CallTarget> {
        match &alt.kind {
            ValueKind::External(path) => {
                is_recorded(path).then(|| CallTarget { path: path.to_string(), receiver: None, is_subclass: false })
            }
            ValueKind::Method(id, name) => self.method_target(view, *id, name),
            ValueKind::Class(class) => {
                let base = view.definitions.external_base(*class).filter(|base| is_recorded(base))?;
                let initializer = view.definitions.initializer(view.scopes, *class);
                initializer.is_none().then(|| CallTarget { path: base.to_string(), receiver: None, is_subclass: true })
            }
            ValueKind::Unknown => match &call.callee.kind {
                ExprKind::Attribute(_, name, _) if METHODS_OF_UNKNOWN.contains(&name.as_str()) => {
                    Some(CallTarget { path: format!("{UNKNOWN_LIBRARY}.{name}"), receiver: None, is_subclass: false })
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn method_target(&self, view: CallView<'_, '_>, id: usize, name: &str) -> Option<CallTarget> {
        let producer = || self.producers.get(&id).map(|index| ArgValue::ResultOf(*index));
        let recorded_base = |class| view.definitions.external_base(class).filter(|base| is_recorded(base));
        let target = |path, receiver, is_subclass| Some(CallTarget { path, receiver, is_subclass });
        match &view.heap[id].kind {
            ObjectKind::Model(load) => {
                let class = view.models[*load].class.trim_end_matches(".from_pretrained");
                target(format!("{class}.{name}"), Some(ArgValue::Model(*load)), false)
            }
            ObjectKind::Output(load) if name == "backward" => {
                target("torch.Tensor.backward".into(), Some(ArgValue::Model(*load)), false)
            }
            ObjectKind::Library(path) if is_recorded(path) => target(format!("{path}.{name}"), producer(), false),
            ObjectKind::Super { class, .. } => {
                let base = recorded_base(*class)?;
                let path = if name == "__init__" { base.to_string() } else { format!("{base}.{name}") };
                target(path, None, true)
            }
            ObjectKind::Instance { class, .. } => target(format!("{}.{name}", recorded_base(*class)?), producer(), true),
            _ => None,
        }
    }

    /// Records which call made the objects in `result` that did not exist `before`.
    pub(super) fn record_result(
        &mut self,
        heap: &Heap,
        index: usize,
        callee: &Alternative,
        result: &AbstractValue,
        before: usize,
    ) {
        if let ValueKind::Method(id, name) = &callee.kind
            && let ObjectKind::Super { object, .. } = heap[*id].kind
            && &**name == "__init__"
        {
            self.producers.insert(object, index);
        }
        for alt in &result.alternatives {
            match &alt.kind {
                ValueKind::Object(id) if *id >= before => {
                    self.producers.entry(*id).or_insert(index);
                }
                ValueKind::Items(items) => {
                    for id in items.iter().flat_map(AbstractValue::objects).filter(|id| *id >= before) {
                        self.producers.entry(id).or_insert(index);
                    }
                }
                _ => {}
            }
        }
    }

    /// The calls, with the attributes that are set on what they returned.
    pub(super) fn take_calls(&mut self, heap: &Heap) -> Vec<LibraryCall> {
        let mut calls = std::mem::take(&mut self.calls);
        let mut produced: Vec<(usize, usize)> = self.producers.iter().map(|(object, call)| (*object, *call)).collect();
        produced.sort_unstable();
        for (object, index) in produced {
            if matches!(heap[object].kind, ObjectKind::Instance { .. }) {
                continue;
            }
            let attributes = &heap[object].attributes;
            let mut names: Vec<&String> = attributes.keys().filter(|name| !name.starts_with("__")).collect();
            names.sort_unstable();
            for name in names {
                let values = self.value_reader(heap).alternatives(&attributes[name], calls[index].place, call_values::DEPTH);
                calls[index].assigned.push(CallArgument::implicit(name.clone(), values));
            }
        }
        calls
    }
}

/// The defaults of the fields of a class, after what a call gives.
fn add_field_defaults(
    view: CallView<'_, '_>,
    values: ValueReader<'_>,
    class: usize,
    arguments: &mut Vec<CallArgument>,
    place: FileRange,
) {
    for name in view.definitions.fields(class) {
        if arguments.iter().any(|argument| argument.name.as_deref() == Some(name.as_str())) {
            continue;
        }
        if let Some(val) = view.definitions.class_attribute(view.scopes, class, &name) {
            let values = values.alternatives(&val, place, call_values::DEPTH);
            arguments.push(CallArgument::implicit(name, values));
        }
    }
}
