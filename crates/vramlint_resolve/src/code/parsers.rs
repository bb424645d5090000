//! Command lines: argparse, click, typer, fire, dataclass parsers, hydra.

use super::call::Given;
use super::interpreter::{Interpreter, Pending};
use super::library::{leaf, root};
use super::options::{Declared, dest_of};
use super::value::{Kind, Rest, Source, Val, What};
use super::{ArgumentClass, LoadRole, LoadedFile};
use std::rc::Rc;
use vramlint_base::{Place, Value};
use vramlint_syntax::data::Loader;
use vramlint_syntax::python::{ArgumentKind, Call, Expr, ExprKind, Param, ParamKind};

/// How a function is a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    /// Its parameters are options.
    Options,
    /// Its first parameter is a configuration that hydra loads: the index of the load.
    Hydra(usize),
    /// Its first parameter is a dataclass whose fields are options.
    Dataclass,
}

/// Libraries that make options of the fields of a dataclass.
const DATACLASS_PARSERS: &[&str] = &["tyro", "draccus", "pyrallis", "simple_parsing", "jsonargparse", "chz"];

impl<'a> Interpreter<'a> {
    /// Calls that make a parser or parse at once.
    pub(super) fn parser_call(&mut self, path: &Rc<str>, given: &Given, place: Place) -> Option<Val> {
        match (root(path), leaf(path)) {
            ("argparse" | "configargparse" | "jsonargparse", "ArgumentParser" | "ArgParser") => {
                Some(Val::at(What::Object(self.new_object(Kind::Parser)), place))
            }
            ("transformers" | "trl" | "?", name @ ("HfArgumentParser" | "TrlParser")) => {
                let classes =
                    given.positional.first().or_else(|| given.get("dataclass_types")).map_or_else(Vec::new, |val| items_of(val));
                self.declare_fields(&classes, place);
                let kind = Kind::DataclassParser { classes, trl: name == "TrlParser" };
                Some(Val::at(What::Object(self.new_object(kind)), place))
            }
            (library, "cli" | "parse" | "CLI" | "entrypoint") if DATACLASS_PARSERS.contains(&library) => {
                let val = given.positional.first().or_else(|| given.get("config_class"))?.clone();
                self.declare_fields(std::slice::from_ref(&val), place);
                Some(self.parsed_class(&val, &Rest::Options, place))
            }
            ("fire", "Fire") => {
                self.fire(given.positional.first().cloned(), place);
                Some(Val::at(What::Unknown, place))
            }
            ("typer", "run") => {
                if let Some(What::Function { id, receiver }) =
                    given.positional.first().and_then(Val::only).map(|alt| alt.what.clone())
                {
                    self.run_command(id, receiver, place);
                }
                Some(Val::at(What::Unknown, place))
            }
            _ => None,
        }
    }

    /// Methods of `argparse.ArgumentParser` and of its groups and subparsers.
    pub(super) fn parser_method(&mut self, id: usize, name: &str, given: &Given, place: Place) -> Val {
        match name {
            "add_argument" => {
                self.add_argument(id, given, place);
                Val::at(What::Unknown, place)
            }
            "set_defaults" => {
                for (dest, val) in &given.keyword {
                    let names = vec![format!("--{dest}")];
                    for info in self.record.option_values.iter().position(|info| info.parser == id && info.dest == *dest) {
                        self.record.option_values.remove(info);
                    }
                    self.record.options.retain(|option| option.dest != *dest);
                    let default = Some(val.clone());
                    self.add_option(id, Declared { names, dest: dest.clone(), default, place, switch: false });
                }
                Val::at(What::Unknown, place)
            }
            "add_argument_group" | "add_mutually_exclusive_group" | "add_subparsers" | "add_parser" => {
                Val::at(What::Object(id), place)
            }
            "parse_args" | "parse_intermixed_args" => Val::at(What::Object(self.new_object(Kind::Namespace(id))), place),
            "parse_known_args" => {
                let args = Val::at(What::Object(self.new_object(Kind::Namespace(id))), place);
                Val::at(What::Items(Rc::new(vec![args, Val::at(What::Unknown, place)])), place)
            }
            _ => Val::at(What::Unknown, place),
        }
    }

