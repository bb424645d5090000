//! Fields of the argument classes of libraries that neither the launch nor the code gives.

use super::call_arguments::CallArguments;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::library_classes::argument_class;
use super::value::{AbstractValue, ValueKind, ValueSource, declare};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};
use vramlint_catalog::classes;
use vramlint_catalog::keys::KeyType;

/// Marks an object of which every field that is given is known.
pub(super) const COMPLETE: &str = "__complete__";
/// The objects whose fields a namespace takes over: `Namespace(**vars(arguments))`.
const TAKEN_OVER: &str = "__taken_over__";

impl Interpreter<'_> {
    /// `argparse.Namespace(…)`, `types.SimpleNamespace(…)`.
    pub(super) fn namespace(&mut self, path: &Rc<str>, args: &CallArguments, place: FileRange) -> AbstractValue {
        let id = self.new_object(ObjectKind::Library(path.clone()));
        for (name, val) in &args.keyword {
            let val = declare(val.clone(), name, None);
            self.heap[id].attributes.insert(name.clone(), val);
        }
        if !args.unpacked_objects.is_empty() {
            let object = |id: &usize| AbstractValue::new(ValueKind::Object(*id), ValueSource::default());
            let objects = Rc::new(args.unpacked_objects.iter().map(object).collect());
            self.heap[id].attributes.insert(TAKEN_OVER.to_owned(), AbstractValue::located(ValueKind::Items(objects), place));
        }
        AbstractValue::located(ValueKind::Object(id), place)
    }

    /// A field that a namespace takes over from other objects: the last one that has it.
    pub(super) fn taken_over(&mut self, id: usize, name: &str, place: FileRange) -> Option<AbstractValue> {
        let ValueKind::Items(objects) = self.heap[id].attributes.get(TAKEN_OVER)?.single()?.kind.clone() else { return None };
        let found = objects.iter().rev().map(|object| self.attribute(object, name, place));
        found.into_iter().find(|val| val.alternatives.iter().any(|alt| alt.scalar().is_some()))
    }

    /// The default of a field that is not given, in the release in use.
    pub(super) fn library_default(&self, id: usize, base: &str, name: &str, place: FileRange) -> Option<AbstractValue> {
        if !self.heap[id].attributes.contains_key(COMPLETE) {
            return None;
        }
        argument_class(base)?;
        let (package, class) = (base.split('.').next()?, base.rsplit('.').next()?);
        let class = classes::find(base).or_else(|| classes::find(&format!("{package}.{class}")))?;
        let versions = self.sources.versions;
        let field = class.declarations(name).find(|field| field.is_in(versions))?;
        let value = match field.default_in(versions)? {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            // What is written without quotes may be a list.
            text if field.values.iter().any(|value| value == text) => Value::Text(text.to_owned()),
            text => match field.kind {
                KeyType::Int => Value::Int(text.parse().ok()?),
                KeyType::Float => Value::Float(text.parse().ok()?),
                _ => return None,
            },
        };
        let source = ValueSource { place: Some(place), name: name.to_owned(), default: true, ..ValueSource::default() };
        Some(AbstractValue::new(ValueKind::Scalar(value), source))
    }
}
