//! Library calls by full name, and methods of objects.

use super::call_arguments::CallArguments;
use super::control_flow::DeferredCall;
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes;
use super::qualified_name::{self, leaf};
use super::record_classes::PARSER;
use super::script_arguments::RankVariables;
use super::text_methods;
use super::trained_parameters::is_module_class;
use super::value::{AbstractValue, ValueKind, ValueSource, declare, environment_variable, place_of_value};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::libraries;

impl Interpreter<'_> {
    /// Calls a function or class of a library.
    pub(super) fn library(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        let (library, leaf) = (qualified_name::library(path), leaf(path));
        if library == Some("builtins") {
            return self.call_builtin(leaf, args, place);
        }
        self.training.told_to_train |= library.is_some_and(|library| libraries::trains_when_called(library, leaf));
        let found = self
            .parser_call(path, args, place)
            .or_else(|| self.load_call(path, args, place))
            .or_else(|| self.environment_call(path, args, place))
            .or_else(|| self.model_call(path, args, place))
            .or_else(|| self.model_config_call(path, args, place))
            .or_else(|| self.training_call(path, args, place));
        if let Some(val) = found {
            return val;
        }
        match (library, leaf) {
            (Some("diffusers"), "from_pretrained" | "from_config") => {
                self.escape(args);
                let class = path.rsplit_once('.').map_or(&**path, |(class, _)| class);
                AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Library(class.into()))), place)
            }
            (Some("dataclasses" | "pydantic" | "pydantic_settings" | "attr" | "attrs"), "field" | "Field" | "ib") => {
                self.field_default(args, place)
            }
            (Some("dataclasses" | "attr" | "attrs"), "asdict" | "astuple") | (Some("copy"), "copy" | "deepcopy") => {
                let val = args.positional.first().cloned().unwrap_or_else(AbstractValue::unknown);
                let copied = self.copied_model(&val, place).or_else(|| self.copied_module(&val));
                copied.or_else(|| self.copied_block(&val, place)).unwrap_or_else(|| self.copy_dict(&val))
            }
            (Some("dataclasses"), "replace") | (Some("attr" | "attrs"), "evolve") => self.replaced(args, place),
            (Some("dataclasses" | "attr" | "attrs"), "fields") => self.fields_of(args, place),
            (Some("pathlib"), "Path" | "PurePath" | "PosixPath")
            | (Some("os"), "fspath" | "abspath" | "realpath" | "expanduser" | "normpath" | "join") => {
                self.path_of_parts(args, place)
            }
            // Files of the project are there; others may be where it runs.
            (Some("os"), "exists" | "isfile")
                if args.positional.first().is_some_and(|path| self.named_file(path, place).is_some()) =>
            {
                AbstractValue::located(ValueKind::Scalar(Value::Bool(true)), place)
            }
            (Some("os"), "dirname") => match args.positional.first() {
                Some(val) => self.attribute(val, "parent", place),
                None => AbstractValue::located(ValueKind::Unknown, place),
            },
            (Some("tqdm"), _) | (Some("torch"), "compile") => {
                args.positional.first().cloned().unwrap_or_else(AbstractValue::unknown)
            }
            (Some("types" | "argparse"), "SimpleNamespace" | "Namespace") => self.namespace(path, args, place),
            _ => {
                self.escape(args);
                let id = self.new_object(ObjectKind::Library(path.clone()));
                AbstractValue::located(ValueKind::Object(id), place)
            }
        }
    }

    /// Calls a method of an object.
    pub(super) fn call_method(&mut self, id: usize, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        if let Some((part, method)) = name.rsplit_once('.').filter(|_| self.is_model_or_module(id)) {
            return self.part_method(id, part, method, args, place);
        }
        if let Some(val) = self.module_method(id, name, args, place) {
            return val;
        }
        match self.heap[id].kind.clone() {
            ObjectKind::Handle(val) => self.handle_method(&val, name, args, place),
            ObjectKind::Dict { .. } => self.dict_method(id, name, args, place),
            ObjectKind::Parser => self.parser_method(id, name, args, place),
            ObjectKind::DataclassParser { classes, trl, place: made } => {
                self.dataclass_parser_method((&classes, trl, made), name, args, place)
            }
            ObjectKind::Model(load) => self.model_method(id, load, name, args, place),
            ObjectKind::Output(_) => match name {
                "mean" | "sum" | "to" | "float" | "item" if name != "item" => {
                    AbstractValue::located(ValueKind::Object(id), place)
                }
                _ => AbstractValue::located(ValueKind::Unknown, place),
            },
            ObjectKind::Super { object, class } => {
                if let Some(base) = self.definitions.external_base(class)
                    && name == "__init__"
                {
                    self.initialize_library_base(&base, object, args, place);
                }
                AbstractValue::located(ValueKind::Unknown, place)
            }
            ObjectKind::Library(path) => self.call_library_method(id, &path, name, args, place),
            ObjectKind::Instance { .. } if name.starts_with("parse_") && self.heap[id].attributes.contains_key(PARSER) => {
                let parser = self.heap[id].attributes[PARSER].objects().next();
                parser.map_or_else(AbstractValue::unknown, |parser| self.call_method(parser, name, args, place))
            }
            ObjectKind::Instance { class, .. } => {
                if let Some(base) = self.definitions.external_base(class) {
                    self.call_library_method(id, &base, name, args, place)
                } else {
                    self.escape(args);
                    AbstractValue::located(ValueKind::Unknown, place)
                }
            }
            ObjectKind::Namespace(_) if matches!(name, "items" | "get") => {
                let whole = AbstractValue::new(ValueKind::Object(id), ValueSource::default());
                match (name, args.positional.first()) {
                    ("get", Some(key)) => {
                        let given = CallArguments {
                            positional: [&whole, key].into_iter().chain(args.positional.get(1)).cloned().collect(),
                            ..CallArguments::default()
                        };
                        self.getattr(&whole, &given, place)
                    }
                    ("items", _) => self.items_of(&whole, place).unwrap_or_else(AbstractValue::unknown),
                    _ => AbstractValue::located(ValueKind::Unknown, place),
                }
            }
            ObjectKind::Namespace(_) if name == "update" => {
                let entries = args.positional.first().and_then(|other| self.known_entries(other, place)).unwrap_or_default();
                for (key, val) in entries.into_iter().chain(args.keyword.iter().cloned()) {
                    self.set_attribute(&AbstractValue::new(ValueKind::Object(id), ValueSource::default()), &key, &val);
                }
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            ObjectKind::Lora | ObjectKind::Quantization { .. } | ObjectKind::Namespace(_) => {
                AbstractValue::located(ValueKind::Unknown, place)
            }
        }
    }

    fn call_library_method(
        &mut self,
        id: usize,
        path: &Rc<str>,
        name: &str,
        args: &CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        if let Some(val) = self.typer_method(path, name, args, place) {
            return val;
        }
        if leaf(path) == "Accelerator" && matches!(name, "prepare" | "prepare_model") {
            return self.accelerate_prepare(args, place);
        }
        if leaf(path) == "Accelerator" && matches!(name, "unwrap_model" | "gather") {
            return args.positional.first().cloned().unwrap_or_else(AbstractValue::unknown);
        }
        if library_classes::is_trainer(path) {
            match name {
                "train" | "fit" => {
                    self.training.trainer_trains = true;
                    self.mark_trainer_models_trained(id);
                    // Lightning takes the module here.
                    self.mark_arguments_trained(args);
                    if let Some(module) = args.arg("model", 0).cloned() {
                        self.train_modules(&module, place);
                    }
                }
                "evaluate" | "predict" | "test" | "validate" => self.training.trainer_evaluates = true,
                _ => {}
            }
        }
        if qualified_name::library(path) == Some("ruamel") && name == "load" {
            return self.load_from(args, Some(vramlint_syntax::data::Loader::Yaml12), place);
        }
        self.escape(args);
        let inner: Rc<str> = format!("{path}.{name}").into();
        AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Library(inner))), place)
    }

    fn dict_method(&mut self, id: usize, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        let whole = AbstractValue::located(ValueKind::Object(id), place);
        match name {
            "update" => {
                if let Some(other) = args.positional.first() {
                    self.update_dict(&whole, other);
                }
                for (key, val) in &args.keyword {
                    self.set_item(
                        &whole,
                        &AbstractValue::located(ValueKind::Scalar(Value::Text(key.clone())), place),
                        val,
                        place,
                    );
                }
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            "get" | "pop" | "setdefault" => {
                let Some(key) = args.positional.first() else { return AbstractValue::located(ValueKind::Unknown, place) };
                let found = self.subscript(&whole, key, place);
                let open = matches!(self.heap[id].kind, ObjectKind::Dict { open: true, .. });
                self.reads.log(&found);
                if name == "pop" {
                    self.heap.make_popped_conditional(id, key);
                }
                if !found.is_unknown() {
                    return found;
                }
                match args.positional.get(1) {
                    Some(default) => {
                        if name == "setdefault" {
                            self.set_item(&whole, key, default, place);
                        }
                        if open { found.or_else(default.clone()) } else { default.clone() }
                    }
                    None if open => found,
                    None => AbstractValue::located(ValueKind::Scalar(Value::Null), place),
                }
            }
            "copy" => self.copy_dict(&whole),
            "items" => self.items_of(&whole, place).unwrap_or_else(|| AbstractValue::located(ValueKind::Unknown, place)),
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// A method of a file, a string, a loaded block or a list.
    fn handle_method(&mut self, val: &AbstractValue, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        let loaded = val
            .single()
            .and_then(|alt| if let ValueKind::Loaded(load, route) = &alt.kind { Some((*load, route.clone())) } else { None });
        match (name, loaded) {
            ("get" | "pop", Some((load, route))) => {
                let Some(Value::Text(key)) = args.positional.first().and_then(AbstractValue::constant).cloned() else {
                    return AbstractValue::located(ValueKind::Unknown, place);
                };
                let absent = args.positional.get(1).map(|default| declare(default.clone(), &key, None));
                let absent = absent.or_else(|| {
                    let none = || AbstractValue::located(ValueKind::Scalar(Value::Null), place);
                    (self.loaded_has(load, &route, &key) == Some(false)).then(none)
                });
                if name == "pop" {
                    self.take_out(val, &args.positional[0]);
                }
                self.loaded_key_or(load, &route, &key, absent, place)
            }
            ("items", Some(_)) => self.items_of(val, place).unwrap_or_else(|| AbstractValue::located(ValueKind::Unknown, place)),
            ("update", Some((load, route))) => {
                if let Some(entries) = args.positional.first().and_then(|other| self.known_entries(other, place)) {
                    for (key, val) in entries.into_iter().chain(args.keyword.iter().cloned()) {
                        self.overlay_key(load, &route, &key, val);
                    }
                }
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            (
                "open" | "read" | "read_text" | "read_bytes" | "resolve" | "absolute" | "expanduser" | "as_posix" | "encode"
                | "decode",
                None,
            )
            | ("copy" | "lower" | "upper" | "strip", Some(_)) => val.clone(),
            ("joinpath", None) => {
                let mut parts = CallArguments { positional: vec![val.clone()], ..CallArguments::default() };
                parts.positional.extend(args.positional.iter().cloned());
                self.path_of_parts(&parts, place)
            }
            ("with_name", None) => {
                let folder = self.attribute(val, "parent", place);
                let parts =
                    CallArguments { positional: [vec![folder], args.positional.clone()].concat(), ..CallArguments::default() };
                self.path_of_parts(&parts, place)
            }
            ("lower" | "upper", None) => text_methods::change_case(val, name, place),
            ("strip" | "lstrip" | "rstrip", None) => text_methods::strip(val, name, args, place),
            ("index", None) => text_methods::index(val, args, place),
            ("split", None) => text_methods::split(val, args, place),
            ("startswith" | "endswith", None) => text_methods::compare_ends(val, name, args, place),
            ("append" | "extend" | "insert" | "remove" | "clear" | "sort", _) => {
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// Joins the parts of a path. An unknown part makes the whole unknown, but the option that it comes from is kept.
    pub(super) fn path_of_parts(&mut self, args: &CallArguments, place: FileRange) -> AbstractValue {
        let mut parts = args.positional.iter();
        let Some(mut whole) = parts.next().cloned() else { return AbstractValue::located(ValueKind::Unknown, place) };
        for part in parts {
            whole = self.binary(&whole, "/", part, place);
        }
        whole
    }

    /// An environment variable that is set.
    pub(super) fn variable(&self, name: &str, place: FileRange) -> AbstractValue {
        match (self.command_line.arguments.rank_variable(name), name) {
            (Some(RankVariables::Set(count)), "WORLD_SIZE") => {
                AbstractValue::located(ValueKind::Scalar(Value::Text(count.to_string())), place)
            }
            // Each process has a value of its own.
            (Some(RankVariables::Set(_)), _) => {
                AbstractValue::located(ValueKind::External(format!("os.environ.{name}").into()), place)
            }
            _ => environment_variable(name, place),
        }
    }

    /// `os.environ.get`, `os.getenv`, and the calls that set variables.
    pub(super) fn environment_call(&mut self, path: &str, args: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        let name = args.positional.first().and_then(AbstractValue::constant).and_then(Value::as_str).map(str::to_string);
        match path {
            "os.environ.get" | "os.getenv" | "os.environ.pop" => {
                let name = name?;
                let own = environment_variable(&name, place);
                let absent = AbstractValue::located(ValueKind::Scalar(Value::Null), place);
                match self.command_line.arguments.rank_variable(&name) {
                    Some(RankVariables::Absent) => return Some(args.positional.get(1).cloned().unwrap_or(absent)),
                    Some(_) => return Some(self.variable(&name, place)),
                    None => {}
                }
                Some(match args.positional.get(1) {
                    Some(default) => {
                        let default = declare(default.clone(), &name, None).map_source(|source| {
                            source.env = Some(name.clone());
                            source.may_be_overridden = true;
                        });
                        own.or_else(default)
                    }
                    None => own,
                })
            }
            "os.environ.setdefault" | "os.putenv" => {
                let val = args.positional.get(1)?;
                self.facts.environment.push((name?, self.heap.as_data(val), place_of_value(val).unwrap_or(place)));
                Some(val.clone())
            }
            "os.environ.update" => {
                let entries = args.positional.first()?.objects().find_map(|id| match &self.heap[id].kind {
                    ObjectKind::Dict { entries, .. } => Some(entries.clone()),
                    _ => None,
                })?;
                for (key, val) in entries {
                    if let Value::Text(name) = key {
                        self.facts.environment.push((name, self.heap.as_data(&val), place_of_value(&val).unwrap_or(place)));
                    }
                }
                Some(AbstractValue::unknown())
            }
            _ => None,
        }
    }

    /// `field(default=…)`, `field(default_factory=…)`, `Field(…)`.
    fn field_default(&mut self, args: &CallArguments, place: FileRange) -> AbstractValue {
        if let Some(val) = args.arg("default", 0) {
            return val.clone();
        }
        match args.get("default_factory").and_then(AbstractValue::single).map(|alt| alt.kind.clone()) {
            Some(ValueKind::Class(class)) => self.instantiate(class, &CallArguments::default(), place),
            Some(ValueKind::Items(_) | ValueKind::Scalar(_) | ValueKind::Object(_)) => {
                args.get("default_factory").cloned().unwrap_or_else(AbstractValue::unknown)
            }
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// Initializes the library part of an instance of the project: `super().__init__(…)`.
    pub(super) fn initialize_library_base(&mut self, base: &Rc<str>, object: usize, args: &CallArguments, place: FileRange) {
        if is_module_class(base) {
            self.configure_model(object, base, args, place);
        }
        if library_classes::is_trainer(base) || library_classes::argument_class(base).is_some() {
            let _ = self.training_call(base, args, place);
            if let ObjectKind::Instance { class, .. } = self.heap[object].kind {
                self.facts.compares_pairs |= self.compares_pairs(class);
                self.defer_optimizer(class, object);
            }
            let models = self.heap.model_argument(args);
            let val = AbstractValue::new(ValueKind::Bundle(Rc::new(models)), ValueSource::default());
            self.heap[object].attributes.insert("__models__".to_string(), val);
        }
    }

    /// A trainer calls the methods of its class that make the optimizer (transformers 5.23.0 trainer.py).
    fn defer_optimizer(&mut self, class: usize, object: usize) {
        for name in ["create_optimizer", "create_optimizer_and_scheduler"] {
            let method = self.definitions.class_attribute(&self.scopes, class, name);
            if let Some(ValueKind::Function { id, .. }) = method.as_ref().and_then(AbstractValue::single).map(|alt| &alt.kind) {
                self.deferred.push_back(DeferredCall::Function(*id, Some(object)));
            }
        }
    }

    /// Whether `compute_loss` of a trainer takes the sigmoid of a difference: the loss of a reward model.
    fn compares_pairs(&self, class: usize) -> bool {
        let Some(loss) = self.definitions.class_attribute(&self.scopes, class, "compute_loss") else { return false };
        let function = loss.single().and_then(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None });
        function.is_some_and(|id| self.definitions.functions[id].def.calls_any(&["logsigmoid", "LogSigmoid"]))
    }

    /// An instance of a class of the project that no visible code constructs.
    pub(super) fn instantiate_uncalled(&mut self, class: usize, rest: FieldSource) -> usize {
        self.definitions.classes[class].made = true;
        let id = self.new_object(ObjectKind::Instance { class, rest });
        if let Some(function) = self.definitions.initializer(&self.scopes, class)
            && self.definitions.functions[function].runs == 0
        {
            self.run_without_caller(function, Some(id));
        }
        id
    }
}
