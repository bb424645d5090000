//! Python's built-in functions.

use super::call_arguments::CallArguments;
use super::command_line::{OptionDeclaration, OptionForm};
use super::expr::is_variable;
use super::file_loads::READ_MODES;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::selection::Selection;
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource, place_of_value};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

const BUILTINS: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "enumerate",
    "exec",
    "filter",
    "float",
    "getattr",
    "hasattr",
    "id",
    "input",
    "int",
    "isinstance",
    "iter",
    "len",
    "list",
    "map",
    "max",
    "min",
    "next",
    "object",
    "open",
    "print",
    "property",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "sorted",
    "staticmethod",
    "classmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

/// Whether an unbound name is a builtin.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

impl Interpreter<'_> {
    pub(super) fn call_builtin(&mut self, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        let first = args.positional.first();
        match (name, first) {
            ("any" | "all", Some(val)) if let Some(ValueKind::Items(items)) = val.single().map(|alt| &alt.kind) => {
                let kind = match Selection::joined(name == "any", items, |item| self.heap.truth(item)) {
                    Some(Ok(selection)) if selection.is_short() => ValueKind::Selection(Rc::new(selection)),
                    Some(Err(known)) => ValueKind::Scalar(Value::Bool(known)),
                    _ => ValueKind::Unknown,
                };
                AbstractValue::located(kind, place)
            }
            ("bool", Some(val)) if Selection::of(val).is_some() => val.clone(),
            ("int" | "float" | "bool" | "str", Some(val)) => convert(val, name, place),
            ("min" | "max", _) => extreme(name, args, place),
            ("open", Some(path)) => {
                let mode = args.arg("mode", 1).and_then(AbstractValue::constant).and_then(Value::as_str);
                if mode.is_some_and(|mode| !READ_MODES.contains(&mode)) {
                    return AbstractValue::located(ValueKind::Unknown, place);
                }
                AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Handle(path.clone()))), place)
            }
            ("vars", Some(val)) => val.clone(),
            ("exec", Some(val)) => {
                self.run_configurator(&val.clone(), place);
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            ("list" | "tuple" | "iter" | "sorted" | "reversed", Some(val)) if name != "sorted" && name != "reversed" => {
                val.clone()
            }
            // The trainable parameters of a model are those of the model.
            ("filter", _) if args.positional.get(1).is_some_and(|of| of.objects().next().is_some()) => args.positional[1].clone(),
            ("enumerate" | "next" | "zip" | "map" | "filter", Some(val)) => match val.single().map(|alt| &alt.kind) {
                Some(ValueKind::Bundle(_)) => val.clone(),
                _ => AbstractValue::located(ValueKind::Unknown, place),
            },
            ("dict", _) => self.dict_call(args, place),
            ("hasattr", Some(val)) => {
                let name = args.positional.get(1).and_then(AbstractValue::constant).and_then(Value::as_str);
                let known = name.and_then(|name| val.single().and_then(|alt| self.has_member(alt, name)));
                let kind = known.map_or(ValueKind::Unknown, |has| ValueKind::Scalar(Value::Bool(has)));
                AbstractValue::located(kind, place)
            }
            ("isinstance", Some(val)) => {
                let known = args.positional.get(1).and_then(|class| self.is_instance(val, class));
                AbstractValue::located(known.map_or(ValueKind::Unknown, |is| ValueKind::Scalar(Value::Bool(is))), place)
            }
            ("getattr", Some(val)) => self.getattr(&val.clone(), args, place),
            ("setattr", Some(val)) => {
                if let (Some(Value::Text(name)), Some(new)) =
                    (args.positional.get(1).and_then(AbstractValue::constant), args.positional.get(2))
                {
                    let (object, name) = (val.clone(), name.clone());
                    self.write_field(&object, &name, new, place);
                    self.set_attribute(&object, &name, new);
                }
                AbstractValue::located(ValueKind::Scalar(Value::Null), place)
            }
            ("super", _) => self.super_call(place),
            ("print", _) => AbstractValue::located(ValueKind::Scalar(Value::Null), place),
            ("len", Some(val)) => match val.single().map(|alt| &alt.kind) {
                Some(ValueKind::External(path)) if &**path == "sys.argv" => AbstractValue::located(self.count_of_words(), place),
                Some(ValueKind::Items(items)) => i64::try_from(items.len()).map_or_else(
                    |_| AbstractValue::unknown(),
                    |length| AbstractValue::located(ValueKind::Scalar(Value::Int(length)), place),
                ),
                _ => AbstractValue::located(ValueKind::Unknown, place),
            },
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// `exec(open("configurator.py").read())`, as in nanoGPT: the command line may set every global above it.
    fn run_configurator(&mut self, val: &AbstractValue, place: FileRange) {
        let path = val
            .objects()
            .find_map(|id| if let ObjectKind::Handle(path) = &self.heap[id].kind { Some(path.clone()) } else { None });
        let named = path.unwrap_or_else(|| val.clone());
        let configures = named.nominal().and_then(Value::as_str).is_some_and(|path| path.contains("config"));
        let Some(scope) = self.module_scopes.get(&place.file).copied().filter(|_| configures) else { return };
        self.run_given_files(scope, place);
        let mut globals: Vec<(String, AbstractValue)> = self.scopes[scope]
            .vars
            .iter()
            .filter(|(name, val)| !name.starts_with('_') && val.nominal().is_some())
            .map(|(name, val)| (name.clone(), val.clone()))
            .collect();
        globals.sort_by_key(|(_, val)| place_of_value(val));
        let parser = self.command_parser();
        for (name, val) in globals {
            let at = place_of_value(&val).unwrap_or(place);
            let declared = OptionDeclaration {
                names: vec![format!("--{name}")],
                dest: name.clone(),
                default: Some(val),
                place: at,
                form: OptionForm::default(),
            };
            let val = self.add_option(parser, declared);
            self.scopes.set(scope, &name, val);
        }
    }

    /// Runs the files of settings that the command line names before the options: `train.py config/finetune.py --batch_size=8`.
    fn run_given_files(&mut self, scope: usize, place: FileRange) {
        for word in self.command_line.arguments.positional.clone().into_iter().flatten() {
            let val = AbstractValue::new(
                ValueKind::Scalar(Value::Text(word.clone())),
                ValueSource { name: "sys.argv[]".to_owned(), ..ValueSource::default() },
            );
            let file = self.named_file(&val, place).filter(|_| word.ends_with(".py"));
            let Some(own) = file.and_then(|file| self.load_module(file)) else { continue };
            for (name, val) in self.scopes[own].vars.clone() {
                self.scopes.set(scope, &name, val);
            }
        }
    }

    fn dict_call(&mut self, args: &CallArguments, place: FileRange) -> AbstractValue {
        let id = self.new_object(ObjectKind::Dict { entries: Vec::new(), open: args.open || self.has_unknown_block(args) });
        let whole = AbstractValue::located(ValueKind::Object(id), place);
        for val in &args.positional {
            self.update_dict(&whole, val);
        }
        for (key, val) in &args.keyword {
            self.set_item(&whole, &AbstractValue::located(ValueKind::Scalar(Value::Text(key.clone())), place), val, place);
        }
        whole
    }

    pub(super) fn getattr(&mut self, val: &AbstractValue, args: &CallArguments, place: FileRange) -> AbstractValue {
        let Some(Value::Text(name)) = args.positional.get(1).and_then(AbstractValue::constant).cloned() else {
            // `getattr(transformers, config.architectures[0])`: a class of models, whichever.
            let is_model_class =
                val.library_path().as_deref() == Some("transformers") && self.sources.text(place).contains(".architectures");
            let kind =
                if is_model_class { ValueKind::External("transformers.PreTrainedModel".into()) } else { ValueKind::Unknown };
            return AbstractValue::located(kind, place);
        };
        let found = self.attribute(val, &name, place);
        self.reads.log(&found);
        let absent = val.single().and_then(|alt| self.has_member(alt, &name)) == Some(false);
        match args.positional.get(2) {
            Some(default) if absent => default.clone(),
            Some(default) if found.is_unknown() => {
                let known = found.alternatives.iter().any(|alt| alt.source.option.is_some() || alt.source.env.is_some());
                if known { found.or_else(default.clone()) } else { found }
            }
            _ => found,
        }
    }

    /// `super()` in a method.
    fn super_call(&mut self, place: FileRange) -> AbstractValue {
        let Some(frame) = self.control.frames.last() else { return AbstractValue::located(ValueKind::Unknown, place) };
        let Some(class) = self.definitions.functions[frame.function].class else {
            return AbstractValue::located(ValueKind::Unknown, place);
        };
        let Some(object) = frame.receiver else { return AbstractValue::located(ValueKind::Unknown, place) };
        AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Super { object, class })), place)
    }
}

