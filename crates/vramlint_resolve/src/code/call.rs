//! Calls: arguments, functions and classes of the project.

use super::call_arguments::{ArgumentRanges, CallArguments};
use super::call_recorder::{CallSite, CallView};
use super::conditions::conjoin;
use super::control_flow::Frame;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::linear_layers::returns_linear_layers;
use super::merge::{BranchValue, merge_branches};
use super::name_roles::{self, split_words};
use super::training_loop::{is_backward, stops_gradients};
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource};
use vramlint_base::{FileRange, TextRange, Value};
use vramlint_syntax::python::{ArgumentKind, Call, Expr, ExprKind, Function};

/// Maximum number of callees that are tried if a branch decides what is called.
const CALLEES: usize = 4;
/// Maximum depth of calls.
const MAX_CALL_DEPTH: usize = 20;
/// Maximum number of runs of one function that are open at once.
const MAX_RECURSION: usize = 4;
/// Maximum number of runs of one function.
const MAX_RUNS_PER_FUNCTION: u32 = 30;

impl<'a> Interpreter<'a> {
    pub(super) fn call(&mut self, call: &'a Call, range: TextRange, scope: usize) -> AbstractValue {
        let place = FileRange::new(self.scopes[scope].file, range);
        let callee = self.eval(&call.callee, scope);
        let prints = prints(&call.callee, &callee);
        let idle = prints || self.is_irrelevant_to_training(&call.callee, &callee);
        if idle {
            self.reads.mute();
        }
        let target = self.assigned_to.take();
        let (args, ranges) = self.arguments(call, scope);
        self.assigned_to = target;
        // What is mapped is given to a function that reads it.
        if idle && !prints {
            self.reads.unmute();
        }
        self.note_cut(&args, place);
        self.note_tokenizer(&callee, &args);
        let result = self.call_with(call, &callee, (&args, &ranges), place, scope);
        if prints {
            self.reads.unmute();
        }
        result
    }

    /// Calls what `callee` stands for with these arguments.
    fn call_with(
        &mut self,
        call: &'a Call,
        callee: &AbstractValue,
        (args, ranges): (&CallArguments, &ArgumentRanges),
        place: FileRange,
        scope: usize,
    ) -> AbstractValue {
        self.training.observe_call(self.evaluates(), &call.callee, callee, args, &self.heap, &self.control.loops, place);
        if is_backward(&call.callee) {
            self.mark_backward_trained(callee, args);
            if !self.evaluates() {
                let chain = self.chain_to(place);
                self.training.forwards.add_backward(chain, self.control.condition().is_some());
            }
        }
        self.observe_unseen_call(call, callee, args);
        if !is_own(callee) && places_model(&call.callee, args) {
            return args.positional.first().cloned().unwrap_or_else(AbstractValue::unknown);
        }
        self.grow_list(&call.callee, args, place, scope);
        let instantiates = |path: &str| matches!(path, "hydra.utils.instantiate" | "hydra.utils.call");
        if callee.library_path().is_some_and(|path| instantiates(&path))
            && let Some(made) = self.instantiate_configured(call, args, place)
        {
            return made;
        }
        self.invoke(call, callee, (args, ranges), place)
    }

    /// Calls every alternative of a callee.
    pub(super) fn invoke(
        &mut self,
        call: &Call,
        callee: &AbstractValue,
        (args, ranges): (&CallArguments, &ArgumentRanges),
        place: FileRange,
    ) -> AbstractValue {
        let mut alternatives = Vec::new();
        for alt in callee.alternatives.iter().take(CALLEES) {
            let recorded = self.record_call(call, alt, (args, ranges), place);
            let before = self.heap.len();
            let result = self.call_alternative(alt, args, place);
            if let Some(index) = recorded {
                self.recorder.record_result(&self.heap, index, alt, &result, before);
            }
            alternatives.extend(result.alternatives.into_iter().map(|inner| Alternative {
                condition: conjoin(alt.condition.as_ref(), inner.condition.as_ref()),
                fallback: inner.fallback || alt.fallback,
                ..inner
            }));
        }
        AbstractValue::from_alternatives(alternatives)
    }

