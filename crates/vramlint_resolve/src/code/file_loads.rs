//! Files that the code loads.

use super::call_arguments::CallArguments;
use super::facts::LoadRole;
use super::interpreter::Interpreter;
use super::qualified_name::{leaf, library};
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::FileRange;
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
                let made = Self::omegaconf(leaf(path), args, place);
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

    /// A configuration made from others: the loaded one among them represents it.
    fn omegaconf(name: &str, args: &CallArguments, place: FileRange) -> AbstractValue {
        match name {
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
}
