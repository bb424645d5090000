//! Calls: arguments, functions and classes of the project.

use super::branch::{self, Part};
use super::interpreter::{CALL_DEPTH, Frame, Interpreter, Pending, RUNS_OF_A_FUNCTION};
use super::note::Ranges;
use super::stmt::declare;
use super::value::{Alt, Kind, Rest, Source, Val, What};
use super::words;
use std::rc::Rc;
use vramlint_base::{FileRange, TextRange, Value};
use vramlint_syntax::python::{ArgumentKind, Call, Expr, ExprKind, Function, Param, ParamKind};

/// Callees tried at most where a branch chooses what is called.
const CALLEES: usize = 4;

/// The arguments of a call, stars unfolded as far as they are known.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) positional: Vec<Val>,
    pub(super) keyword: Vec<(String, Val)>,
    /// Whether there may be more.
    pub(super) open: bool,
    /// The block of a loaded file whose keys are keywords too: `Config(**cfg["training"])`.
    pub(super) rest: Option<(usize, Vec<String>)>,
}

impl Given {
    pub(super) fn get(&self, name: &str) -> Option<&Val> {
        self.keyword.iter().rev().find(|(key, _)| key == name).map(|(_, val)| val)
    }

    /// The argument with this name, or at this place.
    pub(super) fn arg(&self, name: &str, index: usize) -> Option<&Val> {
        self.get(name).or_else(|| self.positional.get(index))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &Val> {
        self.positional.iter().chain(self.keyword.iter().map(|(_, val)| val))
    }
}

impl<'a> Interpreter<'a> {
    pub(super) fn call(&mut self, call: &'a Call, range: TextRange, scope: usize) -> Val {
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
        let mut alts = Vec::new();
        for alt in callee.alts.iter().take(CALLEES) {
            let noted = self.note_library_call(call, alt, &given, &ranges, place);
            let before = self.objects.len();
            let result = self.call_one(alt, &given, place);
            if let Some(index) = noted {
                self.made_by(index, alt, &result, before);
            }
            alts.extend(
                result
                    .alts
                    .into_iter()
                    .map(|inner| Alt { condition: branch::both(alt.condition.as_ref(), inner.condition.as_ref()), ..inner }),
            );
        }
        Val::from_alts(alts)
    }

    fn call_one(&mut self, alt: &Alt, given: &Given, place: FileRange) -> Val {
        match &alt.what {
            What::Function { id, receiver } => {
                if self.commands.contains_key(id) && given.positional.is_empty() && given.keyword.is_empty() {
                    return self.run_command(*id, *receiver, place);
                }
                self.call_function(*id, *receiver, given.clone(), place)
            }
            What::Class(class) => self.make(*class, given, place),
            What::External(path) => self.library(&path.clone(), given, place),
            What::Method(id, name) => self.method(*id, &name.clone(), given, place),
            What::Object(id) => self.call_object(*id, given, place),
            _ => {
                self.escape(given);
                Val::at(What::Unknown, place)
            }
        }
    }

    fn call_object(&mut self, id: usize, given: &Given, place: FileRange) -> Val {
        match self.objects[id].kind {
            Kind::Model(load) => {
                if self.events.without_grad > 0 {
                    self.record.models[load].inferred = true;
                    return Val::at(What::Unknown, place);
                }
                Val::at(What::Object(self.new_object(Kind::Output(load))), place)
            }
            Kind::Instance { class, .. } => {
                let function = ["__call__", "forward"].iter().find_map(|name| {
                    let val = self.class_attribute(class, name)?;
                    val.only().and_then(|alt| if let What::Function { id, .. } = alt.what { Some(id) } else { None })
                });
                if let Some(function) = function {
                    self.call_function(function, Some(id), given.clone(), place)
                } else {
                    self.escape(given);
                    Val::at(What::Unknown, place)
                }
            }
            _ => {
                self.escape(given);
                Val::at(What::Unknown, place)
            }
        }
    }

