//! Files that the code loads.

use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::library::{leaf, root};
use super::value::{AbstractValue, Alternative, ObjectKind, ValueKind, ValueSource};
use super::{LoadRole, LoadedFile};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_syntax::data::Loader;

/// Modes of `open` that read.
pub(super) const READ_MODES: &[&str] = &["r", "rt", "rb", "r+", "tr", "br"];
/// Loads kept at most.
const LOADS: usize = 100;
/// Handles inside of handles at most.
const DEPTH: usize = 6;

impl Interpreter<'_> {
    /// `yaml.safe_load`, `json.load`, `OmegaConf.load` and their like.
    pub(super) fn load_call(&mut self, path: &Rc<str>, given: &CallArguments, place: FileRange) -> Option<AbstractValue> {
        let loader = match (root(path), leaf(path)) {
            ("yaml", "safe_load" | "full_load" | "unsafe_load" | "load" | "safe_load_all" | "load_all") => Loader::PyYaml,
            ("ruamel", "safe_load" | "round_trip_load" | "load") => Loader::Yaml12,
            ("omegaconf", "load") => Loader::OmegaConf,
            ("json" | "simplejson" | "ujson" | "orjson", "load" | "loads") => Loader::Json,
            ("omegaconf", "create" | "merge" | "to_container" | "from_cli" | "structured") => {
                return Some(Self::omegaconf(leaf(path), given, place));
            }
            _ => return None,
        };
        Some(self.load_from(given, Some(loader), place))
    }

    /// Loads what the first argument names or holds.
    pub(super) fn load_from(&mut self, given: &CallArguments, loader: Option<Loader>, place: FileRange) -> AbstractValue {
        let Some(val) = given.positional.first().or_else(|| given.keyword.first().map(|(_, val)| val)) else {
            return AbstractValue::at(ValueKind::Unknown, place);
        };
        let path = self.path_behind(val, DEPTH);
        let load = self.new_load(&path, loader, place, LoadRole::Data);
        AbstractValue::one(
            ValueKind::Loaded(load, Rc::default()),
            ValueSource { place: Some(place), soft: true, ..ValueSource::default() },
        )
    }

    /// The path of an open file; the value itself where it is no file.
    fn path_behind(&self, val: &AbstractValue, depth: usize) -> AbstractValue {
        let handle =
            val.objects().find_map(|id| if let ObjectKind::Handle(path) = &self.objects[id].kind { Some(path) } else { None });
        match handle {
            Some(path) if depth > 0 => self.path_behind(path, depth - 1),
            _ => val.clone(),
        }
    }

    /// Remembers a load; the same call with the same path is one load.
    pub(super) fn new_load(&mut self, path: &AbstractValue, loader: Option<Loader>, place: FileRange, role: LoadRole) -> usize {
        let alt: Option<&Alternative> = path.alternatives.first();
        let text = alt.and_then(Alternative::scalar).and_then(Value::as_str).map(str::to_string);
        let option = alt.and_then(|alt| alt.source.option.clone());
        let argument = path.external().and_then(|path| path.strip_prefix("sys.argv.").and_then(|n| n.parse().ok()));
        let known = self.record.loads.iter().position(|load| load.place == place && load.path == text && load.option == option);
        if let Some(index) = known {
            return index;
        }
        if self.record.loads.len() >= LOADS {
            return LOADS - 1;
        }
        self.record.loads.push(LoadedFile { path: text, option, place, loader, argument, role });
        self.record.loads.len() - 1
    }

    /// A block made of others: what is known of it is what the loaded one among them says.
    fn omegaconf(name: &str, given: &CallArguments, place: FileRange) -> AbstractValue {
        match name {
            "merge" | "to_container" | "create" | "structured" => {
                let loaded = given.all().find(|val| val.alternatives.iter().any(|alt| matches!(alt.kind, ValueKind::Loaded(..))));
                loaded
                    .or_else(|| given.positional.last())
                    .cloned()
                    .unwrap_or_else(|| AbstractValue::at(ValueKind::Unknown, place))
            }
            _ => AbstractValue::at(ValueKind::Unknown, place),
        }
    }
}
