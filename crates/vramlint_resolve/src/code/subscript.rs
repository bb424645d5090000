//! Attributes, items, dicts.

use super::branch;
use super::call::Given;
use super::interpreter::Interpreter;
use super::modules::Found;
use super::stmt::declare;
use super::value::{Alt, Kind, Rest, Source, Val, What};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// Classes above a class at most.
const LINEAGE: usize = 16;

impl Interpreter<'_> {
    /// `base.name`.
    pub(super) fn attribute(&mut self, base: &Val, name: &str, place: FileRange) -> Val {
        let mut alts = Vec::new();
        for alt in &base.alts {
            let val = self.attribute_of(alt, name, place);
            alts.extend(val.alts.into_iter().map(|inner| within(inner, alt)));
        }
        Val::from_alts(alts)
    }

    fn attribute_of(&mut self, alt: &Alt, name: &str, place: FileRange) -> Val {
        match &alt.what {
            What::Module(file) => self.member(&Found::File(*file), name),
            What::Folder(folder) => self.member(&Found::Folder(folder.to_string()), name),
            What::External(path) => Val::at(What::External(format!("{path}.{name}").into()), place),
            What::Class(class) => self.class_attribute(*class, name).unwrap_or_else(|| Val::at(What::Unknown, place)),
            What::Object(id) => self.object_attribute(*id, name, place),
            What::Loaded(load, route) => {
                if matches!(name, "get" | "items" | "keys" | "values" | "pop" | "update" | "copy") {
                    return self.bound(alt, name, place);
                }
                self.loaded(*load, route, name, place)
            }
            What::Scalar(Value::Text(text)) => match name {
                "parent" => {
                    let folder = text.rsplit_once('/').map_or("", |(folder, _)| folder);
                    Val::one(What::Scalar(Value::Text(folder.to_string())), (*alt.source).clone())
                }
                _ => self.bound(alt, name, place),
            },
            What::Scalar(_) | What::Items(_) => self.bound(alt, name, place),
            What::Method(..) | What::Unknown | What::Bundle(_) | What::Function { .. } => Val::at(What::Unknown, place),
        }
    }

    /// A method of a plain value.
    fn bound(&mut self, alt: &Alt, name: &str, place: FileRange) -> Val {
        let handle = self.new_object(Kind::Handle(Val { alts: vec![alt.clone()] }));
        Val::at(What::Method(handle, name.into()), place)
    }

    fn object_attribute(&mut self, id: usize, name: &str, place: FileRange) -> Val {
        if let Some(val) = self.objects[id].attributes.get(name) {
            return val.clone();
        }
        match self.objects[id].kind.clone() {
            Kind::Instance { class, rest } => self.instance_attribute(id, class, &rest, name, place),
            Kind::Super { object, class } => {
                let above: Vec<usize> = self.lineage(class).into_iter().skip(1).collect();
                for class in above {
                    if let Some(val) = self.own_attribute(class, name) {
                        return bind(val, object);
                    }
                }
                Val::at(What::Method(id, name.into()), place)
            }
            Kind::Namespace(parser) => match name {
                "__dict__" => Val::at(What::Object(id), place),
                _ => self.option_value(parser, name, place),
            },
            Kind::Output(_) if matches!(name, "loss" | "logits") => Val::at(What::Object(id), place),
            Kind::Model(_) if matches!(name, "module" | "model" | "base_model" | "pretrained_model" | "policy") => {
                Val::at(What::Object(id), place)
            }
            _ => Val::at(What::Method(id, name.into()), place),
        }
    }

    fn instance_attribute(&mut self, id: usize, class: usize, rest: &Rest, name: &str, place: FileRange) -> Val {
        if name == "__dict__" {
            return Val::at(What::Object(id), place);
        }
        let Some(val) = self.class_attribute(class, name) else {
            return match self.external_base(class) {
                Some(_) => Val::at(What::Method(id, name.into()), place),
                None => Val::at(What::Unknown, place),
            };
        };
        let function = val.only().and_then(|alt| if let What::Function { id, .. } = alt.what { Some(id) } else { None });
        if let Some(function) = function {
            let decorated = |word: &str| {
                self.functions[function]
                    .def
                    .decorators
                    .iter()
                    .any(|decorator| decorator.dotted().is_some_and(|name| name.rsplit('.').next() == Some(word)))
            };
            if decorated("staticmethod") {
                return val;
            }
            if decorated("property") || decorated("cached_property") {
                return self.call_function(function, Some(id), Given::default(), place);
            }
            return bind(val, id);
        }
        match rest {
            Rest::Class => val,
            Rest::Soft => val.map_source(|source| source.soft = true),
            Rest::Options => self.as_option(val, name),
            Rest::Loaded(load, route) => {
                let route = Rc::new(route.clone());
                self.loaded(*load, &route, name, place).or_else(val)
            }
        }
    }

    /// What a class or those above it bind under a name.
    pub(super) fn class_attribute(&self, class: usize, name: &str) -> Option<Val> {
        self.lineage(class).into_iter().find_map(|class| self.own_attribute(class, name))
    }

    fn own_attribute(&self, class: usize, name: &str) -> Option<Val> {
        let info = &self.classes[class];
        self.scopes[info.scope].vars.get(name).cloned()
    }

    /// A class and those of the project above it, nearest first.
    pub(super) fn lineage(&self, class: usize) -> Vec<usize> {
        let mut found = vec![class];
        let mut next = 0;
        while next < found.len() && found.len() < LINEAGE {
            for base in &self.classes[found[next]].bases {
                for alt in &base.alts {
                    if let What::Class(id) = alt.what
                        && !found.contains(&id)
                    {
                        found.push(id);
                    }
                }
            }
            next += 1;
        }
        found
    }

    /// The library class that a class of the project is made from.
    pub(super) fn external_base(&self, class: usize) -> Option<Rc<str>> {
        self.lineage(class)
            .into_iter()
            .flat_map(|class| &self.classes[class].bases)
            .filter_map(Val::external)
            .find(|path| !path.starts_with("builtins.") && !path.starts_with("abc.") && !path.starts_with("typing."))
    }

    /// Whether a class of the project is made from one that is not seen, or from several of libraries.
    pub(super) fn has_hidden_base(&self, class: usize) -> bool {
        let plain = |path: &str| ["builtins.", "abc.", "typing."].iter().any(|start| path.starts_with(start));
        let lineage = self.lineage(class);
        let bases: Vec<&Val> = lineage.iter().flat_map(|class| &self.classes[*class].bases).collect();
        let hidden = |base: &&Val| !base.alts.iter().all(|alt| matches!(alt.what, What::Class(_) | What::External(_)));
        let external = bases.iter().filter_map(|base| base.external()).filter(|path| !plain(path)).count();
        bases.iter().any(hidden) || external > 1
    }

    /// `base[index]`.
    pub(super) fn item(&mut self, base: &Val, index: &Val, place: FileRange) -> Val {
        let key = index.only().and_then(Alt::scalar).cloned();
        let mut alts = Vec::new();
        for alt in &base.alts {
            let val = self.item_of(alt, key.as_ref(), place);
            alts.extend(val.alts.into_iter().map(|inner| within(inner, alt)));
        }
        Val::from_alts(alts)
    }

    fn item_of(&mut self, alt: &Alt, key: Option<&Value>, place: FileRange) -> Val {
        let unknown = Val::at(What::Unknown, place);
        let Some(key) = key else { return unknown };
        match (&alt.what, key) {
            (What::Items(items), Value::Int(i)) => {
                let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                let at = if *i < 0 { i.saturating_add(length) } else { *i };
                usize::try_from(at).ok().and_then(|at| items.get(at)).cloned().unwrap_or(unknown)
            }
            (What::Loaded(load, route), Value::Text(name)) => self.loaded(*load, route, name, place),
            (What::Object(id), _) => match &self.objects[*id].kind {
                Kind::Dict { entries, .. } => {
                    entries.iter().rev().find(|(k, _)| k == key).map_or(unknown, |(_, val)| val.clone())
                }
                Kind::Namespace(_) | Kind::Instance { .. } => match key {
                    Value::Text(name) => self.object_attribute(*id, name, place),
                    _ => unknown,
                },
                _ => unknown,
            },
            (What::External(path), Value::Text(name)) if &**path == "os.environ" => variable(name, place),
            (What::External(path), Value::Int(i)) if &**path == "sys.argv" => {
                let source = Source { place: Some(place), name: format!("sys.argv[{i}]"), soft: true, ..Source::default() };
                Val::one(What::External(format!("sys.argv.{i}").into()), source)
            }
            _ => unknown,
        }
    }

    /// A key of a loaded file, unless the code has put something else there.
    pub(super) fn loaded(&mut self, load: usize, route: &Rc<Vec<String>>, name: &str, place: FileRange) -> Val {
        let mut longer = (**route).clone();
        longer.push(name.to_string());
        let source = Source { place: Some(place), name: longer.join("."), path: longer.clone(), soft: true, ..Source::default() };
        let over = self.record.overlays.get(&(load, longer.clone())).cloned();
        let own = Val::one(What::Loaded(load, Rc::new(longer)), source);
        match over {
            Some(over) if over.alts.iter().any(|alt| alt.condition.is_none()) => over,
            Some(over) => Val::from_alts(own.alts.into_iter().chain(over.alts).collect()),
            None => own,
        }
    }

    /// `base.name = val`.
    pub(super) fn set_attribute(&mut self, base: &Val, name: &str, val: &Val) {
        let single = base.alts.len() == 1;
        for alt in &base.alts {
            match &alt.what {
                What::Object(id) => {
                    let class = match self.objects[*id].kind {
                        Kind::Instance { class, .. } => Some(self.classes[class].def.name.clone()),
                        _ => None,
                    };
                    let val = declare(val.clone(), name, class.as_deref());
                    let old = self.objects[*id].attributes.get(name).cloned();
                    let val = self.written(*id, old, val, single);
                    self.objects[*id].attributes.insert(name.to_string(), val);
                }
                What::Class(class) => {
                    let scope = self.classes[*class].scope;
                    let owner = self.classes[*class].def.name.clone();
                    self.set(scope, name, declare(val.clone(), name, Some(&owner)));
                }
                What::Module(file) => {
                    if let Some(scope) = self.module_scopes.get(file).copied() {
                        self.set(scope, name, declare(val.clone(), name, None));
                    }
                }
                What::Loaded(load, route) => self.overlay(*load, route, name, val.clone()),
                _ => {}
            }
        }
    }

    /// What stands in a thing after a write: the new value, beside the old one where the write may not happen.
    pub(super) fn written(&self, id: usize, old: Option<Val>, new: Val, certain: bool) -> Val {
        let depth = self.objects[id].depth;
        let condition = branch::all(self.guards.iter().skip(depth));
        if condition.is_none() && certain {
            return new;
        }
        let condition = condition.or_else(|| Some("…".into()));
        let mut alts: Vec<Alt> = old.map_or_else(Vec::new, |old| old.alts);
        for alt in new.alts {
            if alts.iter().any(|known| known.same(&alt)) {
                continue;
            }
            let condition = branch::both(condition.as_ref(), alt.condition.as_ref());
            alts.push(Alt { condition, ..alt });
        }
        Val::from_alts(alts)
    }

    pub(super) fn overlay(&mut self, load: usize, route: &Rc<Vec<String>>, name: &str, val: Val) {
        let mut key = (**route).clone();
        key.push(name.to_string());
        let condition = branch::all(self.guards.iter());
        let mut val = val;
        for alt in &mut val.alts {
            alt.condition = branch::both(condition.as_ref(), alt.condition.as_ref());
        }
        self.record.overlays.insert((load, key), val);
    }

    /// The value as data, if every part of it is known.
    pub(super) fn plain_value(&self, val: &Val) -> Option<Value> {
        val.alts.first().filter(|alt| alt.condition.is_none()).and_then(|alt| self.plain(&alt.what, 8))
    }

    /// A thing as data; names of torch's types become their text.
    pub(super) fn plain(&self, what: &What, depth: u32) -> Option<Value> {
        if depth == 0 {
            return None;
        }
        let inner = |val: &Val| val.only().and_then(|alt| self.plain(&alt.what, depth - 1));
        match what {
            What::Scalar(value) => Some(value.clone()),
            What::Items(items) => items.iter().map(inner).collect::<Option<Vec<_>>>().map(Value::List),
            What::External(path) => {
                path.strip_prefix("torch.").filter(|name| !name.contains('.')).map(|name| Value::Text(name.to_string()))
            }
            What::Object(id) => match &self.objects[*id].kind {
                Kind::Dict { entries, open: false } => {
                    entries.iter().map(|(key, val)| Some((key.clone(), inner(val)?))).collect::<Option<Vec<_>>>().map(Value::Map)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// A variable of the environment.
pub(super) fn variable(name: &str, place: FileRange) -> Val {
    let source =
        Source { place: Some(place), name: name.to_string(), env: Some(name.to_string()), soft: true, ..Source::default() };
    Val::one(What::Unknown, source)
}

/// Where a value is written.
pub(super) fn place_of(val: &Val) -> Option<FileRange> {
    val.alts.first().and_then(|alt| alt.source.place)
}

/// An alternative inside of an alternative: both conditions hold.
fn within(inner: Alt, outer: &Alt) -> Alt {
    Alt {
        condition: branch::both(outer.condition.as_ref(), inner.condition.as_ref()),
        fallback: inner.fallback || outer.fallback,
        ..inner
    }
}

/// A function as a method of an object.
fn bind(mut val: Val, object: usize) -> Val {
    for alt in &mut val.alts {
        if let What::Function { receiver, .. } = &mut alt.what {
            *receiver = Some(object);
        }
    }
    val
}
