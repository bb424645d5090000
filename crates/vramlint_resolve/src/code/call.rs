//! Calls: arguments, functions and classes of the project.

use super::branch::{self, BranchValue};
use super::call_recorder::ArgumentRanges;
use super::interpreter::{DeferredCall, Frame, Interpreter, MAX_CALL_DEPTH, MAX_RUNS_PER_FUNCTION};
use super::name_roles;
use super::stmt::declare;
use super::value::{AbstractValue, Alternative, FieldSource, ObjectKind, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, TextRange, Value};
use vramlint_syntax::python::{ArgumentKind, Call, Expr, ExprKind, Function, Param, ParamKind};

/// Callees tried at most where a branch chooses what is called.
const CALLEES: usize = 4;

/// The arguments of a call, stars unfolded as far as they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct CallArguments {
    pub(super) positional: Vec<AbstractValue>,
    pub(super) keyword: Vec<(String, AbstractValue)>,
    /// Whether there may be more.
    pub(super) open: bool,
    /// The block of a loaded file whose keys are keywords too: `Config(**cfg["training"])`.
    pub(super) rest: Option<(usize, Vec<String>)>,
}

impl CallArguments {
    pub(super) fn get(&self, name: &str) -> Option<&AbstractValue> {
        self.keyword.iter().rev().find(|(key, _)| key == name).map(|(_, val)| val)
    }

    /// The argument with this name, or at this place.
    pub(super) fn arg(&self, name: &str, index: usize) -> Option<&AbstractValue> {
        self.get(name).or_else(|| self.positional.get(index))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &AbstractValue> {
        self.positional.iter().chain(self.keyword.iter().map(|(_, val)| val))
    }
}

impl<'a> Interpreter<'a> {
    pub(super) fn call(&mut self, call: &'a Call, range: TextRange, scope: usize) -> AbstractValue {
        let place = FileRange::new(self.file_of(scope), range);
        let callee = self.eval(&call.callee, scope);
        let idle = self.is_idle(&call.callee, &callee);
        if idle {
            self.mute += 1;
        }
        let target = self.target.take();
        let (given, ranges) = self.arguments(call, scope);
        self.target = target;
        if idle {
            self.mute -= 1;
        }
        self.note_call(&call.callee, &callee, &given, place);
        let mut alternatives = Vec::new();
        for alt in callee.alternatives.iter().take(CALLEES) {
            let noted = self.note_library_call(call, alt, &given, &ranges, place);
            let before = self.objects.len();
            let result = self.call_one(alt, &given, place);
            if let Some(index) = noted {
                self.made_by(index, alt, &result, before);
            }
            alternatives.extend(
                result.alternatives.into_iter().map(|inner| Alternative {
                    condition: branch::both(alt.condition.as_ref(), inner.condition.as_ref()),
                    ..inner
                }),
            );
        }
        AbstractValue::from_alts(alternatives)
    }

    fn call_one(&mut self, alt: &Alternative, given: &CallArguments, place: FileRange) -> AbstractValue {
        match &alt.kind {
            ValueKind::Function { id, receiver } => {
                if self.commands.contains_key(id) && given.positional.is_empty() && given.keyword.is_empty() {
                    return self.run_command(*id, *receiver, place);
                }
                self.call_function(*id, *receiver, given.clone(), place)
            }
            ValueKind::Class(class) => self.make(*class, given, place),
            ValueKind::External(path) => self.library(&path.clone(), given, place),
            ValueKind::Method(id, name) => self.method(*id, &name.clone(), given, place),
            ValueKind::Object(id) => self.call_object(*id, given, place),
            _ => {
                self.escape(given);
                AbstractValue::at(ValueKind::Unknown, place)
            }
        }
    }