    /// Records a call if it is one of a library.
    fn record_call(
        &mut self,
        call: &Call,
        alt: &Alternative,
        args: (&CallArguments, &ArgumentRanges),
        place: FileRange,
    ) -> Option<usize> {
        let view =
            CallView { heap: &self.heap, definitions: &self.definitions, scopes: &self.scopes, models: &self.facts.models };
        let site = CallSite {
            place,
            control: &self.control,
            assigned_to: self.assigned_to.as_deref(),
            without_grad: self.training.without_grad > 0,
        };
        self.recorder.record(view, &site, call, alt, args)
    }

    fn call_alternative(&mut self, alt: &Alternative, args: &CallArguments, place: FileRange) -> AbstractValue {
        match &alt.kind {
            ValueKind::Function { id, receiver } => {
                if self.command_line.commands.contains_key(id) && args.positional.is_empty() && args.keyword.is_empty() {
                    return self.run_command(*id, *receiver, place);
                }
                self.call_function(*id, *receiver, args.clone(), place)
            }
            ValueKind::Class(class) => self.instantiate(*class, args, place),
            ValueKind::External(path) => self.library(&path.clone(), args, place),
            ValueKind::Method(id, name) => self.call_method(*id, &name.clone(), args, place),
            ValueKind::Object(id) => self.call_object(*id, args, place),
            _ => {
                self.escape(args);
                AbstractValue::located(ValueKind::Unknown, place)
            }
        }
    }

