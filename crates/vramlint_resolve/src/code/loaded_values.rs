//! Values of files that the code loads, where the file is known.

use super::call_arguments::CallArguments;
use super::command_line::guessed_word;
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes::argument_class;
use super::script_arguments::RankVariables;
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileId, FileRange, Value, is_templated};
use vramlint_syntax::data::{DataFile, Loader, NodeRef};

/// Maximum number of entries of a block that are read one by one.
const MAX_ENTRIES: usize = 200;

/// What a loaded file has at a route of keys.
enum LoadedNode<'a> {
    /// The file is not known.
    Unknown,
    /// It has no such key.
    Absent,
    /// The value.
    Present(NodeRef<'a>),
}

impl<'a> Interpreter<'a> {
    /// The file that a path names, if the launch or the code settles it.
    pub(super) fn named_file(&self, path: &AbstractValue, place: FileRange) -> Option<FileId> {
        let alt = path.single().filter(|alt| alt.condition.is_none() && !alt.source.may_be_overridden)?;
        let text = alt.scalar().and_then(Value::as_str)?;
        let own = self.sources.file(place.file)?.folder();
        let launch = self.command_line.arguments.folder.as_deref().unwrap_or(own);
        // Paths on the command line are relative to where the command runs; paths in the code, as a rule, to the code.
        let given = alt.source.name.starts_with("sys.argv[")
            || alt.source.option.as_deref().is_some_and(|option| self.command_line.arguments.option(option, &[]).is_some());
        let (first, second) = if given { (launch, own) } else { (own, launch) };
        self.sources.paths.resolve(text, first).or_else(|| self.sources.paths.resolve(text, second))
    }

