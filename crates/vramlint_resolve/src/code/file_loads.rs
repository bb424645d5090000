//! Files that the code loads.

use super::call_arguments::CallArguments;
use super::composition::Layer;
use super::facts::{LoadRole, LoadedFile};
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::loaded_values::assigned_word;
use super::qualified_name::{leaf, library};
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::data::Loader;

/// Modes of `open` that read.
pub(super) const READ_MODES: &[&str] = &["r", "rt", "rb", "r+", "tr", "br"];
/// Maximum nesting of file handles.
const DEPTH: usize = 6;

impl Interpreter<'_> {
    /// `yaml.safe_load`, `json.load`, `OmegaConf.load` and similar calls.
    pub(super) fn load_call(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        let loader = match (library(path), leaf(path)) {
            (Some("yaml"), "safe_load" | "full_load" | "unsafe_load" | "load" | "safe_load_all" | "load_all") => Loader::PyYaml,
            (Some("ruamel"), "safe_load" | "round_trip_load" | "load") => Loader::Yaml12,
            (Some("omegaconf"), "load") => Loader::OmegaConf,
            (Some("json" | "simplejson" | "ujson" | "orjson"), "load" | "loads") => Loader::Json,
            (Some("omegaconf"), "create" | "merge" | "to_container" | "from_cli" | "structured") => {
                let made = self.omegaconf(leaf(path), args, place);
                // The container is a copy: what is taken out of it stays in the configuration.
                let copy = if leaf(path) == "to_container" { self.copied_block(&made, place) } else { None };
                return Some(copy.unwrap_or(made));
            }
            (Some("hydra"), "get_class" | "get_object" | "get_method") => {
                let name = args.positional.first()?.constant()?.as_str()?.to_owned();
                return Some(self.object_named(&name));
            }
            _ => return None,
        };
        Some(self.load_from(args, Some(loader), place))
    }

    /// Loads the file that the first argument names or has opened.
    pub(super) fn load_from(&mut self, args: &CallArguments, loader: Option<Loader>, place: FileRange) -> AbstractValue {
        let Some(val) = args.positional.first().or_else(|| args.keyword.first().map(|(_, val)| val)) else {
            return AbstractValue::located(ValueKind::Unknown, place);
        };
        let path = self.heap.opened_path(val, DEPTH);
        let load = self.facts.add_load(&path, loader, place, LoadRole::Data);
        if let Some(file) = self.named_file(&path, place) {
            self.facts.loaded_files.insert(load, file);
            if let Some(known) = self.facts.loads.get_mut(load) {
                known.file = Some(file);
            }
        }
        AbstractValue::new(
            ValueKind::Loaded(load, Rc::default()),
            ValueSource { place: Some(place), may_be_overridden: true, ..ValueSource::default() },
        )
    }

    /// A configuration made from others: the loaded one among them represents it, several are its layers.
    fn omegaconf(&mut self, name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        match name {
            "merge" if args.positional.iter().filter(|val| is_loaded(val)).count() > 1 => self.merged(args, place),
            "from_cli" if args.positional.is_empty() => self.assigned_words(place),
            "merge" | "to_container" | "create" | "structured" => {
                let loaded =
                    args.values().find(|val| val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Loaded(..))));
                loaded
                    .or_else(|| args.positional.last())
                    .cloned()
                    .unwrap_or_else(|| AbstractValue::located(ValueKind::Unknown, place))
            }
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// Loaded files of which the later ones replace keys of the earlier ones.
    fn merged(&mut self, args: &CallArguments, place: FileRange) -> AbstractValue {
        let unknown = Layer { file: None, package: Vec::new() };
        let mut layers = Vec::new();
        let mut first = None;
        for val in args.positional.iter().filter(|val| is_loaded(val)) {
            let whole = val.single().filter(|alt| alt.condition.is_none()).and_then(|alt| match &alt.kind {
                ValueKind::Loaded(load, route) if route.is_empty() => Some(*load),
                _ => None,
            });
            let Some(load) = whole.and_then(|load| Some((load, self.facts.loads.get(load)?))) else {
                layers.push(unknown.clone());
                continue;
            };
            first = first.or_else(|| Some(load.1.clone()));
            match load.1.layers.as_slice() {
                [] => layers.push(Layer { file: self.facts.loaded_files.get(&load.0).copied(), package: Vec::new() }),
                known => layers.extend_from_slice(known),
            }
        }
        let Some(first) = first else { return AbstractValue::located(ValueKind::Unknown, place) };
        let load = self.facts.add_composed(LoadedFile { place, layers, ..first });
        let source = ValueSource { place: Some(place), may_be_overridden: true, ..ValueSource::default() };
        AbstractValue::new(ValueKind::Loaded(load, Rc::default()), source)
    }

    /// `OmegaConf.from_cli()`: the words `key=value` of the command line.
    fn assigned_words(&mut self, place: FileRange) -> AbstractValue {
        let open = !self.command_line.arguments.complete;
        let whole =
            AbstractValue::located(ValueKind::Object(self.new_object(ObjectKind::Dict { entries: Vec::new(), open })), place);
        for given in self.command_line.arguments.options.iter().filter(|given| given.assigned) {
            let word = given.words.first().and_then(Option::as_deref);
            let kind = word.and_then(|word| assigned_word(word, Loader::OmegaConf)).map_or(ValueKind::Unknown, ValueKind::Scalar);
            // Paths in it are those of the command.
            let name = format!("sys.argv[{}]", given.name);
            let val = AbstractValue::new(kind, ValueSource { place: Some(place), name, ..ValueSource::default() });
            let route: Vec<&str> = given.name.split('.').collect();
            self.set_nested(&whole, &route, &val, place);
        }
        whole
    }

    fn set_nested(&mut self, dict: &AbstractValue, route: &[&str], val: &AbstractValue, place: FileRange) {
        let Some((first, rest)) = route.split_first() else { return };
        let key = AbstractValue::located(ValueKind::Scalar(Value::Text((*first).to_owned())), place);
        if rest.is_empty() {
            self.set_attribute(dict, first, val);
            return self.set_item(dict, &key, val, place);
        }
        let mut inner = self.subscript(dict, &key, place);
        if inner.objects().next().is_none() {
            let made = self.new_object(ObjectKind::Dict { entries: Vec::new(), open: false });
            inner = AbstractValue::located(ValueKind::Object(made), place);
            self.set_item(dict, &key, &inner, place);
            self.set_attribute(dict, first, &inner);
        }
        self.set_nested(&inner, rest, val, place);
    }
}

fn is_loaded(val: &AbstractValue) -> bool {
    val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Loaded(..)))
}