    /// The arguments, and where those are written that stand in the call itself.
    fn arguments(&mut self, call: &'a Call, scope: usize) -> (Given, Ranges) {
        let mut given = Given::default();
        let mut ranges = Ranges::default();
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
                ArgumentKind::Star => match val.only().map(|alt| &alt.what) {
                    Some(What::Items(items)) => given.positional.extend(items.iter().cloned()),
                    _ => given.open = true,
                },
                ArgumentKind::DoubleStar => self.unfold(&val, &mut given, FileRange::new(self.file_of(scope), argument.range)),
            }
        }
        (given, ranges)
    }

    /// `**val`: what it is known to hold, and whether it may hold more.
    fn unfold(&mut self, val: &Val, given: &mut Given, place: FileRange) {
        for alt in &val.alts {
            match &alt.what {
                What::Object(id) => match self.objects[*id].kind.clone() {
                    Kind::Dict { entries, open } => {
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
                    Kind::Instance { class, .. } if self.classes[class].record => {
                        given.open |= self.external_base(class).is_some();
                        for name in self.fields(class) {
                            let val = self.attribute(&Val::one(What::Object(*id), Source::default()), &name, place);
                            self.note_read(&val);
                            given.keyword.push((name, val));
                        }
                    }
                    Kind::Namespace(parser) => {
                        for dest in self.option_names(parser) {
                            let val = self.object_attribute_of(*id, &dest);
                            self.note_read(&val);
                            given.keyword.push((dest, val));
                        }
                    }
                    _ => given.open = true,
                },
                What::Loaded(load, route) => given.rest = Some((*load, (**route).clone())),
                _ => given.open = true,
            }
        }
    }

    /// Whether every alternative is a dict with this key.
    fn in_each(&self, val: &Val, key: &Value) -> bool {
        let holds = |alt: &Alt| match &alt.what {
            What::Object(id) => {
                matches!(&self.objects[*id].kind, Kind::Dict { entries, .. } if entries.iter().any(|(known, _)| known == key))
            }
            _ => false,
        };
        val.alts.len() == 1 || val.alts.iter().all(holds)
    }

    /// What happens to arguments that go where the project does not show: they may be called, read and trained there.
    pub(super) fn escape(&mut self, given: &Given) {
        for val in given.all() {
            self.escape_value(val, 4);
        }
    }

    fn escape_value(&mut self, val: &Val, depth: u32) {
        if depth == 0 {
            return;
        }
        for alt in &val.alts {
            match &alt.what {
                What::Function { id, receiver } => self.pending.push_back(Pending::Function(*id, *receiver)),
                What::Items(items) | What::Bundle(items) => items.iter().for_each(|item| self.escape_value(item, depth - 1)),
                What::Object(id) => match self.objects[*id].kind.clone() {
                    Kind::Model(load) => self.record.models[load].escaped = true,
                    Kind::Instance { class, .. } if self.mute == 0 => {
                        if self.classes[class].record {
                            self.read_fields(class);
                        } else {
                            self.pending.push_back(Pending::Instance(*id));
                        }
                    }
                    Kind::Dict { entries, .. } => entries.iter().for_each(|(_, val)| {
                        self.note_read(val);
                        self.escape_value(val, depth - 1);
                    }),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    pub(super) fn call_function(&mut self, id: usize, receiver: Option<usize>, given: Given, place: FileRange) -> Val {
        let info = &self.functions[id];
        let active = self.frames.iter().filter(|frame| frame.function == id).count();
        if self.frames.len() >= CALL_DEPTH || info.runs >= RUNS_OF_A_FUNCTION || active >= 2 {
            return Val::at(What::Unknown, place);
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
        self.run_function(id, receiver, Given { open: true, ..Given::default() }, None, true);
    }

    fn run_function(&mut self, id: usize, receiver: Option<usize>, given: Given, call: Option<FileRange>, root: bool) -> Val {
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
        let Some(frame) = self.frames.pop() else { return Val::unknown() };
        self.target = frame.target;
        let whole = FileRange::new(file, extent(def));
        match frame.returns.len() {
            0 => Val::at(What::Scalar(Value::Null), call.unwrap_or(whole)),
            1 => frame.returns.into_iter().next().map_or_else(Val::unknown, |(val, _)| val),
            _ => {
                let parts = frame.returns.into_iter().map(|(val, condition)| Part { condition, val, unchanged: false }).collect();
                branch::join(whole, parts)
            }
        }
    }

    fn bind_parameters(&mut self, id: usize, scope: usize, receiver: Option<usize>, mut given: Given, root: bool) {
        let (def, parent, class, file) = {
            let info = &self.functions[id];
            (info.def, info.scope, info.class, info.file)
        };
        let marked = |word: &str| def.decorators.iter().any(|decorator| decorator.dotted().as_deref() == Some(word));
        let mut positional = std::mem::take(&mut given.positional).into_iter();
        let mut first = class.is_some() && !marked("staticmethod");
        for param in &def.params {
            let val = match param.kind {
                ParamKind::Plain if first && receiver.is_some() => {
                    receiver.map_or_else(Val::unknown, |id| Val::one(What::Object(id), Source::default()))
                }
                ParamKind::Plain if first && marked("classmethod") => {
                    class.map_or_else(Val::unknown, |id| Val::one(What::Class(id), Source::default()))
                }
                ParamKind::Args => {
                    let rest: Vec<Val> = positional.by_ref().collect();
                    if given.open {
                        Val::unknown()
                    } else {
                        Val::at(What::Items(Rc::new(rest)), FileRange::new(file, param.range))
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
    fn unset(&mut self, param: &'a Param, scope: usize, given: &Given, root: bool, file: vramlint_base::FileId) -> Val {
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
            if let Some(What::Class(class)) = class.only().map(|alt| alt.what.clone())
                && self.classes[class].record
            {
                return Val::at(What::Object(self.make_unseen(class, Rest::Soft)), place);
            }
        }
        let source = Source { place: Some(place), name: param.name.clone(), soft: true, ..Source::default() };
        Val::one(What::Unknown, source)
    }

    pub(super) fn default_of(&mut self, default: &'a Expr, param: &Param, scope: usize, soft: bool) -> Val {
        let val = self.muted(|this| this.eval(default, scope));
        declare(val, &param.name, None).map_source(|source| {
            source.soft |= soft;
            source.default = true;
        })
    }

    /// What `**kwargs` gets: the keywords that no parameter takes.
    fn rest_of_keywords(&mut self, given: &mut Given, def: &Function, place: FileRange) -> Val {
        let named = |name: &str| {
            def.params.iter().any(|param| param.name == name && matches!(param.kind, ParamKind::Plain | ParamKind::KeywordOnly))
        };
        let mut entries: Vec<(Value, Val)> = Vec::new();
        for (name, val) in given.keyword.iter().filter(|(name, _)| !named(name)) {
            let key = Value::Text(name.clone());
            entries.retain(|(known, _)| *known != key);
            entries.push((key, val.clone()));
        }
        let open = given.open || given.rest.is_some();
        Val::at(What::Object(self.new_object(Kind::Dict { entries, open })), place)
    }

    /// Whether what a call reads says nothing about training: it is printed, logged, or batches something else.
    fn is_idle(&self, callee: &Expr, val: &Val) -> bool {
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
        if NOT_TRAINING.contains(&name) && !val.alts.iter().any(|alt| matches!(alt.what, What::Function { .. })) {
            return true;
        }
        matches!(name, "DataLoader" | "StatefulDataLoader") && self.in_evaluation()
    }

    /// Whether the code that runs now prepares an evaluation, by the names around it.
    pub(super) fn in_evaluation(&self) -> bool {
        let speaks =
            |name: &str| words::speaks_of_evaluation(name) && !words::words(name).iter().any(|word| word.starts_with("train"));
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