    fn loaded_node(&self, load: usize, route: &[String]) -> LoadedNode<'a> {
        let file = self.facts.loaded_files.get(&load).and_then(|id| self.sources.file(*id));
        let Some(root) = file.and_then(|file| file.data()).and_then(DataFile::root) else { return LoadedNode::Unknown };
        let found = route.iter().try_fold(root, |node, key| node.get(key));
        // Hydra adds the files that `defaults` names.
        let is_whole = root.get("defaults").is_none_or(|list| list.items().next().is_none());
        found.map_or(if is_whole { LoadedNode::Absent } else { LoadedNode::Unknown }, LoadedNode::Present)
    }

    /// Whether a loaded file certainly has a key, or certainly has not.
    pub(super) fn loaded_has(&self, load: usize, route: &[String], name: &str) -> Option<bool> {
        let mut longer = route.to_vec();
        longer.push(name.to_string());
        if self.facts.overlays.contains_key(&(load, longer.clone())) || self.command_line.arguments.assignment(&longer).is_some()
        {
            return None;
        }
        match self.loaded_node(load, &longer) {
            LoadedNode::Unknown => None,
            LoadedNode::Absent => Some(false),
            LoadedNode::Present(_) => Some(true),
        }
    }

    /// A key of a loaded file, unless the code has replaced it.
    pub(super) fn loaded_key(&mut self, load: usize, route: &Rc<Vec<String>>, name: &str, place: FileRange) -> AbstractValue {
        let mut longer = (**route).clone();
        longer.push(name.to_string());
        let over = self.facts.overlays.get(&(load, longer.clone())).cloned();
        let own = self.written_key(load, longer, place);
        match over {
            Some(over) if over.alternatives.iter().any(|alt| alt.condition.is_none()) => over,
            Some(over) => AbstractValue::from_alternatives(own.alternatives.into_iter().chain(over.alternatives).collect()),
            None => own,
        }
    }

    /// A key of a loaded file, or what holds in its absence.
    pub(super) fn loaded_key_or(
        &mut self,
        load: usize,
        route: &Rc<Vec<String>>,
        name: &str,
        absent: Option<AbstractValue>,
        place: FileRange,
    ) -> AbstractValue {
        let own = self.loaded_key(load, route, name, place);
        match (self.loaded_has(load, route, name), absent) {
            (Some(true), _) | (_, None) => own,
            (Some(false), Some(absent)) => absent,
            (None, Some(absent)) => own.or_else(absent),
        }
    }

    /// The value at a route as the loader types it.
    fn written_key(&self, load: usize, route: Vec<String>, place: FileRange) -> AbstractValue {
        let source = ValueSource {
            place: Some(place),
            name: route.join("."),
            path: route.clone(),
            may_be_overridden: true,
            ..ValueSource::default()
        };
        let loader = self.facts.loads.get(load).and_then(|load| load.loader).unwrap_or(Loader::PyYaml);
        // A path of several keys is nothing else than a key of the file, whoever merges it.
        let merges = loader == Loader::OmegaConf || route.len() > 1;
        let assigned = self.command_line.arguments.assignment(&route).filter(|_| merges);
        let value = match (assigned, self.loaded_node(load, &route)) {
            (Some(given), _) => given.words.first().and_then(Option::as_deref).map(guessed_word),
            (None, LoadedNode::Present(node)) if !node.is_mapping() => node.value(loader),
            _ => None,
        };
        let kind = value.filter(|value| !value.as_str().is_some_and(is_templated)).and_then(|value| kind_of(&value, place));
        match kind {
            Some(kind) => {
                let loaded = Some(Rc::new((load, route)));
                AbstractValue::new(kind, ValueSource { may_be_overridden: false, loaded, ..source })
            }
            None => AbstractValue::new(ValueKind::Loaded(load, Rc::new(route)), source),
        }
    }

    /// The entries of a block of a loaded file; `None` if they are not known, or too many.
    pub(super) fn loaded_entries(
        &mut self,
        load: usize,
        route: &Rc<Vec<String>>,
        place: FileRange,
    ) -> Option<Vec<(String, AbstractValue)>> {
        let LoadedNode::Present(node) = self.loaded_node(load, route) else { return None };
        let mut keys: Vec<String> = Vec::new();
        for (key, _) in node.entries() {
            let key = key.text().filter(|key| *key != "<<" && keys.len() < MAX_ENTRIES)?.to_owned();
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        Some(
            keys.into_iter()
                .map(|key| {
                    let val = self.loaded_key(load, route, &key, place);
                    (key, val)
                })
                .collect(),
        )
    }

    /// A dict with the entries of a block of a loaded file: writes to it do not change the block.
    pub(super) fn copied_block(&mut self, val: &AbstractValue, place: FileRange) -> Option<AbstractValue> {
        let ValueKind::Loaded(load, route) = &val.single()?.kind else { return None };
        let entries = self.loaded_entries(*load, &route.clone(), place)?;
        let entries = entries.into_iter().map(|(key, val)| (Value::Text(key), val)).collect();
        let dict = self.new_object(ObjectKind::Dict { entries, open: false });
        Some(AbstractValue::located(ValueKind::Object(dict), place))
    }

    /// Whether a value is a block of a loaded file, or certainly something else in it.
    pub(super) fn is_loaded_mapping(&self, alt: &Alternative) -> Option<bool> {
        let ValueKind::Loaded(load, route) = &alt.kind else { return None };
        match self.loaded_node(*load, route) {
            LoadedNode::Present(node) => Some(node.is_mapping()),
            _ => None,
        }
    }

    /// Whether a value is certainly true or false; a block of a file is true.
    pub(super) fn truth(&self, val: &AbstractValue) -> Option<bool> {
        let block = || {
            let alt = val.single().filter(|alt| alt.condition.is_none())?;
            let ValueKind::Loaded(load, route) = &alt.kind else { return None };
            match self.loaded_node(*load, route) {
                LoadedNode::Present(node) if node.is_mapping() => Some(node.entries().next().is_some()),
                _ => None,
            }
        };
        self.heap.truth(val).or_else(block)
    }

    /// Whether a call unpacks a block of a file that is not known.
    pub(super) fn has_unknown_block(&self, args: &CallArguments) -> bool {
        args.unpacked_block
            .as_ref()
            .is_some_and(|(load, route)| !matches!(self.loaded_node(*load, route), LoadedNode::Present(_)))
    }

    /// The entries of a dict or of a block of a loaded file, if all are known.
    pub(super) fn known_entries(&mut self, val: &AbstractValue, place: FileRange) -> Option<Vec<(String, AbstractValue)>> {
        match &val.single()?.kind {
            ValueKind::Loaded(load, route) => self.loaded_entries(*load, &route.clone(), place),
            ValueKind::Object(id) => match &self.heap[*id].kind {
                ObjectKind::Namespace(parser) => {
                    let names = self.option_names(*parser);
                    Some(names.into_iter().map(|name| self.named_entry(val, name, place)).collect())
                }
                ObjectKind::Instance { class, .. } if self.definitions.classes[*class].is_record => {
                    let names = self.definitions.fields(*class);
                    let hidden = self.definitions.external_base(*class).is_some_and(|base| argument_class(&base).is_some());
                    (!hidden).then(|| names.into_iter().map(|name| self.named_entry(val, name, place)).collect())
                }
                ObjectKind::Dict { entries, open: false } if entries.len() <= MAX_ENTRIES => {
                    entries.iter().map(|(key, val)| Some((key.as_str()?.to_owned(), val.clone()))).collect()
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn named_entry(&mut self, val: &AbstractValue, name: String, place: FileRange) -> (String, AbstractValue) {
        let entry = self.attribute(val, &name, place);
        (name, entry)
    }

    /// `val.items()` as pairs.
    pub(super) fn items_of(&mut self, val: &AbstractValue, place: FileRange) -> Option<AbstractValue> {
        let pair = |(key, val): (String, AbstractValue)| {
            let key = AbstractValue::located(ValueKind::Scalar(Value::Text(key)), place);
            AbstractValue::located(ValueKind::Items(Rc::new(vec![key, val])), place)
        };
        let pairs = self.known_entries(val, place)?.into_iter().map(pair).collect();
        Some(AbstractValue::located(ValueKind::Items(Rc::new(pairs)), place))
    }

    /// Whether `name in val`, or `hasattr(val, name)`.
    pub(super) fn has_member(&self, alt: &Alternative, name: &str) -> Option<bool> {
        match &alt.kind {
            ValueKind::Loaded(load, route) => self.loaded_has(*load, route, name),
            ValueKind::Object(id) if self.heap[*id].attributes.contains_key(name) => Some(true),
            ValueKind::Object(id) => match &self.heap[*id].kind {
                ObjectKind::Dict { entries, open } => {
                    let has = entries
                        .iter()
                        .any(|(key, val)| key.as_str() == Some(name) && val.single().is_some_and(|alt| alt.condition.is_none()));
                    let may_have = *open || entries.iter().any(|(key, _)| key.as_str() == Some(name));
                    if has { Some(true) } else { (!may_have).then_some(false) }
                }
                // Every model of transformers has these.
                ObjectKind::Model(_) => {
                    matches!(name, "gradient_checkpointing_enable" | "enable_input_require_grads" | "config").then_some(true)
                }
                ObjectKind::Namespace(parser) => Some(self.option_names(*parser).iter().any(|known| known == name)),
                ObjectKind::Instance { class, rest } => {
                    let known = self.definitions.class_attribute(&self.scopes, *class, name).is_some();
                    let is_plain = self.definitions.external_base(*class).is_none()
                        && !self.definitions.has_hidden_base(*class)
                        && self.definitions.class_attribute(&self.scopes, *class, "__getattr__").is_none()
                        && matches!(rest, FieldSource::Class);
                    if known { Some(true) } else { is_plain.then_some(false) }
                }
                _ => None,
            },
            ValueKind::External(path) if &**path == "os.environ" => match self.command_line.arguments.rank_variable(name)? {
                RankVariables::Absent => Some(false),
                RankVariables::Set(_) => Some(true),
                RankVariables::Unknown => None,
            },
            _ => None,
        }
    }
}

/// A value of a file as one of the interpretation. Mappings inside of lists are not read.
fn kind_of(value: &Value, place: FileRange) -> Option<ValueKind> {
    match value {
        Value::Map(_) => None,
        Value::List(items) => {
            let item = |item: &Value| Some(AbstractValue::located(kind_of(item, place)?, place));
            items.iter().map(item).collect::<Option<Vec<_>>>().map(|items| ValueKind::Items(Rc::new(items)))
        }
        scalar => Some(ValueKind::Scalar(scalar.clone())),
    }
}
