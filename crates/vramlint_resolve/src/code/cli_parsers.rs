//! Command lines: argparse, click, typer, fire, dataclass parsers, hydra.

use super::call_arguments::CallArguments;
use super::command_line::{OptionDeclaration, OptionForm, WordType, both_spellings};
use super::facts::{ArgumentClass, LoadRole, LoadedFile, ParserUse};
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes;
use super::qualified_name::{leaf, library};
use super::value::{AbstractValue, ValueKind, place_of_value};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::data::Loader;

/// Libraries that turn the fields of a dataclass into options.
const DATACLASS_PARSERS: &[&str] = &["tyro", "draccus", "pyrallis", "simple_parsing", "jsonargparse", "chz"];

impl Interpreter<'_> {
    /// Calls that make a parser, or that parse at once.
    pub(super) fn parser_call(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        match (library(path), leaf(path)) {
            (Some("argparse" | "configargparse" | "jsonargparse"), "ArgumentParser" | "ArgParser") => {
                Some(AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Parser)), place))
            }
            (Some("transformers" | "trl") | None, name @ ("HfArgumentParser" | "TrlParser")) => {
                let classes = args.positional.first().or_else(|| args.get("dataclass_types")).map_or_else(Vec::new, class_list);
                self.declare_fields(&classes, place);
                let trl = name == "TrlParser";
                self.record_parser(&classes, trl, place);
                let kind = ObjectKind::DataclassParser { classes, trl, place };
                Some(AbstractValue::located(ValueKind::Object(self.new_object(kind)), place))
            }
            (Some(library), "cli" | "parse" | "CLI" | "entrypoint") if DATACLASS_PARSERS.contains(&library) => {
                let val = args.positional.first().or_else(|| args.get("config_class"))?.clone();
                self.declare_fields(std::slice::from_ref(&val), place);
                Some(self.parsed_class(&val, &FieldSource::Options, place))
            }
            (Some("fire"), "Fire") => {
                self.call_fire(args.arg("component", 0).cloned(), place);
                Some(AbstractValue::located(ValueKind::Unknown, place))
            }
            // It returns the parser with its own options.
            (Some("deepspeed"), "add_config_arguments" | "add_core_arguments") => {
                let parser = args.arg("parser", 0)?.clone();
                for id in parser.objects().collect::<Vec<_>>() {
                    self.add_deepspeed_options(id, place);
                }
                Some(parser)
            }
            (Some("typer"), "run") => {
                if let Some(ValueKind::Function { id, receiver }) =
                    args.positional.first().and_then(AbstractValue::single).map(|alt| alt.kind.clone())
                {
                    self.run_command(id, receiver, place);
                }
                Some(AbstractValue::located(ValueKind::Unknown, place))
            }
            _ => None,
        }
    }

    /// deepspeed 0.19.8 `__init__.py`, `_add_core_arguments`.
    fn add_deepspeed_options(&mut self, parser: usize, place: FileRange) {
        let null = Some(AbstractValue::located(ValueKind::Scalar(Value::Null), place));
        let off = Some(AbstractValue::located(ValueKind::Scalar(Value::Bool(false)), place));
        for (dest, default, form) in [
            ("deepspeed", off, OptionForm::switch(true)),
            ("deepspeed_config", null, OptionForm { word: WordType::Text, ..OptionForm::default() }),
        ] {
            let (names, dest) = (vec![format!("--{dest}")], dest.to_owned());
            self.add_option(parser, OptionDeclaration { names, dest, default, place, form });
        }
    }

    /// Methods of `argparse.ArgumentParser` and of its groups and subparsers.
    pub(super) fn parser_method(&mut self, id: usize, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        match name {
            "add_argument" => {
                self.add_argument(id, args, place);
                AbstractValue::located(ValueKind::Unknown, place)
            }
            "set_defaults" => {
                for (dest, val) in &args.keyword {
                    let names = vec![format!("--{dest}")];
                    self.facts.option_values.retain(|info| info.parser != id || info.dest != *dest);
                    self.facts.options.retain(|option| option.dest != *dest);
                    let default = Some(val.clone());
                    let form = OptionForm::default();
                    self.add_option(id, OptionDeclaration { names, dest: dest.clone(), default, place, form });
                }
                AbstractValue::located(ValueKind::Unknown, place)
            }
            "add_argument_group" | "add_mutually_exclusive_group" | "add_subparsers" | "add_parser" => {
                AbstractValue::located(ValueKind::Object(id), place)
            }
            "parse_args" | "parse_intermixed_args" => {
                AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Namespace(id))), place)
            }
            "parse_known_args" => {
                let args = AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Namespace(id))), place);
                AbstractValue::located(
                    ValueKind::Items(Rc::new(vec![args, AbstractValue::located(ValueKind::Unknown, place)])),
                    place,
                )
            }
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// Declares the fields of classes as options.
    pub(super) fn declare_fields(&mut self, classes: &[AbstractValue], place: FileRange) {
        let parser = self.command_parser();
        for alt in classes.iter().flat_map(|val| &val.alternatives) {
            match &alt.kind {
                ValueKind::Class(class) => {
                    let class = *class;
                    self.definitions.classes[class].made = true;
                    if let Some(base) = self.definitions.external_base(class) {
                        self.declare_library_class(&base, place);
                        self.emit_fields(class, None, place);
                    }
                    for name in self.definitions.fields(class) {
                        let default = self.definitions.class_attribute(&self.scopes, class, &name);
                        let at = default.as_ref().and_then(place_of_value).unwrap_or(place);
                        let mut names = both_spellings(&name);
                        if matches!(default.as_ref().and_then(AbstractValue::nominal), Some(Value::Bool(_))) {
                            // tyro's `--no-fp16`, and `--no_fp16` of HfArgumentParser.
                            let negated: Vec<String> =
                                names.iter().flat_map(|name| ["--no-", "--no_"].map(|no| name.replacen("--", no, 1))).collect();
                            names.extend(negated);
                        }
                        let form = OptionForm { required: default.is_none(), ..self.field_form(class, &name) };
                        self.add_option(parser, OptionDeclaration { names, dest: name, default, place: at, form });
                    }
                }
                ValueKind::External(path) => self.declare_library_class(&path.clone(), place),
                _ => {}
            }
        }
    }

    fn declare_library_class(&mut self, path: &str, place: FileRange) {
        if let Some(kind) = library_classes::argument_class(path) {
            self.facts.record_library(kind.dialect, kind.task);
            let class = ArgumentClass { name: path.to_string(), dialect: kind.dialect, place };
            if !self.facts.argument_classes.contains(&class) {
                self.facts.argument_classes.push(class);
            }
        }
    }

    /// Records a parser with its classes.
    fn record_parser(&mut self, classes: &[AbstractValue], trl: bool, place: FileRange) {
        if self.facts.parsers.iter().any(|known| known.place == place) {
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
                    parser.classes.extend(self.definitions.external_base(*class).map(|path| path.to_string()));
                    parser.open |= self.definitions.has_hidden_base(*class);
                }
                ValueKind::External(path) => parser.classes.push(path.to_string()),
                _ => parser.open = true,
            }
        }
        self.facts.parsers.push(parser);
    }

    /// Records what a parser reads.
    fn record_parsing(&mut self, parser: FileRange, name: &str, args: &CallArguments, place: FileRange) {
        let Some(known) = self.facts.parsers.iter_mut().find(|known| known.place == parser) else { return };
        let switch = |name: &str, value: bool| args.get(name).is_some_and(|val| val.constant() != Some(&Value::Bool(!value)));
        match name {
            "parse_args_into_dataclasses" | "parse_args_and_config" => {
                known.command_line = true;
                known.lenient |= args.open || switch("return_remaining_strings", true) || switch("fail_with_unknown_args", false);
                // The code passes the arguments itself.
                known.open |= args.get("args").is_some() || !args.positional.is_empty();
            }
            "parse_yaml_file" | "parse_json_file" => known.lenient |= args.get("allow_extra_keys").is_some(),
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
        args: &CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        let (classes, trl, made) = parser;
        self.record_parsing(made, name, args, place);
        let rest = match name {
            "parse_args_into_dataclasses" | "parse_args" => FieldSource::Options,
            // Without `--config` no file is read (trl 1.16.0 trl/scripts/utils.py).
            "parse_args_and_config" if self.command_line.arguments.certainly_lacks("config") => FieldSource::Options,
            "parse_args_and_config" => {
                let index = self.facts.loads.len();
                let loader = Some(if trl { Loader::TrlParser } else { Loader::PyYaml });
                if !self.facts.loads.iter().any(|load| load.place == place) {
                    let option = Some("config".to_string());
                    self.facts.loads.push(LoadedFile {
                        path: None,
                        option,
                        place,
                        loader,
                        file: None,
                        argument: None,
                        role: LoadRole::Arguments,
                        layers: Vec::new(),
                    });
                }
                let load = index.min(self.facts.loads.len().saturating_sub(1));
                let config = self.command_line.arguments.option("config", &[]).and_then(|given| given.words.first()?.clone());
                if let Some(word) = config {
                    let path = AbstractValue::located(ValueKind::Scalar(Value::Text(word)), place)
                        .map_source(|source| source.option = Some("config".to_string()));
                    if let Some(file) = self.named_file(&path, place) {
                        self.facts.loaded_files.insert(load, file);
                    }
                }
                FieldSource::Loaded(load, Vec::new())
            }
            "parse_yaml_file" | "parse_json_file" => {
                let loader = if name == "parse_yaml_file" { Loader::PyYaml } else { Loader::Json };
                match self.load_from(args, Some(loader), place).single().map(|alt| alt.kind.clone()) {
                    Some(ValueKind::Loaded(load, _)) => {
                        if let Some(file) = self.facts.loads.get_mut(load) {
                            file.role = LoadRole::Arguments;
                        }
                        self.emit_parsed_file(classes, load, place);
                        FieldSource::Loaded(load, Vec::new())
                    }
                    _ => FieldSource::Hidden,
                }
            }
            "parse_dict" => {
                let dict = args.arg("args", 0).cloned();
                return self.parsed_dict(classes, dict.as_ref(), place);
            }
            _ => return AbstractValue::located(ValueKind::Unknown, place),
        };
        let mut items: Vec<AbstractValue> = classes.iter().map(|class| self.parsed_class(class, &rest, place)).collect();
        if args.get("return_remaining_strings").is_some() {
            items.push(AbstractValue::located(ValueKind::Unknown, place));
        }
        AbstractValue::located(ValueKind::Items(Rc::new(items)), place)
    }
}

/// The classes of `HfArgumentParser((A, B))` or of `HfArgumentParser(A)`.
fn class_list(val: &AbstractValue) -> Vec<AbstractValue> {
    match val.single().map(|alt| &alt.kind) {
        Some(ValueKind::Items(items)) => (**items).clone(),
        _ => vec![val.clone()],
    }
}
