//! Functions whose parameters come from the command line: fire, click, typer, hydra.

use super::call_arguments::CallArguments;
use super::command_line::{CommandKind, OptionDeclaration, OptionForm, WordType, both_spellings, dest_of};
use super::composition::compose;
use super::control_flow::DeferredCall;
use super::facts::{LoadRole, LoadedFile};
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::modules;
use super::qualified_name::{leaf, library};
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::data::Loader;
use vramlint_syntax::python::{ArgumentKind, Call, Expr, ExprKind, Function, Param, ParamKind};

impl<'a> Interpreter<'a> {
    /// `fire.Fire(…)`: a function, a class, a dict or list of them, or everything in the module.
    pub(super) fn call_fire(&mut self, component: Option<AbstractValue>, place: FileRange) {
        let Some(component) = component else {
            let functions: Vec<usize> = (0..self.definitions.functions.len())
                .filter(|id| {
                    self.definitions.functions[*id].file == place.file && self.definitions.functions[*id].class.is_none()
                })
                .collect();
            for id in functions {
                self.command_line.commands.insert(id, CommandKind::Fire);
                self.deferred.push_back(DeferredCall::Function(id, None));
            }
            return;
        };
        for alt in &component.alternatives {
            match &alt.kind {
                ValueKind::Function { id, receiver } => {
                    self.command_line.commands.insert(*id, CommandKind::Fire);
                    self.run_command(*id, *receiver, place);
                }
                ValueKind::Class(class) => self.fire_class(*class, place),
                ValueKind::Items(items) => items.iter().for_each(|item| self.call_fire(Some(item.clone()), place)),
                ValueKind::Object(id) => match self.heap[*id].kind.clone() {
                    ObjectKind::Dict { entries, .. } => {
                        let named = entries.iter().find(|(key, _)| self.names_command(key.as_str())).cloned();
                        match named {
                            Some((_, val)) => self.call_fire(Some(val), place),
                            None => entries.into_iter().for_each(|(_, val)| self.call_fire(Some(val), place)),
                        }
                    }
                    ObjectKind::Instance { class, .. } => self.fire_instance(*id, class, place),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn fire_class(&mut self, class: usize, place: FileRange) {
        self.definitions.classes[class].made = true;
        let id = self.new_object(ObjectKind::Instance { class, rest: FieldSource::Class });
        if let Some(function) = self.definitions.initializer(&self.scopes, class) {
            self.command_line.commands.insert(function, CommandKind::Fire);
            self.run_command(function, Some(id), place);
        }
        self.fire_instance(id, class, place);
    }

    /// Whether the first word of the command line is this one.
    fn names_command(&self, name: Option<&str>) -> bool {
        name.is_some() && self.command_line.arguments.positional.first().and_then(Option::as_deref) == name
    }

    /// Runs the method that the first word names; any of them if it is not known.
    fn fire_instance(&mut self, id: usize, class: usize, place: FileRange) {
        let word = self.command_line.arguments.positional.first().cloned().flatten();
        let method = word.and_then(|name| self.definitions.class_attribute(&self.scopes, class, &name));
        match method.and_then(|val| val.single().map(|alt| alt.kind.clone())) {
            Some(ValueKind::Function { id: method, .. }) => {
                self.command_line.commands.insert(method, CommandKind::Fire);
                self.run_command(method, Some(id), place);
            }
            _ => self.deferred.push_back(DeferredCall::Instance(id)),
        }
    }

    /// Options that no parameter takes, for the `**kwargs` of a function that fire calls.
    fn other_options(&self, def: &Function, place: FileRange) -> Vec<(String, AbstractValue)> {
        if !def.params.iter().any(|param| param.kind == ParamKind::Kwargs) {
            return Vec::new();
        }
        let options = self.command_line.arguments.options.iter().filter(|given| !given.assigned);
        let names = options.map(|given| dest_of(std::slice::from_ref(&given.name)));
        let others = names.filter(|name| def.params.iter().all(|param| param.name != *name));
        let value = |name: String| {
            let absent = AbstractValue::located(ValueKind::Unknown, place);
            let val = self.command_line.as_option_value(absent, &name, &[], &OptionForm::default());
            (name, val)
        };
        others.map(value).collect()
    }

    /// Runs a function whose parameters come from the command line.
    pub(super) fn run_command(&mut self, id: usize, receiver: Option<usize>, place: FileRange) -> AbstractValue {
        let command = self.command_line.commands.get(&id).copied().unwrap_or(CommandKind::Options);
        let def = self.definitions.functions[id].def;
        let mut args = CallArguments::default();
        match command {
            CommandKind::Hydra(load) => {
                let source = ValueSource { place: Some(place), may_be_overridden: true, ..ValueSource::default() };
                args.positional.push(AbstractValue::new(ValueKind::Loaded(load, Rc::default()), source));
            }
            CommandKind::Dataclass => {
                if let Some(annotation) = def.params.first().and_then(|param| param.annotation.as_ref()) {
                    let scope = self.definitions.functions[id].scope;
                    let class = self.without_reads(|this| this.eval(annotation, scope));
                    self.declare_fields(std::slice::from_ref(&class), place);
                    args.positional.push(self.parsed_class(&class, &FieldSource::Options, place));
                }
            }
            CommandKind::Options | CommandKind::Fire => {
                let params: Vec<&'a Param> = def
                    .params
                    .iter()
                    .skip(usize::from(receiver.is_some()))
                    .filter(|param| matches!(param.kind, ParamKind::Plain | ParamKind::KeywordOnly))
                    .collect();
                for param in params {
                    let val = self.parameter_option(id, param, command == CommandKind::Options);
                    args.keyword.push((param.name.clone(), val));
                }
                if command == CommandKind::Fire {
                    args.keyword.extend(self.other_options(def, place));
                    args.open = !self.command_line.arguments.complete;
                }
            }
        }
        self.call_function(id, receiver, args, place)
    }

    /// A parameter as an option, declared by click's decorator, by typer's default, or by the parameter itself.
    fn parameter_option(&mut self, id: usize, param: &'a Param, switches: bool) -> AbstractValue {
        let scope = self.definitions.functions[id].scope;
        let file = self.definitions.functions[id].file;
        let place = FileRange::new(file, param.range);
        let parser = self.command_parser();
        for decorator in &self.definitions.functions[id].def.decorators {
            let ExprKind::Call(call) = &decorator.kind else { continue };
            let names = spellings(call);
            let is_option = call.callee.dotted().is_some_and(|name| matches!(leaf(&name), "option" | "argument"));
            let bare = names.iter().find(|name| !name.starts_with('-'));
            if !is_option || bare.map_or_else(|| dest_of(&names), Clone::clone).to_lowercase() != param.name {
                continue;
            }
            let default = call.keyword("default").map(|argument| self.without_reads(|this| this.eval(&argument.value, scope)));
            let switch = call.keyword("is_flag").is_some() || names.iter().any(|name| name.starts_with("--no-"));
            let at = FileRange::new(file, decorator.range);
            let default = default.or_else(|| switch.then(|| AbstractValue::located(ValueKind::Scalar(Value::Bool(false)), at)));
            let multiple = call.keyword("multiple").is_some();
            let form = OptionForm { list: multiple, ..if switch { OptionForm::switch(true) } else { OptionForm::default() } };
            return self.add_option(parser, OptionDeclaration { names, dest: param.name.clone(), default, place: at, form });
        }
        let mut names = both_spellings(&param.name);
        let default = match &param.default {
            Some(Expr { kind: ExprKind::Call(call), .. }) if is_typer(call) => {
                names.extend(spellings(call).into_iter().filter(|name| name.starts_with('-')));
                let first = call.args.iter().find(|argument| argument.kind == ArgumentKind::Positional);
                let default = call.keyword("default").or(first);
                default.map(|argument| self.without_reads(|this| this.eval(&argument.value, scope)))
            }
            Some(default) => Some(self.default_of(default, param, scope, true)),
            None => None,
        };
        let switch = switches && matches!(default.as_ref().and_then(AbstractValue::nominal), Some(Value::Bool(_)));
        let word = if switches { WordType::Guessed } else { WordType::Literal };
        let form = if switch {
            OptionForm::switch(true)
        } else {
            OptionForm { required: default.is_none(), word, ..OptionForm::default() }
        };
        self.add_option(parser, OptionDeclaration { names, dest: param.name.clone(), default, place, form })
    }

    /// Registers a function as a command if its decorators make it one.
    pub(super) fn register_command(&mut self, id: usize) {
        let (def, file, scope) =
            (self.definitions.functions[id].def, self.definitions.functions[id].file, self.definitions.functions[id].scope);
        for (decorator, val) in def.decorators.iter().zip(self.definitions.functions[id].decorators.clone()) {
            let callee = if let ExprKind::Call(call) = &decorator.kind { &call.callee } else { decorator };
            let path = match &decorator.kind {
                ExprKind::Call(_) => self.without_reads(|this| this.eval(callee, scope)).library_path(),
                _ => val.library_path(),
            };
            let Some(name) = callee.dotted() else { continue };
            let library = path.as_deref().and_then(library);
            let command = match (library, leaf(&name)) {
                (Some("hydra"), "main") => Some(CommandKind::Hydra(self.hydra_load(decorator, file, scope))),
                (Some("click" | "rich_click"), "command") => Some(CommandKind::Options),
                (Some("draccus" | "pyrallis"), "wrap" | "wrap_config") => Some(CommandKind::Dataclass),
                // `@app.command()` of a typer application, `@cli.command()` of a click group.
                (_, "command") if path.is_none() => Some(CommandKind::Options),
                _ => None,
            };
            if let Some(command) = command {
                self.command_line.commands.insert(id, command);
                if file == self.sources.entry {
                    self.deferred.push_back(DeferredCall::Function(id, None));
                }
                return;
            }
        }
    }

    /// The file that `@hydra.main(config_path=…, config_name=…)` loads.
    fn hydra_load(&mut self, decorator: &'a Expr, file: vramlint_base::FileId, scope: usize) -> usize {
        let place = FileRange::new(file, decorator.range);
        let mut text = |name: &str| match &decorator.kind {
            ExprKind::Call(call) => {
                let argument = call.keyword(name)?;
                let val = self.without_reads(|this| this.eval(&argument.value, scope));
                val.constant().and_then(Value::as_str).map(str::to_string)
            }
            _ => None,
        };
        let (folder, name) = (text("config_path"), text("config_name"));
        let given = |name: &str, short: &str| self.command_line.arguments.option(name, &[short.to_owned()]);
        // hydra 1.3 hydra/_internal/utils.py get_args_parser
        let name = given("config_name", "-cn").map_or(name, |given| given.words.first().cloned().flatten());
        let folder = given("config_path", "-cp").map_or(folder, |given| given.words.first().cloned().flatten());
        let own = self.sources.file(file).map_or("", |file| file.folder());
        let root = modules::normalize_path(&modules::join_path(own, folder.as_deref().unwrap_or("")));
        let path = name.map(|name| {
            let named = matches!(name.rsplit_once('.'), Some((_, "yaml" | "yml")));
            let name = if named { name } else { format!("{name}.yaml") };
            // The folder is relative to the script.
            modules::normalize_path(&modules::join_path(&root, &name))
        });
        let mut layers = Vec::new();
        if let Some(file) = path.as_deref().and_then(|path| self.sources.paths.resolve_exact(path)) {
            let index = self.facts.loads.len();
            self.facts.loaded_files.insert(index, file);
            let name = path.as_deref().and_then(|path| path.strip_prefix(&root)).unwrap_or("").trim_start_matches('/');
            let (found, choices) = compose(&self.sources, &root, name, self.command_line.arguments);
            layers = found;
            self.facts.group_choices.insert(index, choices);
        }
        self.facts.loads.push(LoadedFile {
            path,
            option: None,
            place,
            loader: Some(Loader::OmegaConf),
            file: None,
            argument: None,
            role: LoadRole::Data,
            layers,
        });
        self.facts.loads.len() - 1
    }

    /// `app()` of typer, methods of click groups.
    pub(super) fn typer_method(
        &mut self,
        path: &str,
        name: &str,
        args: &CallArguments,
        place: FileRange,
    ) -> Option<AbstractValue> {
        if !matches!(library(path), Some("typer" | "click")) || name != "command" {
            return None;
        }
        self.escape(args);
        Some(AbstractValue::located(ValueKind::Unknown, place))
    }
}

/// The strings among the positional arguments of a decorator.
fn spellings(call: &Call) -> Vec<String> {
    call.args
        .iter()
        .filter(|argument| argument.kind == ArgumentKind::Positional)
        .filter_map(|argument| match &argument.value.kind {
            ExprKind::Value(Value::Text(text)) => Some(text),
            _ => None,
        })
        // click's `--fp16/--no-fp16`.
        .flat_map(|text| text.split('/').map(|name| name.trim().to_string()))
        .collect()
}

fn is_typer(call: &Call) -> bool {
    call.callee.dotted().is_some_and(|name| matches!(leaf(&name), "Option" | "Argument"))
}
