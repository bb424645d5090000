//! Values of files that the code loads, where the file is known.

use super::call_arguments::CallArguments;
use super::command_line::guessed_word;
use super::composition::{Layer, LayeredNode, layered_node};
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes::argument_class;
use super::script_arguments::RankVariables;
use super::value::{AbstractValue, Alternative, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileId, FileRange, Value, is_templated};
use vramlint_syntax::data::{DataFile, Loader};
use vramlint_syntax::python::{Expr, ExprKind};

/// Maximum number of entries of a block that are read one by one.
const MAX_ENTRIES: usize = 200;

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

    /// What a loaded configuration has at a route of keys, with those that the command line adds to a composed one.
    fn loaded_node(&self, load: usize, route: &[String]) -> LayeredNode<'a> {
        let data = |id| self.sources.file(id).and_then(|file| file.data());
        let layers = self.facts.loads.get(load).map_or(&[][..], |load| load.layers.as_slice());
        if layers.is_empty() {
            let Some(file) = self.facts.loaded_files.get(&load).copied() else { return LayeredNode::Unknown };
            let Some(root) = data(file).and_then(DataFile::root) else { return LayeredNode::Unknown };
            let own = [Layer { file: Some(file), package: Vec::new() }];
            let found = layered_node(&own, route, data);
            // Hydra adds the files that `defaults` names.
            let is_whole = root.get("defaults").is_none_or(|list| list.items().next().is_none());
            return if is_whole || !matches!(found, LayeredNode::Absent) { found } else { LayeredNode::Unknown };
        }
        let mut found = layered_node(layers, route, data);
        for given in self.command_line.arguments.options.iter().filter(|given| given.assigned) {
            if self.chooses_group(load, &given.name) {
                continue;
            }
            let name: Vec<String> = given.name.split('.').map(str::to_owned).collect();
            match (route.strip_prefix(name.as_slice()), name.strip_prefix(route), &mut found) {
                // The block itself is replaced.
                (Some(_), ..) => return LayeredNode::Unknown,
                (None, Some([key, ..]), LayeredNode::Block(keys)) if !keys.contains(key) => keys.push(key.clone()),
                (None, Some([key, ..]), LayeredNode::Absent) => found = LayeredNode::Block(vec![key.clone()]),
                _ => {}
            }
        }
        if self.is_removed_or_swept(layers, route) { LayeredNode::Unknown } else { found }
    }

    fn chooses_group(&self, load: usize, name: &str) -> bool {
        self.facts.group_choices.get(&load).is_some_and(|choices| choices.contains(name))
    }

    /// Whether `~key` removes a key, or a sweep gives it several values.
    fn is_removed_or_swept(&self, layers: &[Layer], route: &[String]) -> bool {
        let words = self.command_line.arguments.words.iter().flatten().flatten();
        let key = route.join(".");
        let (mut removed, mut sweeps) = (false, false);
        for word in words {
            sweeps |= matches!(word.as_str(), "-m" | "--multirun");
            let name = word.strip_prefix('~').map(|rest| rest.split('=').next().unwrap_or(rest));
            removed |= name.is_some_and(|name| key == name || key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')));
        }
        let data = |id| self.sources.file(id).and_then(|file| file.data());
        let sweeper = ["hydra", "sweeper", "params"].map(str::to_owned);
        let is_swept = || match layered_node(layers, &sweeper, data) {
            LayeredNode::Block(keys) => keys.contains(&key),
            LayeredNode::Absent => false,
            _ => true,
        };
        removed || sweeps && !route.is_empty() && is_swept()
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
            LayeredNode::Unknown => None,
            LayeredNode::Absent => Some(false),
            LayeredNode::Value(..) | LayeredNode::Block(_) => Some(true),
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
            (None, Some(absent)) => {
                let mut longer = (**route).clone();
                longer.push(name.to_owned());
                let key = Rc::new((load, longer));
                own.or_else(absent.map_source(|source| source.loaded = Some(key.clone())))
            }
        }
    }

    /// The value at a route as the loader types it.
    fn written_key(&mut self, load: usize, route: Vec<String>, place: FileRange) -> AbstractValue {
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
        let merges = merges && !self.chooses_group(load, &route.join("."));
        let assigned = self.command_line.arguments.assignment(&route).filter(|_| merges);
        let value = match (assigned, self.loaded_node(load, &route)) {
            (Some(given), _) => given.words.first().and_then(Option::as_deref).and_then(|word| assigned_word(word, loader)),
            (None, LayeredNode::Value(_, _, node)) => node.value(loader),
            _ => None,
        };
        if let Some(Value::Text(text)) = &value
            && loader == Loader::OmegaConf
            && text.contains("${")
            && let Some(found) = self.interpolated(load, &route, text, place)
        {
            return found;
        }
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
        let LayeredNode::Block(keys) = self.loaded_node(load, route) else { return None };
        if keys.len() > MAX_ENTRIES || keys.iter().any(|key| key == "<<") {
            return None;
        }
        let mut entries = Vec::with_capacity(keys.len());
        for key in keys {
            let mut longer = (**route).clone();
            longer.push(key.clone());
            let removed = self.facts.removed_keys.get(&(load, longer)).copied();
            let val = self.loaded_key(load, route, &key, place);
            match removed {
                Some(true) => {}
                Some(false) => {
                    let condition = format!("{key} is not taken out");
                    entries.push((key, val.under_condition(Some(&condition.into()))));
                }
                None => entries.push((key, val)),
            }
        }
        Some(entries)
    }

    /// Takes a key out of a dict or of a block of a loaded file: `d.pop(key)`, `del d[key]`.
    pub(super) fn take_out(&mut self, base: &AbstractValue, key: &AbstractValue) {
        let certain = self.control.guards.is_empty() && base.single().is_some();
        for alt in &base.alternatives {
            match &alt.kind {
                ValueKind::Object(id) => self.heap.make_popped_conditional(*id, key),
                ValueKind::Loaded(load, route) => {
                    if let Some(Value::Text(key)) = key.constant() {
                        let mut longer = (**route).clone();
                        longer.push(key.clone());
                        self.facts.removed_keys.insert((*load, longer), certain);
                    }
                }
                _ => {}
            }
        }
    }

    /// `del d[key]`, `del d.key`.
    pub(super) fn delete(&mut self, targets: &'a [Expr], scope: usize) {
        for target in targets {
            let (base, key) = match &target.kind {
                ExprKind::Subscript(base, index) => (base, self.without_reads(|this| this.eval(index, scope))),
                ExprKind::Attribute(base, name, _) => {
                    let key = ValueKind::Scalar(Value::Text(name.clone()));
                    (base, AbstractValue::new(key, ValueSource::default()))
                }
                _ => continue,
            };
            let base = self.without_reads(|this| this.eval(base, scope));
            self.take_out(&base, &key);
        }
    }

    /// A dict or a block of a loaded file as a dict, and so the blocks in it.
    pub(super) fn as_nested_dict(&mut self, kind: &ValueKind, place: FileRange, depth: usize) -> Option<usize> {
        let entries = match kind {
            ValueKind::Loaded(load, route) => {
                let entries = self.loaded_entries(*load, route, place)?;
                entries.into_iter().map(|(key, val)| (Value::Text(key), val)).collect()
            }
            ValueKind::Object(id) => match &self.heap[*id].kind {
                ObjectKind::Dict { entries, .. } => entries.clone(),
                _ => return None,
            },
            _ => return None,
        };
        let mut made = Vec::with_capacity(entries.len());
        for (key, val) in entries {
            let kind = val.single().filter(|_| depth > 0).map(|alt| alt.kind.clone());
            let inner = kind.and_then(|kind| self.as_nested_dict(&kind, place, depth - 1));
            made.push((key, inner.map_or(val, |dict| AbstractValue::located(ValueKind::Object(dict), place))));
        }
        Some(self.new_object(ObjectKind::Dict { entries: made, open: false }))
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
            LayeredNode::Block(_) => Some(true),
            LayeredNode::Value(..) => Some(false),
            LayeredNode::Unknown | LayeredNode::Absent => None,
        }
    }

    /// Whether a value is certainly true or false; a block of a file is true.
    pub(super) fn truth(&self, val: &AbstractValue) -> Option<bool> {
        let block = || {
            let alt = val.single().filter(|alt| alt.condition.is_none())?;
            let ValueKind::Loaded(load, route) = &alt.kind else { return None };
            match self.loaded_node(*load, route) {
                LayeredNode::Block(keys) => Some(!keys.is_empty()),
                _ => None,
            }
        };
        self.heap.truth(val).or_else(block)
    }

    /// Whether a call unpacks a block of a file that is not known.
    pub(super) fn has_unknown_block(&self, args: &CallArguments) -> bool {
        args.unpacked_block.as_ref().is_some_and(|(load, route)| {
            !matches!(self.loaded_node(*load, route), LayeredNode::Block(_) | LayeredNode::Value(..))
        })
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

/// A word of the command line that replaces a key; `None` for lists, mappings and sweeps.
pub(super) fn assigned_word(word: &str, loader: Loader) -> Option<Value> {
    if loader != Loader::OmegaConf {
        return Some(guessed_word(word));
    }
    let quoted = ['"', '\''].iter().find_map(|mark| word.strip_prefix(*mark)?.strip_suffix(*mark));
    match (quoted, word) {
        (Some(text), _) => Some(Value::Text(text.to_owned())),
        (None, "null" | "") => Some(Value::Null),
        (None, word) if word.contains("${") => Some(Value::Text(word.to_owned())),
        (None, word) if word.contains(['[', '{', ',', '(']) => None,
        (None, word) => match word.to_ascii_lowercase().as_str() {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => Some(guessed_word(word)),
        },
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
