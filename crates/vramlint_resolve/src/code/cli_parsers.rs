//! Command lines: argparse, click, typer, fire, dataclass parsers, hydra.

use super::call::CallArguments;
use super::cli_options::{OptionDeclaration, dest_of};
use super::interpreter::Interpreter;
use super::library::{leaf, root};
use super::value::{AbstractValue, FieldSource, ObjectKind, ValueKind};
use super::{ArgumentClass, LoadRole, LoadedFile, ParserUse};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::data::Loader;

/// Libraries that make options of the fields of a dataclass.
const DATACLASS_PARSERS: &[&str] = &["tyro", "draccus", "pyrallis", "simple_parsing", "jsonargparse", "chz"];

impl Interpreter<'_> {
    /// Calls that make a parser or parse at once.
    pub(super) fn parser_call(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        match (root(path), leaf(path)) {
            ("argparse" | "configargparse" | "jsonargparse", "ArgumentParser" | "ArgParser") => {
                Some(AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Parser)), place))
            }
            ("transformers" | "trl" | "?", name @ ("HfArgumentParser" | "TrlParser")) => {
                let classes = given.positional.first().or_else(|| given.get("dataclass_types")).map_or_else(Vec::new, items_of);
                self.declare_fields(&classes, place);
                let trl = name == "TrlParser";
                self.note_parser(&classes, trl, place);
                let kind = ObjectKind::DataclassParser { classes, trl, place };
                Some(AbstractValue::at(ValueKind::Object(self.new_object(kind)), place))
            }
            (library, "cli" | "parse" | "CLI" | "entrypoint") if DATACLASS_PARSERS.contains(&library) => {
                let val = given.positional.first().or_else(|| given.get("config_class"))?.clone();
                self.declare_fields(std::slice::from_ref(&val), place);
                Some(self.parsed_class(&val, &FieldSource::Options, place))
            }
            ("fire", "Fire") => {
                self.fire(given.positional.first().cloned(), place);
                Some(AbstractValue::at(ValueKind::Unknown, place))
            }
            ("typer", "run") => {
                if let Some(ValueKind::Function { id, receiver }) =
                    given.positional.first().and_then(AbstractValue::only).map(|alt| alt.kind.clone())
                {
                    self.run_command(id, receiver, place);
                }
                Some(AbstractValue::at(ValueKind::Unknown, place))
            }
            _ => None,
        }
    }

    /// Methods of `argparse.ArgumentParser` and of its groups and subparsers.
    pub(super) fn parser_method(&mut self, id: usize, name: &str, given: &CallArguments, place: FileRange) -> AbstractValue {
        match name {
            "add_argument" => {
                self.add_argument(id, given, place);
                AbstractValue::at(ValueKind::Unknown, place)
            }
            "set_defaults" => {
                for (dest, val) in &given.keyword {
                    let names = vec![format!("--{dest}")];
                    self.record.option_values.retain(|info| info.parser != id || info.dest != *dest);
                    self.record.options.retain(|option| option.dest != *dest);
                    let default = Some(val.clone());
                    self.add_option(id, OptionDeclaration { names, dest: dest.clone(), default, place, switch: false });
                }
                AbstractValue::at(ValueKind::Unknown, place)
            }
            "add_argument_group" | "add_mutually_exclusive_group" | "add_subparsers" | "add_parser" => {
                AbstractValue::at(ValueKind::Object(id), place)
            }
            "parse_args" | "parse_intermixed_args" => {
                AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Namespace(id))), place)
            }
            "parse_known_args" => {
                let args = AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Namespace(id))), place);
                AbstractValue::at(ValueKind::Items(Rc::new(vec![args, AbstractValue::at(ValueKind::Unknown, place)])), place)
            }
            _ => AbstractValue::at(ValueKind::Unknown, place),
        }
    }

    fn add_argument(&mut self, parser: usize, given: &CallArguments, place: FileRange) {
        let names: Vec<String> =
            given.positional.iter().filter_map(|val| val.certain().and_then(Value::as_str).map(str::to_string)).collect();
        let explicit = given.get("dest").and_then(AbstractValue::certain).and_then(Value::as_str).map(str::to_string);
        let dest = explicit.unwrap_or_else(|| dest_of(&names));
        if dest.is_empty() {
            return;
        }
        let action = given.get("action").and_then(AbstractValue::certain).and_then(Value::as_str);
        let switch = matches!(action, Some("store_true" | "store_false" | "store_const" | "count"));
        let mut default = given.get("default").cloned();
        if default.is_none() && matches!(action, Some("store_true" | "store_false")) {
            default = Some(AbstractValue::at(ValueKind::Scalar(Value::Bool(action == Some("store_false"))), place));
        }
        let kind = given.get("type").and_then(AbstractValue::external);
        if let (Some(kind), Some(val)) = (kind.as_deref(), &default)
            && let Some(Value::Text(_)) = val.nominal()
        {
            // argparse gives a default that is text the option's type.
            default = Some(self.builtin(
                leaf(kind),
                &CallArguments { positional: vec![val.clone()], ..CallArguments::default() },
                place,
            ));
        }
        self.add_option(parser, OptionDeclaration { names, dest, default, place, switch });
    }

    /// Fields of classes as options.
    pub(super) fn declare_fields(&mut self, classes: &[AbstractValue], place: FileRange) {
        let parser = self.command_parser();
        for alt in classes.iter().flat_map(|val| &val.alternatives) {
            match &alt.kind {
                ValueKind::Class(class) => {
                    let class = *class;
                    self.classes[class].made = true;
                    if let Some(base) = self.external_base(class) {
                        self.declare_library_class(&base, place);
                        self.emit_fields(class, None, place);
                    }
                    for name in self.fields(class) {
                        let default = self.class_attribute(class, &name);
                        let at = default.as_ref().and_then(super::member_access::place_of).unwrap_or(place);
                        let names = both_spellings(&name);
                        self.add_option(parser, OptionDeclaration { names, dest: name, default, place: at, switch: false });
                    }
                }
                ValueKind::External(path) => self.declare_library_class(&path.clone(), place),
                _ => {}
            }
        }
    }

    fn declare_library_class(&mut self, path: &str, place: FileRange) {
        if let Some(kind) = super::training_calls::arguments(path) {
            self.record.note_library(kind.dialect, kind.task);
            let class = ArgumentClass { name: path.to_string(), dialect: kind.dialect, place };
            if !self.record.argument_classes.contains(&class) {
                self.record.argument_classes.push(class);
            }
        }
    }

    /// Remembers a parser with its classes.
    fn note_parser(&mut self, classes: &[AbstractValue], trl: bool, place: FileRange) {
        if self.record.parsers.iter().any(|known| known.place == place) {
            return;
        }
        let mut parser = ParserUse {
            place,
            trl,
            classes: Vec::new(),
            open: classes.is_empty(),
            command_line: false,
            loads: Vec::new(),
            lenient: false,
        };
        for alt in classes.iter().flat_map(|val| &val.alternatives) {
            match &alt.kind {
                ValueKind::Class(class) => {
                    parser.classes.extend(self.external_base(*class).map(|path| path.to_string()));
                    parser.open |= self.has_hidden_base(*class);
                }
                ValueKind::External(path) => parser.classes.push(path.to_string()),
                _ => parser.open = true,
            }
        }
        self.record.parsers.push(parser);
    }

    /// Remembers what a parser reads.
    fn note_parsing(&mut self, parser: FileRange, name: &str, given: &CallArguments, place: FileRange) {
        let Some(known) = self.record.parsers.iter_mut().find(|known| known.place == parser) else { return };
        let switch = |name: &str, value: bool| given.get(name).is_some_and(|val| val.certain() != Some(&Value::Bool(!value)));
        match name {
            "parse_args_into_dataclasses" | "parse_args_and_config" => {
                known.command_line = true;
                known.lenient |=
                    given.open || switch("return_remaining_strings", true) || switch("fail_with_unknown_args", false);
                // Arguments that the code makes itself.
                known.open |= given.get("args").is_some() || !given.positional.is_empty();
            }
            "parse_yaml_file" | "parse_json_file" => known.lenient |= given.get("allow_extra_keys").is_some(),
            _ => known.open = true,
        }
        if !known.loads.contains(&place) {
            known.loads.push(place);
        }
    }

    /// Methods of `HfArgumentParser` and `TrlParser`.
    pub(super) fn dataclass_parser_method(
        &mut self,
        parser: (&[AbstractValue], bool, FileRange),
        name: &str,
        given: &CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        let (classes, trl, made) = parser;
        self.note_parsing(made, name, given, place);
        let rest = match name {
            "parse_args_into_dataclasses" | "parse_args" => FieldSource::Options,
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
                        role: LoadRole::Arguments,
                    });
                }
                FieldSource::Loaded(index.min(self.record.loads.len().saturating_sub(1)), Vec::new())
            }
            "parse_yaml_file" | "parse_json_file" => {
                let loader = if name == "parse_yaml_file" { Loader::PyYaml } else { Loader::Json };
                match self.load_from(given, Some(loader), place).only().map(|alt| alt.kind.clone()) {
                    Some(ValueKind::Loaded(load, _)) => {
                        if let Some(file) = self.record.loads.get_mut(load) {
                            file.role = LoadRole::Arguments;
                        }
                        FieldSource::Loaded(load, Vec::new())
                    }
                    _ => FieldSource::Soft,
                }
            }
            "parse_dict" => FieldSource::Soft,
            _ => return AbstractValue::at(ValueKind::Unknown, place),
        };
        let mut items: Vec<AbstractValue> = classes.iter().map(|class| self.parsed_class(class, &rest, place)).collect();
        if given.get("return_remaining_strings").is_some() {
            items.push(AbstractValue::at(ValueKind::Unknown, place));
        }
        AbstractValue::at(ValueKind::Items(Rc::new(items)), place)
    }

    /// An object whose fields come from a command line or a file.
    pub(super) fn parsed_class(&mut self, class: &AbstractValue, rest: &FieldSource, place: FileRange) -> AbstractValue {
        match class.only().map(|alt| alt.kind.clone()) {
            Some(ValueKind::Class(class)) => {
                self.classes[class].made = true;
                AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Instance { class, rest: rest.clone() })), place)
            }
            Some(ValueKind::External(path)) => {
                AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Library(path))), place)
            }
            Some(ValueKind::Function { id, receiver }) => self.run_command(id, receiver, place),
            _ => AbstractValue::at(ValueKind::Unknown, place),
        }
    }
}

/// The classes of `HfArgumentParser((A, B))` or of `HfArgumentParser(A)`.
fn items_of(val: &AbstractValue) -> Vec<AbstractValue> {
    match val.only().map(|alt| &alt.kind) {
        Some(ValueKind::Items(items)) => (**items).clone(),
        _ => vec![val.clone()],
    }
}

/// `--batch_size`, and `--batch-size` where that differs.
pub(super) fn both_spellings(name: &str) -> Vec<String> {
    let mut names = vec![format!("--{name}")];
    if name.contains('_') {
        names.push(format!("--{}", name.replace('_', "-")));
    }
    names
}
