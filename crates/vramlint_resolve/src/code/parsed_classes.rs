//! Objects that parsers of dataclasses make: from a command line, a file or a dict.

use super::call_arguments::CallArguments;
use super::command_line::OptionForm;
use super::facts::LoadRole;
use super::heap::{FieldSource, ObjectKind};
use super::interpreter::Interpreter;
use super::library_classes;
use super::library_fields::COMPLETE;
use super::value::{AbstractValue, ValueKind};
use std::rc::Rc;
use vramlint_base::FileRange;

impl Interpreter<'_> {
    /// An object whose fields come from a command line or a file.
    pub(super) fn parsed_class(&mut self, class: &AbstractValue, rest: &FieldSource, place: FileRange) -> AbstractValue {
        match class.single().map(|alt| alt.kind.clone()) {
            Some(ValueKind::Class(class)) => {
                self.definitions.classes[class].made = true;
                let id = self.new_object(ObjectKind::Instance { class, rest: rest.clone() });
                if self.definitions.external_base(class).is_some() {
                    let own = self.definitions.fields(class);
                    self.set_parsed_fields(id, rest, &own, place);
                }
                AbstractValue::located(ValueKind::Object(id), place)
            }
            Some(ValueKind::External(path)) => {
                let id = self.new_object(ObjectKind::Library(path));
                self.set_parsed_fields(id, rest, &[], place);
                AbstractValue::located(ValueKind::Object(id), place)
            }
            Some(ValueKind::Function { id, receiver }) => self.run_command(id, receiver, place),
            _ => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// Gives an object of a library's class the fields that the launch or the file sets, but those that the class declares here.
    fn set_parsed_fields(&mut self, id: usize, rest: &FieldSource, own: &[String], place: FileRange) {
        let mut fields: Vec<(String, AbstractValue)> = Vec::new();
        if let FieldSource::Loaded(load, route) = rest {
            fields.extend(self.loaded_entries(*load, &Rc::new(route.clone()), place).unwrap_or_default());
        }
        let reads_options = match rest {
            FieldSource::Options => true,
            FieldSource::Loaded(load, _) => self.reads_options(*load),
            _ => false,
        };
        if reads_options {
            for given in self.command_line.arguments.options.iter().filter(|given| !given.assigned) {
                let name = given.name.replace('-', "_");
                let val = AbstractValue::located(ValueKind::Unknown, place);
                let form = OptionForm { list: given.words.len() > 1, ..OptionForm::default() };
                fields.push((name.clone(), self.command_line.as_option_value(val, &name, &[], &form)));
            }
        }
        let is_known = match rest {
            FieldSource::Options => self.command_line.arguments.complete,
            FieldSource::Loaded(load, route) => {
                let entries = self.loaded_entries(*load, &Rc::new(route.clone()), place);
                entries.is_some() && (!reads_options || self.command_line.arguments.complete)
            }
            _ => false,
        };
        if is_known {
            self.heap[id].attributes.insert(COMPLETE.to_owned(), AbstractValue::unknown());
        }
        for (name, val) in fields {
            if !own.contains(&name) {
                self.heap[id].attributes.insert(name, val);
            }
        }
    }

    /// Whether the parser that loads a file also reads options, which then beat the file: `TrlParser.parse_args_and_config`.
    fn reads_options(&self, load: usize) -> bool {
        self.facts.loads.get(load).is_some_and(|load| {
            load.role == LoadRole::Arguments && load.option.as_deref() == Some("config") && load.path.is_none()
        })
    }

    /// Whether the command line sets a field although a file is loaded.
    pub(super) fn is_parsed_option(&self, load: usize, name: &str) -> bool {
        self.reads_options(load) && self.command_line.arguments.option(name, &[]).is_some()
    }

    /// Emits what a parser reads from a file alone for the classes of libraries.
    pub(super) fn emit_parsed_file(&mut self, classes: &[AbstractValue], load: usize, place: FileRange) {
        let keyword = self.loaded_entries(load, &Rc::default(), place).unwrap_or_default();
        self.emit_parsed(classes, &CallArguments { keyword, ..CallArguments::default() }, place);
    }

    fn emit_parsed(&mut self, classes: &[AbstractValue], args: &CallArguments, place: FileRange) {
        for class in classes {
            let path = match class.single().map(|alt| &alt.kind) {
                Some(ValueKind::Class(class)) => self.definitions.external_base(*class),
                Some(ValueKind::External(path)) => Some(path.clone()),
                _ => None,
            };
            if let Some(path) = path
                && let Some(kind) = library_classes::argument_class(&path)
            {
                self.emit_arguments(&path, kind, args, place);
            }
        }
    }

    /// `parser.parse_dict(values)`.
    pub(super) fn parsed_dict(
        &mut self,
        classes: &[AbstractValue],
        dict: Option<&AbstractValue>,
        place: FileRange,
    ) -> AbstractValue {
        let loaded = dict.and_then(AbstractValue::single).and_then(|alt| match &alt.kind {
            ValueKind::Loaded(load, route) => Some(FieldSource::Loaded(*load, (**route).clone())),
            _ => None,
        });
        let entries = dict.and_then(|dict| self.known_entries(dict, place));
        let rest = loaded.unwrap_or(if entries.is_some() { FieldSource::Class } else { FieldSource::Hidden });
        let args = CallArguments { keyword: entries.unwrap_or_default(), ..CallArguments::default() };
        self.emit_parsed(classes, &args, place);
        let mut items = Vec::new();
        for class in classes {
            let item = self.parsed_class(class, &rest, place);
            if let Some(ValueKind::Object(id)) = item.single().map(|alt| alt.kind.clone()) {
                for (name, val) in &args.keyword {
                    self.heap[id].attributes.insert(name.clone(), val.clone());
                }
            }
            items.push(item);
        }
        AbstractValue::located(ValueKind::Items(Rc::new(items)), place)
    }
}