    fn call_object(&mut self, id: usize, args: &CallArguments, place: FileRange) -> AbstractValue {
        match self.heap[id].kind {
            ObjectKind::Model(load) => {
                if self.training.without_grad > 0 {
                    self.facts.models[load].inferred = true;
                    return AbstractValue::located(ValueKind::Unknown, place);
                }
                if !self.control.loops.is_empty() && !self.in_evaluation() {
                    let chain = self.chain_to(place);
                    self.training.forwards.add(load, chain, self.control.condition().is_some());
                }
                AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Output(load))), place)
            }
            ObjectKind::Instance { class, .. } => {
                let function = ["__call__", "forward"].iter().find_map(|name| {
                    let val = self.definitions.class_attribute(&self.scopes, class, name)?;
                    val.single().and_then(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None })
                });
                if let Some(function) = function {
                    self.call_function(function, Some(id), args.clone(), place)
                } else {
                    self.escape(args);
                    AbstractValue::located(ValueKind::Unknown, place)
                }
            }
            _ => {
                self.escape(args);
                AbstractValue::located(ValueKind::Unknown, place)
            }
        }
    }

    /// The arguments, and the ranges of those that are written in the call itself.
    fn arguments(&mut self, call: &'a Call, scope: usize) -> (CallArguments, ArgumentRanges) {
        let mut args = CallArguments::default();
        let mut ranges = ArgumentRanges::default();
        for argument in &call.args {
            let value = match (&argument.kind, &argument.value.kind) {
                // `field(default_factory=lambda: […])` takes what the factory makes.
                (ArgumentKind::Keyword(name, _), ExprKind::Lambda(parts)) if name == "default_factory" && parts.len() == 1 => {
                    &parts[0]
                }
                _ => &argument.value,
            };
            let val = self.eval(value, scope);
            match &argument.kind {
                ArgumentKind::Positional => {
                    ranges.positional.resize(args.positional.len(), None);
                    ranges.positional.push(Some(argument.range));
                    args.positional.push(val);
                }
                ArgumentKind::Keyword(name, _) => {
                    ranges.keyword.resize(args.keyword.len(), None);
                    ranges.keyword.push(Some(argument.range));
                    args.keyword.push((name.clone(), val));
                }
                ArgumentKind::Star => match val.single().map(|alt| &alt.kind) {
                    Some(ValueKind::Items(items)) => args.positional.extend(items.iter().cloned()),
                    _ => args.open = true,
                },
                ArgumentKind::DoubleStar => {
                    self.unpack_keywords(&val, &mut args, FileRange::new(self.scopes[scope].file, argument.range));
                }
            }
        }
        (args, ranges)
    }

    /// `**val`: its known entries, and whether it may have more.
    fn unpack_keywords(&mut self, val: &AbstractValue, args: &mut CallArguments, place: FileRange) {
        for alt in &val.alternatives {
            match &alt.kind {
                ValueKind::Object(id) => match self.heap[*id].kind.clone() {
                    ObjectKind::Dict { entries, open } => {
                        args.open |= open;
                        for (key, entry) in entries {
                            // Many calls may each unpack a large dict.
                            if !self.budget.step() {
                                args.open = true;
                                break;
                            }
                            let sure = self.heap.every_dict_has(val, &key);
                            if let Value::Text(key) = key {
                                self.reads.log(&entry);
                                let condition = alt.condition.clone().or_else(|| (!sure).then(|| "…".into()));
                                args.keyword.push((key, entry.under_condition(condition.as_ref())));
                            }
                        }
                    }
                    ObjectKind::Instance { class, .. } if self.definitions.classes[class].is_record => {
                        args.unpacked_objects.push(*id);
                        args.open |= self.definitions.external_base(class).is_some();
                        for name in self.definitions.fields(class) {
                            let val =
                                self.attribute(&AbstractValue::new(ValueKind::Object(*id), ValueSource::default()), &name, place);
                            self.reads.log(&val);
                            args.keyword.push((name, val));
                        }
                    }
                    ObjectKind::Namespace(parser) => {
                        for dest in self.option_names(parser) {
                            let val = self.object_attribute_of(*id, &dest);
                            self.reads.log(&val);
                            args.keyword.push((dest, val));
                        }
                    }
                    ObjectKind::Library(_) => {
                        args.unpacked_objects.push(*id);
                        args.open = true;
                    }
                    _ => args.open = true,
                },
                ValueKind::Loaded(load, route) => {
                    args.unpacked_block = Some((*load, (**route).clone()));
                    for (key, val) in self.loaded_entries(*load, route, place).unwrap_or_default() {
                        self.reads.log(&val);
                        args.keyword.push((key, val.under_condition(alt.condition.as_ref())));
                    }
                }
                _ => args.open = true,
            }
        }
    }

    pub(super) fn call_function(
        &mut self,
        id: usize,
        receiver: Option<usize>,
        args: CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        let info = &self.definitions.functions[id];
        let active = self.control.frames.iter().filter(|frame| frame.function == id).count();
        if self.control.frames.len() >= MAX_CALL_DEPTH || info.runs >= MAX_RUNS_PER_FUNCTION || active >= MAX_RECURSION {
            return AbstractValue::located(ValueKind::Unknown, place);
        }
        if returns_linear_layers(info.def) {
            return AbstractValue::located(ValueKind::Scalar(Value::Text("all-linear".to_string())), place);
        }
        if self.control.guards.is_empty() && replaces_attention(&info.def.name) {
            self.facts.attention_kernels.insert(info.def.name.clone());
        }
        let args = self.with_decorated_arguments(id, args, place);
        self.note_use(id, true);
        self.run_function(id, receiver, args, Some(place), false)
    }

    /// Runs a function without a visible caller.
    pub(super) fn run_without_caller(&mut self, id: usize, receiver: Option<usize>) {
        if self.command_line.commands.contains_key(&id) {
            let place = FileRange::new(self.definitions.functions[id].file, self.definitions.functions[id].def.name_range);
            self.run_command(id, receiver, place);
            return;
        }
        self.run_function(id, receiver, CallArguments { open: true, ..CallArguments::default() }, None, true);
    }

    fn run_function(
        &mut self,
        id: usize,
        receiver: Option<usize>,
        args: CallArguments,
        call: Option<FileRange>,
        root: bool,
    ) -> AbstractValue {
        self.definitions.functions[id].runs += 1;
        let (def, file, parent) =
            (self.definitions.functions[id].def, self.definitions.functions[id].file, self.definitions.functions[id].scope);
        let scope = self.scopes.open(Some(parent), file);
        self.bind_parameters(id, scope, receiver, args, root);
        let assigned_to = self.assigned_to.take();
        let frame = Frame {
            function: id,
            returns: Vec::new(),
            passed: Vec::new(),
            guards: self.control.guards.depth(),
            call,
            assigned_to,
            receiver,
        };
        self.control.frames.push(frame);
        // Handlers of the caller do not apply here: after an error, the function itself does not continue.
        let catching = std::mem::take(&mut self.control.catching);
        let without_grad = def.decorators.iter().any(stops_gradients);
        let infers = without_grad || speaks_of_evaluation(&def.name);
        self.training.without_grad += u32::from(without_grad);
        if infers {
            self.reads.begin_inference();
        }
        self.block(&def.body, scope);
        if infers {
            self.reads.end_inference();
        }
        self.training.without_grad -= u32::from(without_grad);
        self.control.catching = catching;
        let Some(frame) = self.control.frames.pop() else { return AbstractValue::unknown() };
        self.assigned_to = frame.assigned_to;
        let whole = FileRange::new(file, extent(def));
        match frame.returns.len() {
            0 => AbstractValue::located(ValueKind::Scalar(Value::Null), call.unwrap_or(whole)),
            1 => frame.returns.into_iter().next().map_or_else(AbstractValue::unknown, |(val, _)| val),
            _ => {
                let parts =
                    frame.returns.into_iter().map(|(val, condition)| BranchValue { condition, val, unchanged: false }).collect();
                merge_branches(whole, parts)
            }
        }
    }

    /// Whether the arguments of a call say nothing about training: they batch something else.
    fn is_irrelevant_to_training(&self, callee: &Expr, val: &AbstractValue) -> bool {
        let name = method_name(callee);
        name.is_some_and(|name| matches!(name, "map" | "encode" | "batch_encode_plus" | "pipeline" | "filter") && !is_own(val))
            || name.is_some_and(|name| matches!(name, "DataLoader" | "StatefulDataLoader")) && self.in_evaluation()
    }

    /// Whether a function that evaluates is running.
    fn evaluates(&self) -> bool {
        self.control.frames.iter().any(|frame| is_evaluation(&self.definitions.functions[frame.function].def.name))
    }

    /// The calls of functions of the project that lead to a call, and the call.
    fn chain_to(&self, place: FileRange) -> Vec<FileRange> {
        let mut chain = self.control.call_chain();
        chain.push(place);
        chain
    }

    /// Whether the current code prepares an evaluation, judging by the names around it.
    pub(super) fn in_evaluation(&self) -> bool {
        let speaks = speaks_of_evaluation;
        self.assigned_to.as_deref().is_some_and(speaks)
            || self.control.frames.iter().any(|frame| {
                speaks(&self.definitions.functions[frame.function].def.name) || frame.assigned_to.as_deref().is_some_and(speaks)
            })
    }
}

