//! Options of a script's own command line.

use super::command_line::{OptionDeclaration, OptionValue};
use super::facts::CliOption;
use super::heap::ObjectKind;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ValueKind, ValueSource, place_of_value};
use vramlint_base::{FileRange, Value};

/// Maximum number of options.
const OPTIONS: usize = 1_000;

impl Interpreter<'_> {
    /// Declares an option. Returns the value that the code sees.
    pub(super) fn add_option(&mut self, parser: usize, declared: OptionDeclaration) -> AbstractValue {
        let OptionDeclaration { names, dest, default, place, .. } = declared;
        let stated = default.clone();
        let default = default.filter(|val| !matches!(val.nominal(), Some(Value::Null)));
        let known = default.as_ref().and_then(|val| self.heap.as_data(val));
        let default_place = default.as_ref().and_then(place_of_value);
        // Without a default an option that is not given is `None`.
        let absent = match &stated {
            Some(val) => val.clone(),
            None if declared.form.required => AbstractValue::located(ValueKind::Unknown, place),
            None => AbstractValue::located(ValueKind::Scalar(Value::Null), place),
        };
        let is_none = matches!(absent.nominal(), Some(Value::Null));
        let mut val = self.command_line.as_option_value(absent, &dest, &names, &declared.form);
        if is_none && val.alternatives.iter().any(|alt| alt.source.may_be_overridden) {
            val = AbstractValue::new(ValueKind::Unknown, (*val.alternatives[0].source).clone());
        }
        if self.facts.options.len() < OPTIONS {
            let option =
                CliOption { names, dest: dest.clone(), default: known, default_place, place, switch: declared.form.switch };
            if !self.facts.options.iter().any(|known| known.place == place && known.dest == dest) {
                self.facts.options.push(option);
            }
            self.facts.option_values.push(OptionValue { parser, dest, val: val.clone() });
        }
        val
    }

    /// The value of `args.name`, for a parser.
    pub(super) fn option_value(&mut self, parser: usize, name: &str, place: FileRange) -> AbstractValue {
        let mut found = self.facts.option_values.iter().filter(|info| info.parser == parser && info.dest == name);
        let first = found.next();
        match first {
            Some(info) => found.find(|other| info.val.is_unknown() && !other.val.is_unknown()).unwrap_or(info).val.clone(),
            None => AbstractValue::located(ValueKind::Unknown, place),
        }
    }

    /// Names of the options of a parser, in order.
    pub(super) fn option_names(&self, parser: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for info in self.facts.option_values.iter().filter(|info| info.parser == parser) {
            if !names.contains(&info.dest) {
                names.push(info.dest.clone());
            }
        }
        names
    }

    /// `args.name` for the object that `parse_args()` made: the attribute that the code has set, otherwise the option.
    pub(super) fn object_attribute_of(&mut self, object: usize, name: &str) -> AbstractValue {
        if let Some(val) = self.heap[object].attributes.get(name) {
            return val.clone();
        }
        match self.heap[object].kind {
            ObjectKind::Namespace(parser) => self.option_value(parser, name, self.sources.entry_start()),
            _ => AbstractValue::new(ValueKind::Unknown, ValueSource::default()),
        }
    }

    /// The parser of options without a parser object: of click, typer and fire.
    pub(super) fn command_parser(&mut self) -> usize {
        if let Some(id) = self.command_line.parser {
            id
        } else {
            let id = self.new_object(ObjectKind::Parser);
            self.command_line.parser = Some(id);
            id
        }
    }
}
