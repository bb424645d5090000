//! Functions on record classes: copies with other fields, the names of fields, and what something is an instance of.

use super::call_arguments::CallArguments;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, ValueSource, declare};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

impl Interpreter<'_> {
    /// `dataclasses.replace(record, field=…)`.
    pub(super) fn replaced(&mut self, args: &CallArguments, place: FileRange) -> AbstractValue {
        let unknown = AbstractValue::located(ValueKind::Unknown, place);
        let Some(ValueKind::Object(old)) = args.positional.first().and_then(AbstractValue::single).map(|alt| alt.kind.clone())
        else {
            return unknown;
        };
        let ObjectKind::Instance { class, .. } = self.heap[old].kind else { return unknown };
        if args.open || args.unpacked_block.is_some() && self.has_unknown_block(args) {
            return unknown;
        }
        let copy = self.new_object(self.heap[old].kind.clone());
        let attributes = self.heap[old].attributes.clone();
        self.heap[copy].attributes = attributes;
        let whole = AbstractValue::located(ValueKind::Object(copy), place);
        let owner = self.definitions.classes[class].def.name.clone();
        for (name, val) in &args.keyword {
            let mut val = declare(val.clone(), name, Some(&owner));
            if val.alternatives.iter().all(|alt| alt.condition.is_some()) {
                let before = self.attribute(&whole, name, place);
                val = AbstractValue::from_alternatives(before.alternatives.into_iter().chain(val.alternatives).collect());
            }
            self.heap[copy].attributes.insert(name.clone(), val);
        }
        whole
    }

    /// `dataclasses.fields(record)`: objects with the name of each field.
    pub(super) fn fields_of(&mut self, args: &CallArguments, place: FileRange) -> AbstractValue {
        let class = match args.positional.first().and_then(AbstractValue::single).map(|alt| &alt.kind) {
            Some(ValueKind::Class(class)) => *class,
            Some(ValueKind::Object(id)) => match self.heap[*id].kind {
                ObjectKind::Instance { class, .. } => class,
                _ => return AbstractValue::located(ValueKind::Unknown, place),
            },
            _ => return AbstractValue::located(ValueKind::Unknown, place),
        };
        if self.definitions.has_hidden_base(class) || self.definitions.external_base(class).is_some() {
            return AbstractValue::located(ValueKind::Unknown, place);
        }
        let mut items = Vec::new();
        for name in self.definitions.fields(class) {
            let field = self.new_object(ObjectKind::Library("dataclasses.Field".into()));
            let name = AbstractValue::located(ValueKind::Scalar(Value::Text(name)), place);
            self.heap[field].attributes.insert("name".to_owned(), name);
            items.push(AbstractValue::new(ValueKind::Object(field), ValueSource::default()));
        }
        AbstractValue::located(ValueKind::Items(Rc::new(items)), place)
    }

    /// `Record.__dataclass_fields__` and alike: a dict with a key for each field.
    pub(super) fn field_names_of(&mut self, class: usize, place: FileRange) -> AbstractValue {
        let names = self.definitions.fields(class).into_iter().map(|name| (Value::Text(name), AbstractValue::unknown()));
        let kind = ObjectKind::Dict { entries: names.collect(), open: self.definitions.has_hidden_base(class) };
        AbstractValue::located(ValueKind::Object(self.new_object(kind)), place)
    }

    /// `isinstance(val, class)`, if both are known.
    pub(super) fn is_instance(&self, val: &AbstractValue, class: &AbstractValue) -> Option<bool> {
        if let Some(mapping) = val.single().filter(|alt| alt.condition.is_none()).and_then(|alt| self.is_loaded_mapping(alt)) {
            let is_dict = class.library_path().is_some_and(|path| &*path == "builtins.dict");
            return is_dict.then_some(mapping);
        }
        let alt = val.single().filter(|alt| !alt.source.may_be_overridden && alt.condition.is_none())?;
        let classes = match &class.single()?.kind {
            ValueKind::Items(items) => (**items).clone(),
            _ => vec![class.clone()],
        };
        let builtin = |class: &AbstractValue, name: &str| {
            class.library_path().is_some_and(|path| path.strip_prefix("builtins.") == Some(name))
        };
        // Either of both is meant where both are asked for.
        if matches!(alt.kind, ValueKind::Items(_))
            && ["list", "tuple"].iter().all(|name| classes.iter().any(|class| builtin(class, name)))
        {
            return Some(true);
        }
        let mut is = false;
        for class in &classes {
            is |= match (&class.single()?.kind, &alt.kind) {
                (ValueKind::External(path), kind) => {
                    let name = path.strip_prefix("builtins.")?;
                    let names: &[&str] = match kind {
                        ValueKind::Scalar(Value::Text(_)) => &["str"],
                        ValueKind::Scalar(Value::Bool(_)) => &["bool", "int"],
                        ValueKind::Scalar(Value::Int(_)) => &["int"],
                        ValueKind::Scalar(Value::Float(_)) => &["float"],
                        ValueKind::Scalar(Value::Null) => &[],
                        // Files hold lists; what the code writes may be a tuple.
                        ValueKind::Items(_) if alt.source.loaded.is_some() => &["list"],
                        ValueKind::Items(_) if !matches!(name, "list" | "tuple" | "set") => &[],
                        ValueKind::Object(id) if matches!(self.heap[*id].kind, ObjectKind::Dict { .. }) => &["dict"],
                        ValueKind::Object(id) => match self.heap[*id].kind {
                            ObjectKind::Instance { class, .. } if self.definitions.external_base(class).is_none() => &[],
                            _ => return None,
                        },
                        _ => return None,
                    };
                    names.contains(&name)
                }
                (ValueKind::Class(class), ValueKind::Object(id)) => match self.heap[*id].kind {
                    ObjectKind::Instance { class: own, .. } => self.definitions.lineage(own).contains(class),
                    _ => return None,
                },
                (ValueKind::Class(_), ValueKind::Scalar(_)) => false,
                _ => return None,
            };
        }
        Some(is)
    }
}