    fn add_argument(&mut self, parser: usize, given: &Given, place: Place) {
        let names: Vec<String> =
            given.positional.iter().filter_map(|val| val.certain().and_then(Value::as_str).map(str::to_string)).collect();
        let explicit = given.get("dest").and_then(Val::certain).and_then(Value::as_str).map(str::to_string);
        let dest = explicit.unwrap_or_else(|| dest_of(&names));
        if dest.is_empty() {
            return;
        }
        let action = given.get("action").and_then(Val::certain).and_then(Value::as_str);
        let switch = matches!(action, Some("store_true" | "store_false" | "store_const" | "count"));
        let mut default = given.get("default").cloned();
        if default.is_none() && matches!(action, Some("store_true" | "store_false")) {
            default = Some(Val::at(What::Scalar(Value::Bool(action == Some("store_false"))), place));
        }
        let kind = given.get("type").and_then(Val::external);
        if let (Some(kind), Some(val)) = (kind.as_deref(), &default)
            && let Some(Value::Text(_)) = val.nominal()
        {
            // argparse gives a default that is text the option's type.
            default = Some(self.builtin(leaf(kind), &Given { positional: vec![val.clone()], ..Given::default() }, place));
        }
        self.add_option(parser, Declared { names, dest, default, place, switch });
    }

    /// Fields of classes as options.
    fn declare_fields(&mut self, classes: &[Val], place: Place) {
        let parser = self.command_parser();
        for alt in classes.iter().flat_map(|val| &val.alts) {
            match &alt.what {
                What::Class(class) => {
                    let class = *class;
                    self.classes[class].made = true;
                    if let Some(base) = self.external_base(class) {
                        self.declare_library_class(&base, place);
                        self.emit_fields(class, None, place);
                    }
                    for name in self.fields(class) {
                        let default = self.class_attribute(class, &name);
                        let at = default.as_ref().and_then(super::subscript::place_of).unwrap_or(place);
                        let names = vec![format!("--{name}"), format!("--{}", name.replace('_', "-"))];
                        self.add_option(parser, Declared { names, dest: name, default, place: at, switch: false });
                    }
                }
                What::External(path) => self.declare_library_class(&path.clone(), place),
                _ => {}
            }
        }
    }

    fn declare_library_class(&mut self, path: &str, place: Place) {
        if let Some(kind) = super::config_calls::arguments(path) {
            self.record.note_library(kind.dialect, kind.task);
            let class = ArgumentClass { name: path.to_string(), dialect: kind.dialect, place };
            if !self.record.argument_classes.contains(&class) {
                self.record.argument_classes.push(class);
            }
        }
    }

    /// Methods of `HfArgumentParser` and `TrlParser`.
    pub(super) fn dataclass_parser_method(&mut self, classes: &[Val], trl: bool, name: &str, given: &Given, place: Place) -> Val {
        let rest = match name {
            "parse_args_into_dataclasses" | "parse_args" => Rest::Options,
            "parse_args_and_config" => {
                let index = self.record.loads.len();
                let loader = Some(if trl { Loader::TrlParser } else { Loader::PyYaml });
                if !self.record.loads.iter().any(|load| load.place == place) {
                    let option = Some("config".to_string());
                    self.record.loads.push(LoadedFile {
                        path: None,
                        option,
                        place,
                        loader,
                        argument: None,
                        role: LoadRole::Data,
                    });
                }
                Rest::Loaded(index.min(self.record.loads.len().saturating_sub(1)), Vec::new())
            }
            "parse_yaml_file" | "parse_json_file" => {
                let loader = if name == "parse_yaml_file" { Loader::PyYaml } else { Loader::Json };
                match self.load_from(given, Some(loader), place).only().map(|alt| alt.what.clone()) {
                    Some(What::Loaded(load, _)) => Rest::Loaded(load, Vec::new()),
                    _ => Rest::Soft,
                }
            }
            "parse_dict" => Rest::Soft,
            _ => return Val::at(What::Unknown, place),
        };
        let items = classes.iter().map(|class| self.parsed_class(class, &rest, place)).collect();
        Val::at(What::Items(Rc::new(items)), place)
    }

    /// An object whose fields come from a command line or a file.
    fn parsed_class(&mut self, class: &Val, rest: &Rest, place: Place) -> Val {
        match class.only().map(|alt| alt.what.clone()) {
            Some(What::Class(class)) => {
                self.classes[class].made = true;
                Val::at(What::Object(self.new_object(Kind::Instance { class, rest: rest.clone() })), place)
            }
            Some(What::External(path)) => Val::at(What::Object(self.new_object(Kind::Library(path))), place),
            Some(What::Function { id, receiver }) => self.run_command(id, receiver, place),
            _ => Val::at(What::Unknown, place),
        }
    }

