//! Calls of libraries, by their full names.

use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::training_calls;
use super::value::{AbstractValue, FieldSource, ObjectKind, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// The last part of a full name.
pub(super) fn leaf(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// The first part of a full name; `?` where several libraries may have brought it in.
pub(super) fn root(path: &str) -> &str {
    path.split('.').next().unwrap_or(path)
}

impl Interpreter<'_> {
    /// Calls something of a library.
    pub(super) fn library(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> AbstractValue {
        let (root, leaf) = (root(path), leaf(path));
        if root == "builtins" {
            return self.builtin(leaf, given, place);
        }
        let found = self
            .parser_call(path, given, place)
            .or_else(|| self.load_call(path, given, place))
            .or_else(|| self.environment_call(path, given, place))
            .or_else(|| self.model_call(path, given, place))
            .or_else(|| self.training_call(path, given, place));
        if let Some(val) = found {
            return val;
        }
        match (root, leaf) {
            ("dataclasses" | "pydantic" | "pydantic_settings" | "attr" | "attrs", "field" | "Field" | "ib") => {
                self.field_default(given, place)
            }
            ("dataclasses" | "attr" | "attrs", "asdict" | "astuple") | ("copy", "copy" | "deepcopy") => {
                given.positional.first().cloned().map_or_else(AbstractValue::unknown, |val| self.copy_dict(&val))
            }
            ("pathlib", "Path" | "PurePath" | "PosixPath")
            | ("os", "fspath" | "abspath" | "realpath" | "expanduser" | "normpath" | "join") => self.path_of_parts(given, place),
            ("os", "dirname") => match given.positional.first() {
                Some(val) => self.attribute(val, "parent", place),
                None => AbstractValue::at(ValueKind::Unknown, place),
            },
            ("tqdm", _) | ("torch", "compile") => given.positional.first().cloned().unwrap_or_else(AbstractValue::unknown),
            ("types" | "argparse", "SimpleNamespace" | "Namespace") => {
                let id = self.new_object(ObjectKind::Library(path.clone()));
                for (name, val) in &given.keyword {
                    let val = super::stmt::declare(val.clone(), name, None);
                    self.objects[id].attributes.insert(name.clone(), val);
                }
                AbstractValue::at(ValueKind::Object(id), place)
            }
            _ => {
                self.escape(given);
                let id = self.new_object(ObjectKind::Library(path.clone()));
                AbstractValue::at(ValueKind::Object(id), place)
            }
        }
    }

    /// Calls a method of a thing of a library, or of a plain value.
    pub(super) fn method(&mut self, id: usize, name: &str, given: &CallArguments, place: FileRange) -> AbstractValue {
        match self.objects[id].kind.clone() {
            ObjectKind::Handle(val) => self.handle_method(&val, name, given, place),
            ObjectKind::Dict { .. } => self.dict_method(id, name, given, place),
            ObjectKind::Parser => self.parser_method(id, name, given, place),
            ObjectKind::DataclassParser { classes, trl, place: made } => {
                self.dataclass_parser_method((&classes, trl, made), name, given, place)
            }
            ObjectKind::Model(load) => self.model_method(id, load, name, given, place),
            ObjectKind::Output(_) => match name {
                "mean" | "sum" | "to" | "float" | "item" if name != "item" => AbstractValue::at(ValueKind::Object(id), place),
                _ => AbstractValue::at(ValueKind::Unknown, place),
            },
            ObjectKind::Super { object, class } => {
                if let Some(base) = self.external_base(class)
                    && name == "__init__"
                {
                    self.made_from(&base, object, given, place);
                }
                AbstractValue::at(ValueKind::Unknown, place)
            }
            ObjectKind::Library(path) => self.library_method(id, &path, name, given, place),
            ObjectKind::Instance { class, .. } => {
                if let Some(base) = self.external_base(class) {
                    self.library_method(id, &base, name, given, place)
                } else {
                    self.escape(given);
                    AbstractValue::at(ValueKind::Unknown, place)
                }
            }
            ObjectKind::Lora | ObjectKind::Quantization(_) | ObjectKind::Namespace(_) => {
                AbstractValue::at(ValueKind::Unknown, place)
            }
        }
    }

    fn library_method(
        &mut self,
        id: usize,
        path: &Rc<str>,
        name: &str,
        given: &CallArguments,
        place: FileRange,
    ) -> AbstractValue {
        if let Some(val) = self.typer_method(path, name, given, place) {
            return val;
        }
        if leaf(path) == "Accelerator" && matches!(name, "prepare" | "prepare_model") {
            return self.prepared(given, place);
        }
        if leaf(path) == "Accelerator" && matches!(name, "unwrap_model" | "gather") {
            return given.positional.first().cloned().unwrap_or_else(AbstractValue::unknown);
        }
        if training_calls::is_trainer(path) {
            match name {
                "train" | "fit" => {
                    self.events.trainer_trains = true;
                    self.trained_by_trainer(id);
                    // Lightning is given the module here.
                    self.trained_arguments(given);
                }
                "evaluate" | "predict" | "test" | "validate" => self.events.trainer_evaluates = true,
                _ => {}
            }
        }
        if root(path) == "ruamel" && name == "load" {
            return self.load_from(given, Some(vramlint_syntax::data::Loader::Yaml12), place);
        }
        self.escape(given);
        let inner: Rc<str> = format!("{path}.{name}").into();
        AbstractValue::at(ValueKind::Object(self.new_object(ObjectKind::Library(inner))), place)
    }

    fn dict_method(&mut self, id: usize, name: &str, given: &CallArguments, place: FileRange) -> AbstractValue {
        let whole = AbstractValue::at(ValueKind::Object(id), place);
        match name {
            "update" => {
                if let Some(other) = given.positional.first() {
                    self.update_dict(&whole, other);
                }
                for (key, val) in &given.keyword {
                    self.set_item(&whole, &AbstractValue::at(ValueKind::Scalar(Value::Text(key.clone())), place), val, place);
                }
                AbstractValue::at(ValueKind::Scalar(Value::Null), place)
            }
            "get" | "pop" | "setdefault" => {
                let Some(key) = given.positional.first() else { return AbstractValue::at(ValueKind::Unknown, place) };
                let found = self.item(&whole, key, place);
                let open = matches!(self.objects[id].kind, ObjectKind::Dict { open: true, .. });
                self.note_read(&found);
                if name == "pop" {
                    self.taken(id, key);
                }
                if !found.is_unknown() {
                    return found;
                }
                match given.positional.get(1) {
                    Some(default) => {
                        if name == "setdefault" {
                            self.set_item(&whole, key, default, place);
                        }
                        if open { found.or_else(default.clone()) } else { default.clone() }
                    }
                    None if open => found,
                    None => AbstractValue::at(ValueKind::Scalar(Value::Null), place),
                }
            }
            "copy" => self.copy_dict(&whole),
            _ => AbstractValue::at(ValueKind::Unknown, place),
        }
    }

    /// A method of a file, a text, a loaded block, a list.
    fn handle_method(&mut self, val: &AbstractValue, name: &str, given: &CallArguments, place: FileRange) -> AbstractValue {
        let loaded = val
            .only()
            .and_then(|alt| if let ValueKind::Loaded(load, route) = &alt.kind { Some((*load, route.clone())) } else { None });
        match (name, loaded) {
            ("get" | "pop", Some((load, route))) => {
                let Some(Value::Text(key)) = given.positional.first().and_then(AbstractValue::certain).cloned() else {
                    return AbstractValue::at(ValueKind::Unknown, place);
                };
                let own = self.loaded(load, &route, &key, place);
                match given.positional.get(1) {
                    Some(default) => own.or_else(super::stmt::declare(default.clone(), &key, None)),
                    None => own,
                }
            }
            (
                "open" | "read" | "read_text" | "read_bytes" | "resolve" | "absolute" | "expanduser" | "as_posix" | "strip"
                | "encode" | "decode",
                None,
            )
            | ("copy", Some(_)) => val.clone(),
            ("joinpath", None) => {
                let mut parts = CallArguments { positional: vec![val.clone()], ..CallArguments::default() };
                parts.positional.extend(given.positional.iter().cloned());
                self.path_of_parts(&parts, place)
            }
            ("lower" | "upper", None) => Self::change_case(val, name, place),
            ("append" | "extend" | "insert" | "remove" | "clear" | "sort", _) => {
                AbstractValue::at(ValueKind::Scalar(Value::Null), place)
            }
            _ => AbstractValue::at(ValueKind::Unknown, place),
        }
    }

    fn change_case(val: &AbstractValue, name: &str, place: FileRange) -> AbstractValue {
        match val.only().map(|alt| (alt.scalar(), &alt.source)) {
            Some((Some(Value::Text(text)), source)) => {
                let text = if name == "lower" { text.to_lowercase() } else { text.to_uppercase() };
                AbstractValue::one(ValueKind::Scalar(Value::Text(text)), (**source).clone())
            }
            _ => AbstractValue::at(ValueKind::Unknown, place),
        }
    }

    /// Parts of a path joined; what one part is unknown of makes the whole unknown, but an option stays known as such.
    pub(super) fn path_of_parts(&mut self, given: &CallArguments, place: FileRange) -> AbstractValue {
        let mut parts = given.positional.iter();
        let Some(mut whole) = parts.next().cloned() else { return AbstractValue::at(ValueKind::Unknown, place) };
        for part in parts {
            whole = self.binary(&whole, "/", part, place);
        }
        whole
    }

    /// `os.environ.get`, `os.getenv`, and the calls that set variables.
    fn environment_call(&mut self, path: &str, given: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        let name = given.positional.first().and_then(AbstractValue::certain).and_then(Value::as_str).map(str::to_string);
        match path {
            "os.environ.get" | "os.getenv" | "os.environ.pop" => {
                let name = name?;
                let own = super::member_access::variable(&name, place);
                Some(match given.positional.get(1) {
                    Some(default) => {
                        let default = super::stmt::declare(default.clone(), &name, None).map_source(|source| {
                            source.env = Some(name.clone());
                            source.soft = true;
                        });
                        own.or_else(default)
                    }
                    None => own,
                })
            }
            "os.environ.setdefault" | "os.putenv" => {
                let val = given.positional.get(1)?;
                self.record.environment.push((
                    name?,
                    self.plain_value(val),
                    super::member_access::place_of(val).unwrap_or(place),
                ));
                Some(val.clone())
            }
            "os.environ.update" => {
                let entries = given.positional.first()?.objects().find_map(|id| match &self.objects[id].kind {
                    ObjectKind::Dict { entries, .. } => Some(entries.clone()),
                    _ => None,
                })?;
                for (key, val) in entries {
                    if let Value::Text(name) = key {
                        self.record.environment.push((
                            name,
                            self.plain_value(&val),
                            super::member_access::place_of(&val).unwrap_or(place),
                        ));
                    }
                }
                Some(AbstractValue::unknown())
            }
            _ => None,
        }
    }

    /// `field(default=…)`, `field(default_factory=…)`, `Field(…)`.
    fn field_default(&mut self, given: &CallArguments, place: FileRange) -> AbstractValue {
        if let Some(val) = given.arg("default", 0) {
            return val.clone();
        }
        match given.get("default_factory").and_then(AbstractValue::only).map(|alt| alt.kind.clone()) {
            Some(ValueKind::Class(class)) => self.make(class, &CallArguments::default(), place),
            _ => AbstractValue::at(ValueKind::Unknown, place),
        }
    }

    /// The library part of an object of the project: `super().__init__(…)`.
    pub(super) fn made_from(&mut self, base: &Rc<str>, object: usize, given: &CallArguments, place: FileRange) {
        if training_calls::is_trainer(base) || training_calls::arguments(base).is_some() {
            let _ = self.training_call(base, given, place);
            let models = self.models_in(given);
            let val = AbstractValue::one(ValueKind::Bundle(Rc::new(models)), ValueSource::default());
            self.objects[object].attributes.insert("__models__".to_string(), val);
        }
    }

    /// An object of a class of the project of which the maker is not seen.
    pub(super) fn make_unseen(&mut self, class: usize, rest: FieldSource) -> usize {
        self.classes[class].made = true;
        let id = self.new_object(ObjectKind::Instance { class, rest });
        if let Some(function) = self.initializer(class)
            && self.functions[function].runs == 0
        {
            self.run_root(function, Some(id));
        }
        id
    }

    pub(super) fn initializer(&mut self, class: usize) -> Option<usize> {
        let val = self.class_attribute(class, "__init__")?;
        val.only().and_then(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None })
    }
}
