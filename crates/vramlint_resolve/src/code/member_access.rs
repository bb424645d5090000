//! Attributes and items of values.

use super::call_arguments::CallArguments;
use super::conditions::conjoin;
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes::loads_model;
use super::modules::ImportTarget;
use super::value::{AbstractValue, Alternative, ValueKind, declare, hidden};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

impl Interpreter<'_> {
    /// `base.name`.
    pub(super) fn attribute(&mut self, base: &AbstractValue, name: &str, place: FileRange) -> AbstractValue {
        let mut alternatives = Vec::new();
        for alt in &base.alternatives {
            let val = self.attribute_of(alt, name, place);
            alternatives.extend(val.alternatives.into_iter().map(|inner| within(inner, alt)));
        }
        AbstractValue::from_alternatives(alternatives)
    }

    fn attribute_of(&mut self, alt: &Alternative, name: &str, place: FileRange) -> AbstractValue {
        match &alt.kind {
            ValueKind::Module(file) => self.member(&ImportTarget::File(*file), name),
            ValueKind::Folder(folder) => self.member(&ImportTarget::Folder(folder.to_string()), name),
            ValueKind::External(path) => {
                let floats = if name == "is_floating_point" { is_float(path) } else { None };
                let kind = floats.map_or_else(
                    || ValueKind::External(format!("{path}.{name}").into()),
                    |floats| ValueKind::Scalar(Value::Bool(floats)),
                );
                AbstractValue::located(kind, place)
            }
            ValueKind::Class(class)
                if matches!(
                    name,
                    "__dataclass_fields__" | "__annotations__" | "model_fields" | "__fields__" | "__attrs_attrs__"
                ) =>
            {
                self.field_names_of(*class, place)
            }
            ValueKind::Class(class) if name == "__name__" => {
                let name = self.definitions.classes[*class].def.name.clone();
                AbstractValue::located(ValueKind::Scalar(Value::Text(name)), place)
            }
            ValueKind::Class(class) => match self.definitions.class_attribute(&self.scopes, *class, name) {
                Some(val) => val,
                None => self.inherited_loader(*class, name, place),
            },
            ValueKind::Object(id) => self.object_attribute(*id, name, place),
            ValueKind::Loaded(load, route) => {
                if matches!(name, "get" | "items" | "keys" | "values" | "pop" | "update" | "copy") {
                    return self.method_of_value(alt, name, place);
                }
                self.loaded_key(*load, route, name, place)
            }
            ValueKind::Scalar(Value::Text(text)) => match name {
                "parent" => {
                    let folder = text.rsplit_once('/').map_or("", |(folder, _)| folder);
                    AbstractValue::new(ValueKind::Scalar(Value::Text(folder.to_string())), (*alt.source).clone())
                }
                _ => self.method_of_value(alt, name, place),
            },
            ValueKind::Scalar(_) | ValueKind::Items(_) | ValueKind::ParameterName => self.method_of_value(alt, name, place),
            ValueKind::Method(id, part) if self.is_model_or_module(*id) => {
                AbstractValue::located(ValueKind::Method(*id, format!("{part}.{name}").into()), place)
            }
            ValueKind::Method(..)
            | ValueKind::Unknown
            | ValueKind::Bundle(_)
            | ValueKind::Function { .. }
            | ValueKind::Position
            | ValueKind::Range(..)
            | ValueKind::Selection(_) => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// `from_pretrained` of a class that derives from a library's model.
    fn inherited_loader(&mut self, class: usize, name: &str, place: FileRange) -> AbstractValue {
        let path = self.definitions.external_base(class).map(|base| format!("{base}.{name}"));
        let Some(path) = path.filter(|path| loads_model(path)) else { return AbstractValue::located(ValueKind::Unknown, place) };
        self.parameters.derived_loads.insert((place.file, place.range.start), class);
        AbstractValue::located(ValueKind::External(path.into()), place)
    }

    /// A method of a scalar, a list or a loaded block.
    fn method_of_value(&mut self, alt: &Alternative, name: &str, place: FileRange) -> AbstractValue {
        let handle = self.new_object(ObjectKind::Handle(AbstractValue { alternatives: vec![alt.clone()] }));
        AbstractValue::located(ValueKind::Method(handle, name.into()), place)
    }

    fn object_attribute(&mut self, id: usize, name: &str, place: FileRange) -> AbstractValue {
        self.note_read(id, name);
        if let Some(val) = self.heap[id].attributes.get(name) {
            return val.clone();
        }
        if matches!(self.heap[id].kind, ObjectKind::Library(_) | ObjectKind::Instance { .. })
            && let Some(val) = self.heap.attribute(id, name)
        {
            return val.clone();
        }
        match self.heap[id].kind.clone() {
            ObjectKind::Instance { class, rest } => self.instance_attribute(id, class, &rest, name, place),
            ObjectKind::Super { object, class } => {
                let above: Vec<usize> = self.definitions.lineage(class).into_iter().skip(1).collect();
                for class in above {
                    if let Some(val) = self.definitions.own_attribute(&self.scopes, class, name) {
                        return bind(val, object);
                    }
                }
                AbstractValue::located(ValueKind::Method(id, name.into()), place)
            }
            ObjectKind::Namespace(parser) => match name {
                "__dict__" => AbstractValue::located(ValueKind::Object(id), place),
                "update" => AbstractValue::located(ValueKind::Method(id, name.into()), place),
                "items" | "get" if !self.option_names(parser).iter().any(|known| known == name) => {
                    AbstractValue::located(ValueKind::Method(id, name.into()), place)
                }
                _ => self.option_value(parser, name, place),
            },

            ObjectKind::Library(path) if let Some(default) = self.library_default(id, &path, name, place) => default,
            ObjectKind::Library(_) if let Some(val) = self.taken_over(id, name, place) => val,
            ObjectKind::Output(_) if matches!(name, "loss" | "logits") => AbstractValue::located(ValueKind::Object(id), place),
            ObjectKind::Model(_) if matches!(name, "model" | "base_model") => {
                AbstractValue::located(ValueKind::Object(self.below_head(id)), place)
            }
            ObjectKind::Model(_) if matches!(name, "module" | "pretrained_model" | "policy") => {
                AbstractValue::located(ValueKind::Object(id), place)
            }
            ObjectKind::Model(load) => {
                let at = self.facts.models[load].place;
                let class = self.parameters.derived_loads.get(&(at.file, at.range.start));
                let own = class.and_then(|class| self.definitions.class_attribute(&self.scopes, *class, name));
                own.map_or_else(|| AbstractValue::located(ValueKind::Method(id, name.into()), place), |method| bind(method, id))
            }
            _ => AbstractValue::located(ValueKind::Method(id, name.into()), place),
        }
    }

    fn instance_attribute(&mut self, id: usize, class: usize, rest: &FieldSource, name: &str, place: FileRange) -> AbstractValue {
        if name == "__dict__" {
            return AbstractValue::located(ValueKind::Object(id), place);
        }
        let Some(val) = self.definitions.class_attribute(&self.scopes, class, name) else {
            return match self.definitions.external_base(class) {
                Some(base) if let Some(default) = self.library_default(id, &base, name, place) => default,
                Some(_) => AbstractValue::located(ValueKind::Method(id, name.into()), place),
                None => AbstractValue::located(ValueKind::Unknown, place),
            };
        };
        let function = val.single().and_then(|alt| if let ValueKind::Function { id, .. } = alt.kind { Some(id) } else { None });
        if let Some(function) = function {
            let has_decorator = |word: &str| {
                self.definitions.functions[function]
                    .def
                    .decorators
                    .iter()
                    .any(|decorator| decorator.dotted().is_some_and(|name| name.rsplit('.').next() == Some(word)))
            };
            if has_decorator("staticmethod") {
                return val;
            }
            if has_decorator("property") || has_decorator("cached_property") {
                return self.call_function(function, Some(id), CallArguments::default(), place);
            }
            return bind(val, id);
        }
        match rest {
            FieldSource::Loaded(load, _) if self.is_parsed_option(*load, name) => {
                let form = self.field_form(class, name);
                self.command_line.as_option_value(val, name, &[], &form)
            }
            FieldSource::Class if self.is_settings_class(class) => self.settings_field(class, name, val, place),
            FieldSource::Class => val,
            FieldSource::Overridable => val.map_source(|source| source.may_be_overridden = true),
            FieldSource::Hidden => hidden(val),
            FieldSource::Options => {
                let form = self.field_form(class, name);
                self.command_line.as_option_value(val, name, &[], &form)
            }
            FieldSource::Loaded(load, route) => {
                let route = Rc::new(route.clone());
                self.loaded_key_or(*load, &route, name, Some(val), place)
            }
        }
    }

    /// `base[index]`.
    pub(super) fn subscript(&mut self, base: &AbstractValue, index: &AbstractValue, place: FileRange) -> AbstractValue {
        let key = index.single().and_then(Alternative::scalar).cloned();
        if let Some(ValueKind::Range(first, end)) = index.single().map(|alt| &alt.kind)
            && let Some(ValueKind::Method(id, part)) = base.single().map(|alt| &alt.kind)
            && self.is_model_or_module(*id)
        {
            return AbstractValue::located(ValueKind::Method(*id, format!("{part}[{first}:{end}]").into()), place);
        }
        let mut alternatives = Vec::new();
        for alt in &base.alternatives {
            let val = self.subscript_of(alt, key.as_ref(), place);
            alternatives.extend(val.alternatives.into_iter().map(|inner| within(inner, alt)));
        }
        AbstractValue::from_alternatives(alternatives)
    }

    fn subscript_of(&mut self, alt: &Alternative, key: Option<&Value>, place: FileRange) -> AbstractValue {
        let unknown = AbstractValue::located(ValueKind::Unknown, place);
        if let ValueKind::Method(id, part) = &alt.kind
            && self.is_model_or_module(*id)
        {
            let index = key.and_then(Value::as_int).map_or_else(|| "?".to_owned(), |index| index.to_string());
            return AbstractValue::located(ValueKind::Method(*id, format!("{part}[{index}]").into()), place);
        }
        let Some(key) = key else { return unknown };
        match (&alt.kind, key) {
            (ValueKind::Items(items), Value::Int(i)) => {
                let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
                let at = if *i < 0 { i.saturating_add(length) } else { *i };
                usize::try_from(at).ok().and_then(|at| items.get(at)).cloned().unwrap_or(unknown)
            }
            (ValueKind::Loaded(load, route), Value::Text(name)) => self.loaded_key(*load, route, name, place),
            (ValueKind::Object(id), _) => match &self.heap[*id].kind {
                ObjectKind::Dict { entries, .. } => {
                    entries.iter().rev().find(|(k, _)| k == key).map_or(unknown, |(_, val)| val.clone())
                }
                ObjectKind::Namespace(_) | ObjectKind::Instance { .. } => match key {
                    Value::Text(name) => self.object_attribute(*id, name, place),
                    _ => unknown,
                },
                _ => unknown,
            },
            (ValueKind::External(path), Value::Text(name)) if &**path == "os.environ" => self.variable(name, place),
            (ValueKind::External(path), Value::Int(i)) if &**path == "sys.argv" => self.word_of_command(*i, place),
            _ => unknown,
        }
    }

    /// `base.name = val`.
    pub(super) fn set_attribute(&mut self, base: &AbstractValue, name: &str, val: &AbstractValue) {
        let single = base.alternatives.len() == 1;
        for alt in &base.alternatives {
            match &alt.kind {
                ValueKind::Object(id) => {
                    let class = match self.heap[*id].kind {
                        ObjectKind::Instance { class, .. } => Some(self.definitions.classes[class].def.name.clone()),
                        _ => None,
                    };
                    let val = declare(val.clone(), name, class.as_deref());
                    let old = self.heap[*id].attributes.get(name).cloned();
                    let val = self.after_write(*id, old, val, single);
                    self.heap[*id].attributes.insert(name.to_string(), val);
                }
                ValueKind::Class(class) => {
                    let scope = self.definitions.classes[*class].scope;
                    let owner = self.definitions.classes[*class].def.name.clone();
                    self.scopes.set(scope, name, declare(val.clone(), name, Some(&owner)));
                }
                ValueKind::Module(file) => {
                    if let Some(scope) = self.module_scopes.get(file).copied() {
                        self.scopes.set(scope, name, declare(val.clone(), name, None));
                    }
                }
                ValueKind::Loaded(load, route) => self.overlay_key(*load, route, name, val.clone()),
                _ => {}
            }
        }
    }

    pub(super) fn overlay_key(&mut self, load: usize, route: &Rc<Vec<String>>, name: &str, val: AbstractValue) {
        let mut key = (**route).clone();
        key.push(name.to_string());
        let condition = self.control.guards.condition();
        let mut val = val;
        for alt in &mut val.alternatives {
            alt.condition = conjoin(condition.as_ref(), alt.condition.as_ref());
        }
        self.facts.overlays.insert((load, key), val);
    }
}

/// An alternative of a member under the conditions of its owner.
fn within(inner: Alternative, outer: &Alternative) -> Alternative {
    Alternative {
        condition: conjoin(outer.condition.as_ref(), inner.condition.as_ref()),
        fallback: inner.fallback || outer.fallback,
        ..inner
    }
}

/// A function as a method of an object.
fn bind(mut val: AbstractValue, object: usize) -> AbstractValue {
    for alt in &mut val.alternatives {
        if let ValueKind::Function { receiver, .. } = &mut alt.kind {
            *receiver = Some(object);
        }
    }
    val
}

/// Whether a type of torch is one of floating-point numbers: `torch.uint8.is_floating_point`.
fn is_float(path: &str) -> Option<bool> {
    const FLOATS: [&str; 4] = ["float", "bfloat", "half", "double"];
    const INTEGERS: [&str; 5] = ["int", "uint", "bool", "short", "long"];
    let name = path.strip_prefix("torch.")?;
    // With or without a width.
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_one_of = |kinds: &[&str]| kinds.contains(&kind);
    is_one_of(&FLOATS).then_some(true).or_else(|| is_one_of(&INTEGERS).then_some(false))
}