    /// `fire.Fire(…)`: a function, a class, a dict or list of them, or everything in the module.
    fn fire(&mut self, component: Option<Val>, place: Place) {
        let Some(component) = component else {
            let functions: Vec<usize> = (0..self.functions.len())
                .filter(|id| self.functions[*id].file == place.file && self.functions[*id].class.is_none())
                .collect();
            for id in functions {
                self.commands.insert(id, Command::Options);
                self.pending.push_back(Pending::Function(id, None));
            }
            return;
        };
        for alt in &component.alts {
            match &alt.what {
                What::Function { id, receiver } => {
                    self.run_command(*id, *receiver, place);
                }
                What::Class(class) => self.fire_class(*class, place),
                What::Items(items) => items.iter().for_each(|item| self.fire(Some(item.clone()), place)),
                What::Object(id) => match self.objects[*id].kind.clone() {
                    Kind::Dict { entries, .. } => entries.into_iter().for_each(|(_, val)| self.fire(Some(val), place)),
                    Kind::Instance { .. } => self.pending.push_back(Pending::Instance(*id)),
                    _ => {}
                },
                _ => {}
            }
        }
    }

    fn fire_class(&mut self, class: usize, place: Place) {
        self.classes[class].made = true;
        let id = self.new_object(Kind::Instance { class, rest: Rest::Class });
        if let Some(function) = self.initializer(class) {
            self.run_command(function, Some(id), place);
        }
        self.pending.push_back(Pending::Instance(id));
    }

    /// Runs a function whose parameters the command line gives.
    pub(super) fn run_command(&mut self, id: usize, receiver: Option<usize>, place: Place) -> Val {
        let command = self.commands.get(&id).copied().unwrap_or(Command::Options);
        let def = self.functions[id].def;
        let mut given = Given::default();
        match command {
            Command::Hydra(load) => {
                let source = Source { place: Some(place), soft: true, ..Source::default() };
                given.positional.push(Val::one(What::Loaded(load, Rc::default()), source));
            }
            Command::Dataclass => {
                if let Some(annotation) = def.params.first().and_then(|param| param.annotation.as_ref()) {
                    let scope = self.functions[id].scope;
                    let class = self.muted(|this| this.eval(annotation, scope));
                    self.declare_fields(std::slice::from_ref(&class), place);
                    given.positional.push(self.parsed_class(&class, &Rest::Options, place));
                }
            }
            Command::Options => {
                let params: Vec<&'a Param> = def
                    .params
                    .iter()
                    .skip(usize::from(receiver.is_some()))
                    .filter(|param| matches!(param.kind, ParamKind::Plain | ParamKind::KeywordOnly))
                    .collect();
                for param in params {
                    let val = self.parameter_option(id, param);
                    given.keyword.push((param.name.clone(), val));
                }
            }
        }
        self.call_function(id, receiver, given, place)
    }

    /// A parameter as an option: click's decorator says how, or typer's default, or the parameter itself.
    fn parameter_option(&mut self, id: usize, param: &'a Param) -> Val {
        let scope = self.functions[id].scope;
        let file = self.functions[id].file;
        let place = Place::new(file, param.range);
        let parser = self.command_parser();
        for decorator in &self.functions[id].def.decorators {
            let ExprKind::Call(call) = &decorator.kind else { continue };
            let names = spellings(call);
            let is_option = call.callee.dotted().is_some_and(|name| matches!(leaf(&name), "option" | "argument"));
            let bare = names.iter().find(|name| !name.starts_with('-') && !name.contains('/'));
            if !is_option || bare.map_or_else(|| dest_of(&names), Clone::clone).to_lowercase() != param.name {
                continue;
            }
            let default = call.keyword("default").map(|argument| self.muted(|this| this.eval(&argument.value, scope)));
            let switch = call.keyword("is_flag").is_some();
            let at = Place::new(file, decorator.range);
            let default = default.or_else(|| switch.then(|| Val::at(What::Scalar(Value::Bool(false)), at)));
            return self.add_option(parser, Declared { names, dest: param.name.clone(), default, place: at, switch });
        }
        let mut names = vec![format!("--{}", param.name), format!("--{}", param.name.replace('_', "-"))];
        let default = match &param.default {
            Some(Expr { kind: ExprKind::Call(call), .. }) if is_typer(call) => {
                names.extend(spellings(call).into_iter().filter(|name| name.starts_with('-')));
                let first = call.args.iter().find(|argument| argument.kind == ArgumentKind::Positional);
                let default = call.keyword("default").or(first);
                default.map(|argument| self.muted(|this| this.eval(&argument.value, scope)))
            }
            Some(default) => Some(self.default_of(default, param, scope, true)),
            None => None,
        };
        names.dedup();
        let switch = matches!(default.as_ref().and_then(Val::nominal), Some(Value::Bool(_)));
        self.add_option(parser, Declared { names, dest: param.name.clone(), default, place, switch })
    }