/// Whether a function evaluates, judging by its name: `evaluate_model`.
fn is_evaluation(name: &str) -> bool {
    let words = split_words(name);
    words.first().is_some_and(|word| word.starts_with("eval")) && !words.iter().any(|word| word.contains("train"))
}

/// Whether a call only prints or logs its arguments.
fn prints(callee: &Expr, val: &AbstractValue) -> bool {
    let path = val.library_path();
    let root = path.as_deref().and_then(|path| path.split('.').next());
    root.is_some_and(|root| matches!(root, "logging" | "wandb" | "loguru" | "mlflow" | "swanlab" | "warnings" | "rich"))
        || method_name(callee)
            .is_some_and(|name| matches!(name, "print" | "log" | "info" | "debug" | "warning" | "pprint") && !is_own(val))
}

/// Whether a function of the project is called.
fn is_own(val: &AbstractValue) -> bool {
    val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Function { .. }))
}

fn method_name(callee: &Expr) -> Option<&str> {
    match &callee.kind {
        ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => Some(name.as_str()),
        _ => None,
    }
}

/// Whether a name means evaluation, and not training as well.
pub(super) fn speaks_of_evaluation(name: &str) -> bool {
    name_roles::is_evaluation_name(name) && !split_words(name).iter().any(|word| word.starts_with("train"))
}

/// The range from the name of a function to its last statement.
fn extent(def: &Function) -> TextRange {
    def.body.last().map_or(def.name_range, |last| def.name_range.cover(last.range))
}

/// Whether a function puts a kernel in the place of a model's attention, by its name: `replace_llama_attn_with_flash_attn` of `FastChat`, and
/// what others name after it.
fn replaces_attention(name: &str) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    name.starts_with("replace_") && has(&["flash", "xformers"]) && has(&["attn", "attention"])
}

/// Whether a call puts a model on a device without training it: methods of a trainer, which classes of the project inherit, and of its
/// accelerator (transformers 5.23.0 trainer.py `_move_model_to_device`, accelerate 1.15.0 accelerator.py `prepare_model`).
fn places_model(callee: &Expr, args: &CallArguments) -> bool {
    let ExprKind::Attribute(_, name, _) = &callee.kind else { return false };
    match name.as_str() {
        "_move_model_to_device" => true,
        "prepare_model" => args.get("evaluation_mode").and_then(AbstractValue::constant) == Some(&Value::Bool(true)),
        _ => false,
    }
}
