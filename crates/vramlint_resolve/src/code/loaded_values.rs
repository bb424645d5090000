//! Values of loaded files that are known while the code is interpreted: they decide branches and fallbacks.

use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, ValueSource};
use crate::SourceFile;
use std::rc::Rc;
use vramlint_base::value_readers::python_truth;
use vramlint_base::{Value, is_templated};
use vramlint_syntax::data::{Loader, NodeRef};

/// A value at a route of keys in a loaded file.
pub(super) enum LoadedValue {
    /// The file or the command line has it.
    Known(Value),
    /// The file does not have the key.
    Absent,
    /// Neither is certain.
    Unknown,
}

impl Interpreter<'_> {
    /// Whether a value is certainly true or false for these arguments of the script and these files.
    pub(super) fn truth(&self, val: &AbstractValue) -> Option<bool> {
        match val.single().filter(|alt| alt.condition.is_none()).map(|alt| &alt.kind) {
            Some(ValueKind::Loaded(load, route)) => match self.loaded_value(*load, route) {
                LoadedValue::Known(value) => Some(python_truth(&value)),
                LoadedValue::Absent | LoadedValue::Unknown => None,
            },
            _ => self.heap.truth(val),
        }
    }

    /// A value of a loaded file as the scalar that the file has; other values as they are. For computing: the result has no key.
    pub(super) fn settled(&self, val: AbstractValue) -> AbstractValue {
        let Some(alt) = val.single() else { return val };
        let ValueKind::Loaded(load, route) = &alt.kind else { return val };
        match self.loaded_value(*load, route) {
            LoadedValue::Known(Value::Map(_)) | LoadedValue::Absent | LoadedValue::Unknown => val,
            LoadedValue::Known(Value::List(items)) => {
                let source = ValueSource { place: alt.source.place, ..ValueSource::default() };
                let items = items.into_iter().map(|item| AbstractValue::new(ValueKind::Scalar(item), source.clone())).collect();
                AbstractValue::new(ValueKind::Items(Rc::new(items)), source)
            }
            LoadedValue::Known(value) => {
                let source = ValueSource { may_be_overridden: false, ..(*alt.source).clone() };
                let mut settled = val.clone();
                settled.alternatives[0].kind = ValueKind::Scalar(value);
                settled.alternatives[0].source = Rc::new(source);
                settled
            }
        }
    }

    /// A key of a loaded file with a fallback: only one of them if the file is known.
    pub(super) fn key_or(&self, own: AbstractValue, fallback: AbstractValue) -> AbstractValue {
        let known = match own.single().map(|alt| &alt.kind) {
            Some(ValueKind::Loaded(load, route)) => self.loaded_value(*load, route),
            _ => LoadedValue::Unknown,
        };
        match known {
            LoadedValue::Known(_) => own,
            LoadedValue::Absent => fallback,
            LoadedValue::Unknown => own.or_else(fallback),
        }
    }

    /// The value at a route of keys in a loaded file.
    pub(super) fn loaded_value(&self, load: usize, route: &[String]) -> LoadedValue {
        let Some(info) = self.facts.loads.get(load) else { return LoadedValue::Unknown };
        if info.loader == Some(Loader::OmegaConf)
            && let Some(given) = self.command_line.arguments.override_of(route)
        {
            return given.map_or(LoadedValue::Unknown, |value| LoadedValue::Known(value.clone()));
        }
        let Some(root) = self.document(load).and_then(|file| file.data()?.root()) else { return LoadedValue::Unknown };
        let keys: Vec<&str> = route.iter().map(String::as_str).collect();
        match root.at(&keys) {
            Some(node) => match node.value(info.loader.unwrap_or(Loader::PyYaml)) {
                Some(value) if !has_template(&value) => LoadedValue::Known(value),
                _ => LoadedValue::Unknown,
            },
            // Hydra composes the file from others, and a command line may add keys.
            None if is_composed(root) || info.loader == Some(Loader::OmegaConf) && !self.command_line.arguments.complete => {
                LoadedValue::Unknown
            }
            None => LoadedValue::Absent,
        }
    }

    /// The file that a call loads, if its path is certain.
    fn document(&self, load: usize) -> Option<&SourceFile> {
        let info = self.facts.loads.get(load)?;
        let arguments = self.command_line.arguments;
        let own = self.sources.file(info.place.file)?.folder();
        let launch = arguments.folder.as_deref().unwrap_or(own);
        let names = info.option.as_ref().map(|dest| {
            let declared = self.facts.options.iter().find(|option| option.dest == *dest);
            declared.map_or_else(Vec::new, |option| option.names.clone()).into_iter().chain([dest.clone()]).collect::<Vec<_>>()
        });
        let given = names.as_deref().and_then(|names| arguments.option(names));
        // Paths on the command line are relative to where the command runs; paths in the code, as a rule, to the code.
        let (path, first, second) = match (given, info.argument) {
            (Some(given), _) => (given.values.first()?.as_ref()?.as_str()?.to_owned(), launch, own),
            (None, Some(number)) => (arguments.words.get(number.checked_sub(1)?)?.clone()?, launch, own),
            (None, None) if info.option.is_some() && !arguments.complete => return None,
            (None, None) => (info.path.clone()?, own, launch),
        };
        let paths = self.sources.paths;
        let id = paths.resolve(&path, first).or_else(|| paths.resolve(&path, second))?;
        self.sources.file(id)
    }
}

/// Whether Hydra composes a file from others.
fn is_composed(root: NodeRef<'_>) -> bool {
    root.get("defaults").is_some_and(|defaults| defaults.items().next().is_some())
}

/// Whether a value contains a placeholder or an interpolation.
fn has_template(value: &Value) -> bool {
    match value {
        Value::Text(text) => is_templated(text) || text.contains("${"),
        Value::List(items) => items.iter().any(has_template),
        _ => false,
    }
}
