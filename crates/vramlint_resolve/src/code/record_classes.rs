//! Classes of the project that hold fields: dataclasses and their like.

use super::call::CallArguments;
use super::interpreter::Interpreter;
use super::library::leaf;
use super::stmt::declare;
use super::value::{AbstractValue, FieldSource, ObjectKind, ValueKind};
use vramlint_base::FileRange;
use vramlint_syntax::python::{Expr, ExprKind, StmtKind};

/// Fields of a class at most.
const FIELDS: usize = 400;

impl<'a> Interpreter<'a> {
    /// Whether a decorator makes a class of fields.
    pub(super) fn is_record_maker(&mut self, decorator: &'a Expr, scope: usize) -> bool {
        let callee = if let ExprKind::Call(call) = &decorator.kind { &call.callee } else { decorator };
        let path = self.muted(|this| this.eval(callee, scope)).external();
        let name = path.as_deref().map(leaf).map(str::to_string).or_else(|| callee.dotted());
        matches!(name.as_deref().map(leaf), Some("dataclass" | "define" | "frozen" | "attrs"))
    }

    /// Whether a class made from `base` has fields.
    pub(super) fn is_record(&self, base: &AbstractValue) -> bool {
        base.alternatives.iter().any(|alt| match &alt.kind {
            ValueKind::Class(class) => self.classes[*class].record,
            ValueKind::External(path) => {
                matches!(leaf(path), "BaseModel" | "BaseSettings" | "NamedTuple" | "Struct" | "Serializable")
                    || super::training_calls::arguments(path).is_some()
            }
            _ => false,
        })
    }

    /// The fields of a class in order, those of the classes above it first.
    pub(super) fn fields(&self, class: usize) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for class in self.lineage(class).into_iter().rev() {
            for stmt in &self.classes[class].def.body {
                if let StmtKind::Assign { targets, annotation: Some(_), .. } = &stmt.kind
                    && let Some(name) = targets.first().and_then(Expr::dotted)
                    && !found.contains(&name)
                    && found.len() < FIELDS
                {
                    found.push(name);
                }
            }
        }
        found
    }

    /// Calls a class of the project.
    pub(super) fn make(&mut self, class: usize, given: &CallArguments, place: FileRange) -> AbstractValue {
        self.classes[class].made = true;
        let rest = match &given.rest {
            Some((load, route)) => FieldSource::Loaded(*load, route.clone()),
            None if given.open => FieldSource::Soft,
            None => FieldSource::Class,
        };
        let id = self.new_object(ObjectKind::Instance { class, rest });
        let val = AbstractValue::at(ValueKind::Object(id), place);
        if let Some(function) = self.initializer(class) {
            self.call_function(function, Some(id), given.clone(), place);
            return val;
        }
        if self.classes[class].record {
            let owner = self.classes[class].def.name.clone();
            let fields = self.fields(class);
            for (name, value) in fields.iter().zip(&given.positional) {
                self.objects[id].attributes.insert(name.clone(), declare(value.clone(), name, Some(&owner)));
            }
            for (name, value) in &given.keyword {
                let value = declare(value.clone(), name, Some(&owner));
                self.objects[id].attributes.insert(name.clone(), value);
            }
            self.emit_fields(class, Some(given), place);
            if let Some(ValueKind::Function { id: function, .. }) =
                self.class_attribute(class, "__post_init__").and_then(|val| val.only().map(|alt| alt.kind.clone()))
            {
                self.call_function(function, Some(id), CallArguments::default(), place);
            }
        } else if let Some(base) = self.external_base(class) {
            self.made_from(&base, id, given, place);
        }
        val
    }

    /// What a class made from a library's arguments says in the library's words: its own defaults, and what it is given.
    pub(super) fn emit_fields(&mut self, class: usize, given: Option<&CallArguments>, place: FileRange) {
        let Some(base) = self.external_base(class) else { return };
        let Some(kind) = super::training_calls::arguments(&base) else { return };
        if let Some(given) = given {
            self.emit_arguments(&base, kind, given, place);
        }
        for name in self.fields(class) {
            if given.is_some_and(|given| given.get(&name).is_some()) {
                continue;
            }
            if let Some(val) = self.class_attribute(class, &name) {
                let val = if given.is_none() { self.as_option(val, &name) } else { val };
                self.emit_default(kind.dialect, &name, &val, &base);
            }
        }
    }

    /// Marks the fields of a class as read: an object of it goes where the project does not show.
    pub(super) fn read_fields(&mut self, class: usize) {
        for name in self.fields(class) {
            if let Some(val) = self.class_attribute(class, &name) {
                self.note_read(&val);
            }
        }
    }
}