    /// Looks whether the decorators of a function make it a command.
    pub(super) fn note_decorated(&mut self, id: usize) {
        let (def, file, scope) = (self.functions[id].def, self.functions[id].file, self.functions[id].scope);
        for (decorator, val) in def.decorators.iter().zip(self.functions[id].decorators.clone()) {
            let callee = if let ExprKind::Call(call) = &decorator.kind { &call.callee } else { decorator };
            let path = match &decorator.kind {
                ExprKind::Call(_) => self.muted(|this| this.eval(callee, scope)).external(),
                _ => val.external(),
            };
            let Some(name) = callee.dotted() else { continue };
            let library = path.as_deref().map_or("", root);
            let command = match (library, leaf(&name)) {
                ("hydra", "main") => Some(Command::Hydra(self.hydra_load(decorator, file, scope))),
                ("click" | "rich_click", "command") => Some(Command::Options),
                ("draccus" | "pyrallis", "wrap" | "wrap_config") => Some(Command::Dataclass),
                // `@app.command()` of a typer application, `@cli.command()` of a click group.
                (_, "command") if path.is_none() => Some(Command::Options),
                _ => None,
            };
            if let Some(command) = command {
                self.commands.insert(id, command);
                if file == self.entry {
                    self.pending.push_back(Pending::Function(id, None));
                }
                return;
            }
        }
    }

    /// The file that `@hydra.main(config_path=…, config_name=…)` loads.
    fn hydra_load(&mut self, decorator: &'a Expr, file: vramlint_base::FileId, scope: usize) -> usize {
        let place = Place::new(file, decorator.range);
        let mut text = |name: &str| match &decorator.kind {
            ExprKind::Call(call) => {
                let argument = call.keyword(name)?;
                let val = self.muted(|this| this.eval(&argument.value, scope));
                val.certain().and_then(Value::as_str).map(str::to_string)
            }
            _ => None,
        };
        let (folder, name) = (text("config_path"), text("config_name"));
        let path = name.map(|name| {
            let name = if name.ends_with(".yaml") || name.ends_with(".yml") { name } else { format!("{name}.yaml") };
            // The folder is relative to the script.
            let own = self.file(file).map_or("", |file| file.folder());
            super::modules::normal(&super::modules::join(&super::modules::join(own, folder.as_deref().unwrap_or("")), &name))
        });
        self.record.loads.push(LoadedFile {
            path,
            option: None,
            place,
            loader: Some(Loader::OmegaConf),
            argument: None,
            role: LoadRole::Data,
        });
        self.record.loads.len() - 1
    }

    /// `app()` of typer, methods of click groups.
    pub(super) fn typer_method(&mut self, path: &str, name: &str, given: &Given, place: Place) -> Option<Val> {
        if !matches!(root(path), "typer" | "click") || name != "command" {
            return None;
        }
        self.escape(given);
        Some(Val::at(What::Unknown, place))
    }
}

/// The classes of `HfArgumentParser((A, B))` or of `HfArgumentParser(A)`.
fn items_of(val: &Val) -> Vec<Val> {
    match val.only().map(|alt| &alt.what) {
        Some(What::Items(items)) => (**items).clone(),
        _ => vec![val.clone()],
    }
}

/// The texts among the positional arguments of a decorator.
fn spellings(call: &Call) -> Vec<String> {
    call.args
        .iter()
        .filter(|argument| argument.kind == ArgumentKind::Positional)
        .filter_map(|argument| match &argument.value.kind {
            ExprKind::Value(Value::Text(text)) => Some(text.clone()),
            _ => None,
        })
        .collect()
}

fn is_typer(call: &Call) -> bool {
    call.callee.dotted().is_some_and(|name| matches!(leaf(&name), "Option" | "Argument"))
}