    fn call_object(&mut self, id: usize, given: &CallArguments, place: FileRange) -> AbstractValue {
        match self.objects[id].kind {
            ObjectKind::Model(load) => {
                if self.events.without_grad > 0 {
                    self.record.models[load].inferred = true;
                    return AbstractValue::at(ValueKind::Unknown, place);
                }
                AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Output(load))), place)
            }
            ObjectKind::Instance { class, .. } => {
                let function = ["__call__", "forward"].iter().find_map(|name| {
                    let val = self.class_attribute(class, name)?;
                    val.only().and_then(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None })
                });
                if let Some(function) = function {
                    self.call_function(function, Some(id), given.clone(), place)
                } else {
                    self.escape(given);
                    AbstractValue::at(ValueKind::Unknown, place)
                }
            }
            _ => {
                self.escape(given);
                AbstractValue::at(ValueKind::Unknown, place)
            }
        }
    }

    /// The arguments, and where those are written that stand in the call itself.
    fn arguments(&mut self, call: &'a Call, scope: usize) -> (CallArguments, ArgumentRanges) {
        let mut given = CallArguments::default();
        let mut ranges = ArgumentRanges::default();
        for argument in &call.args {
            let val = self.eval(&argument.value, scope);
            match &argument.kind {
                ArgumentKind::Positional => {
                    ranges.positional.resize(given.positional.len(), None);
                    ranges.positional.push(Some(argument.range));
                    given.positional.push(val);
                }
                ArgumentKind::Keyword(name, _) => {
                    ranges.keyword.resize(given.keyword.len(), None);
                    ranges.keyword.push(Some(argument.range));
                    given.keyword.push((name.clone(), val));
                }
                ArgumentKind::Star => match val.only().map(|alt| &alt.kind) {
                    Some(ValueKind::Items(items)) => given.positional.extend(items.iter().cloned()),
                    _ => given.open = true,
                },
                ArgumentKind::DoubleStar => self.unfold(&val, &mut given, FileRange::new(self.file_of(scope), argument.range)),
            }
        }
        (given, ranges)
    }

    /// `**val`: what it is known to hold, and whether it may hold more.
    fn unfold(&mut self, val: &AbstractValue, given: &mut CallArguments, place: FileRange) {
        for alt in &val.alternatives {
            match &alt.kind {
                ValueKind::Object(id) => match self.objects[*id].kind.clone() {
                    ObjectKind::Dict { entries, open } => {
                        given.open |= open;
                        for (key, entry) in entries {
                            let sure = self.in_each(val, &key);
                            if let Value::Text(key) = key {
                                self.note_read(&entry);
                                let condition = alt.condition.clone().or_else(|| (!sure).then(|| "…".into()));
                                given.keyword.push((key, entry.under(condition.as_ref())));
                            }
                        }
                    }
                    ObjectKind::Instance { class, .. } if self.classes[class].record => {
                        given.open |= self.external_base(class).is_some();
                        for name in self.fields(class) {
                            let val =
                                self.attribute(&AbstractValue::one(ValueKind::Object(*id), ValueSource::default()), &name, place);
                            self.note_read(&val);
                            given.keyword.push((name, val));
                        }
                    }
                    ObjectKind::Namespace(parser) => {
                        for dest in self.option_names(parser) {
                            let val = self.object_attribute_of(*id, &dest);
                            self.note_read(&val);
                            given.keyword.push((dest, val));
                        }
                    }
                    _ => given.open = true,
                },
                ValueKind::Loaded(load, route) => given.rest = Some((*load, (**route).clone())),
                _ => given.open = true,
            }
        }
    }

    /// Whether every alternative is a dict with this key.
    fn in_each(&self, val: &AbstractValue, key: &Value) -> bool {
        let holds = |alt: &Alternative| match &alt.kind {
            ValueKind::Object(id) => {
                matches!(&self.objects[*id].kind, ObjectKind::Dict { entries, .. } if entries.iter().any(|(known, _)| known == key))
            }
            _ => false,
        };
        val.alternatives.len() == 1 || val.alternatives.iter().all(holds)
    }

    /// What happens to arguments that go where the project does not show: they may be called, read and trained there.
    pub(super) fn escape(&mut self, given: &CallArguments) {
        for val in given.all() {
            self.escape_value(val, 4);
        }
    }

    fn escape_value(&mut self, val: &AbstractValue, depth: u32) {
        if depth == 0 {
            return;
        }
        for alt in &val.alternatives {
            match &alt.kind {
                ValueKind::Function { id, receiver } => self.pending.push_back(DeferredCall::Function(*id, *receiver)),
                ValueKind::Items(items) | ValueKind::Bundle(items) => {
                    items.iter().for_each(|item| self.escape_value(item, depth - 1))
                }
                ValueKind::Object(id) => match self.objects[*id].kind.clone() {
                    ObjectKind::Model(load) => self.record.models[load].escaped = true,
                    ObjectKind::Instance { class, .. } if self.mute == 0 => {
                        if self.classes[class].record {
                            self.read_fields(class);
                        } else {
                            self.pending.push_back(DeferredCall::Instance(*id));
                        }
                    }
                    ObjectKind::Dict { entries, .. } => entries.iter().for_each(|(_, val)| {
                        self.note_read(val);
                        self.escape_value(val, depth - 1);
                    }),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    pub(super) fn call_function(
        &mut self,
        id: usize,
        receiver: Option<usize>,
        given: CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        let info = &self.functions[id];
        let active = self.frames.iter().filter(|frame| frame.function == id).count();
        if self.frames.len() >= MAX_CALL_DEPTH || info.runs >= MAX_RUNS_PER_FUNCTION || active >= 2 {
            return AbstractValue::at(ValueKind::Unknown, place);
        }
        self.run_function(id, receiver, given, Some(place), false)
    }

    /// Runs a function of which the caller is not seen.
    pub(super) fn run_root(&mut self, id: usize, receiver: Option<usize>) {
        if self.commands.contains_key(&id) {
            let place = FileRange::new(self.functions[id].file, self.functions[id].def.name_range);
            self.run_command(id, receiver, place);
            return;
        }
        self.run_function(id, receiver, CallArguments { open: true, ..CallArguments::default() }, None, true);
    }

    fn run_function(
        &mut self,
        id: usize,
        receiver: Option<usize>,
        given: CallArguments,
        call: Option<FileRange>,
        root: bool,
    ) -> AbstractValue {
        self.functions[id].runs += 1;
        let (def, file, parent) = (self.functions[id].def, self.functions[id].file, self.functions[id].scope);
        let scope = self.new_scope(Some(parent), file);
        self.bind_parameters(id, scope, receiver, given, root);
        let target = self.target.take();
        let frame =
            Frame { function: id, returns: Vec::new(), passed: Vec::new(), guards: self.guards.len(), call, target, receiver };
        self.frames.push(frame);
        // What a caller catches is its own affair: the function itself does not go on.
        let catching = std::mem::take(&mut self.catching);
        self.block(&def.body, scope);
        self.catching = catching;
        let Some(frame) = self.frames.pop() else { return AbstractValue::unknown() };
        self.target = frame.target;
        let whole = FileRange::new(file, extent(def));
        match frame.returns.len() {
            0 => AbstractValue::at(ValueKind::Scalar(Value::Null), call.unwrap_or(whole)),
            1 => frame.returns.into_iter().next().map_or_else(AbstractValue::unknown, |(val, _)| val),
            _ => {
                let parts =
                    frame.returns.into_iter().map(|(val, condition)| BranchValue { condition, val, unchanged: false }).collect();
                branch::join(whole, parts)
            }
        }
    }

    fn bind_parameters(&mut self, id: usize, scope: usize, receiver: Option<usize>, mut given: CallArguments, root: bool) {
        let (def, parent, class, file) = {
            let info = &self.functions[id];
            (info.def, info.scope, info.class, info.file)
        };
        let marked = |word: &str| def.decorators.iter().any(|decorator| decorator.dotted().as_deref() == Some(word));
        let mut positional = std::mem::take(&mut given.positional).into_iter();
        let mut first = class.is_some() && !marked("staticmethod");
        for param in &def.params {
            let val = match param.kind {
                ParamKind::Plain if first && receiver.is_some() => receiver
                    .map_or_else(AbstractValue::unknown, |id| AbstractValue::one(ValueKind::Object(id), ValueSource::default())),
                ParamKind::Plain if first && marked("classmethod") => class
                    .map_or_else(AbstractValue::unknown, |id| AbstractValue::one(ValueKind::Class(id), ValueSource::default())),
                ParamKind::Args => {
                    let rest: Vec<AbstractValue> = positional.by_ref().collect();
                    if given.open {
                        AbstractValue::unknown()
                    } else {
                        AbstractValue::at(ValueKind::Items(Rc::new(rest)), FileRange::new(file, param.range))
                    }
                }
                ParamKind::Kwargs => self.rest_of_keywords(&mut given, def, FileRange::new(file, param.range)),
                ParamKind::Plain | ParamKind::KeywordOnly => {
                    let from_position = if param.kind == ParamKind::Plain { positional.next() } else { None };
                    let given_val = from_position.or_else(|| given.get(&param.name).cloned());
                    match given_val {
                        Some(val) => declare(val, &param.name, None),
                        None => self.unset(param, parent, &given, root, file),
                    }
                }
            };
            first = false;
            self.scopes[scope].vars.insert(param.name.clone(), val);
        }
    }

    /// The value of a parameter that the call does not name.
    fn unset(
        &mut self,
        param: &'a Param,
        scope: usize,
        given: &CallArguments,
        root: bool,
        file: vramlint_base::FileId,
    ) -> AbstractValue {
        let place = FileRange::new(file, param.range);
        if let Some((load, route)) = &given.rest {
            let own = self.loaded(*load, &Rc::new(route.clone()), &param.name, place);
            return match &param.default {
                Some(default) => own.or_else(self.default_of(default, param, scope, true)),
                None => own,
            };
        }
        if let Some(default) = &param.default {
            return self.default_of(default, param, scope, root || given.open);
        }
        if root && let Some(annotation) = &param.annotation {
            let class = self.muted(|this| this.eval(annotation, scope));
            if let Some(ValueKind::Class(class)) = class.only().map(|alt| alt.kind.clone())
                && self.classes[class].record
            {
                return AbstractValue::at(ValueKind::Object(self.make_unseen(class, FieldSource::Soft)), place);
            }
        }
        let source = ValueSource { place: Some(place), name: param.name.clone(), soft: true, ..ValueSource::default() };
        AbstractValue::one(ValueKind::Unknown, source)
    }

    pub(super) fn default_of(&mut self, default: &'a Expr, param: &Param, scope: usize, soft: bool) -> AbstractValue {
        let val = self.muted(|this| this.eval(default, scope));
        declare(val, &param.name, None).map_source(|source| {
            source.soft |= soft;
            source.default = true;
        })
    }

    /// What `**kwargs` gets: the keywords that no parameter takes.
    fn rest_of_keywords(&mut self, given: &mut CallArguments, def: &Function, place: FileRange) -> AbstractValue {
        let named = |name: &str| {
            def.params.iter().any(|param| param.name == name && matches!(param.kind, ParamKind::Plain | ParamKind::KeywordOnly))
        };
        let mut entries: Vec<(Value, AbstractValue)> = Vec::new();
        for (name, val) in given.keyword.iter().filter(|(name, _)| !named(name)) {
            let key = Value::Text(name.clone());
            entries.retain(|(known, _)| *known != key);
            entries.push((key, val.clone()));
        }
        let open = given.open || given.rest.is_some();
        AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Dict { entries, open })), place)
    }

    /// Whether what a call reads says nothing about training: it is printed, logged, or batches something else.
    fn is_idle(&self, callee: &Expr, val: &AbstractValue) -> bool {
        const NOT_TRAINING: &[&str] =
            &["print", "map", "encode", "batch_encode_plus", "pipeline", "filter", "log", "info", "debug", "warning", "pprint"];
        if let Some(path) = val.external() {
            let root = path.split('.').next().unwrap_or("");
            if matches!(root, "logging" | "wandb" | "loguru" | "mlflow" | "swanlab" | "warnings" | "rich") {
                return true;
            }
        }
        let name = match &callee.kind {
            ExprKind::Name(name) | ExprKind::Attribute(_, name, _) => name.as_str(),
            _ => return false,
        };
        if NOT_TRAINING.contains(&name) && !val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Function { .. })) {
            return true;
        }
        matches!(name, "DataLoader" | "StatefulDataLoader") && self.in_evaluation()
    }

    /// Whether the code that runs now prepares an evaluation, by the names around it.
    pub(super) fn in_evaluation(&self) -> bool {
        let speaks = |name: &str| {
            name_roles::speaks_of_evaluation(name) && !name_roles::words(name).iter().any(|word| word.starts_with("train"))
        };
        self.target.as_deref().is_some_and(speaks)
            || self
                .frames
                .iter()
                .any(|frame| speaks(&self.functions[frame.function].def.name) || frame.target.as_deref().is_some_and(speaks))
    }
}

/// From the name of a function to its last statement.
fn extent(def: &Function) -> TextRange {
    def.body.last().map_or(def.name_range, |last| def.name_range.cover(last.range))
}