/// `int(x)` and similar conversions keep the source of the value.
fn convert(val: &AbstractValue, name: &str, place: FileRange) -> AbstractValue {
    let alternatives = val
        .alternatives
        .iter()
        .map(|alt| {
            let kind = match &alt.kind {
                ValueKind::Scalar(value) => converted(value, name).map_or(ValueKind::Unknown, ValueKind::Scalar),
                // Keys of files, options and environment variables keep their kind.
                ValueKind::Loaded(load, route) => ValueKind::Loaded(*load, route.clone()),
                ValueKind::External(path) if is_variable(path) && name == "int" => ValueKind::External(path.clone()),
                _ => ValueKind::Unknown,
            };
            let mut source = (*alt.source).clone();
            source.place = source.place.or(Some(place));
            Alternative { kind, source: Rc::new(source), ..alt.clone() }
        })
        .collect();
    AbstractValue::from_alternatives(alternatives)
}

#[allow(clippy::cast_precision_loss)] // as Python's float() does
fn converted(value: &Value, name: &str) -> Option<Value> {
    match (name, value) {
        ("int", Value::Int(_)) | ("float", Value::Float(_)) | ("str", Value::Text(_)) | ("bool", Value::Bool(_)) => {
            Some(value.clone())
        }
        ("int", Value::Text(text)) => text.trim().parse().ok().map(Value::Int),
        ("int", Value::Float(x)) if x.fract() == 0.0 && x.abs() < 1e15 => format!("{x:.0}").parse().ok().map(Value::Int),
        ("float", Value::Int(n)) => Some(Value::Float(*n as f64)),
        ("float", Value::Text(text)) => text.trim().parse().ok().map(Value::Float),
        ("str", Value::Int(n)) => Some(Value::Text(n.to_string())),
        _ => None,
    }
}

/// `min`/`max` if all numbers are known.
fn extreme(name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
    let known: Option<Vec<i64>> = args.positional.iter().map(|val| val.constant().and_then(Value::as_int)).collect();
    let result = match (known, name) {
        (Some(numbers), "min") if numbers.len() > 1 => numbers.into_iter().min(),
        (Some(numbers), "max") if numbers.len() > 1 => numbers.into_iter().max(),
        _ => None,
    };
    match result {
        Some(number) => AbstractValue::new(
            ValueKind::Scalar(Value::Int(number)),
            ValueSource { place: Some(place), ..ValueSource::default() },
        ),
        None => AbstractValue::located(ValueKind::Unknown, place),
    }
}
