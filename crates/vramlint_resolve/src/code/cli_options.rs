//! Options of a script's own command line.

use super::CliOption;
use super::interpreter::Interpreter;
use super::value::{AbstractValue, ObjectKind, ValueKind, ValueSource};
use std::rc::Rc;
use vramlint_base::{FileRange, Value};

/// Options kept at most.
const OPTIONS: usize = 1_000;

/// An option with its value for the code.
pub(super) struct OptionValue {
    /// The object of its parser.
    pub(super) parser: usize,
    pub(super) dest: String,
    pub(super) val: AbstractValue,
}

/// How an option is declared.
pub(super) struct OptionDeclaration {
    pub(super) names: Vec<String>,
    pub(super) dest: String,
    pub(super) default: Option<AbstractValue>,
    pub(super) place: FileRange,
    pub(super) switch: bool,
}

impl Interpreter<'_> {
    /// Declares an option and gives the value that the code sees.
    pub(super) fn add_option(&mut self, parser: usize, declared: OptionDeclaration) -> AbstractValue {
        let OptionDeclaration { names, dest, default, place, switch } = declared;
        let default = default.filter(|val| !matches!(val.nominal(), Some(Value::Null)));
        let known = default.as_ref().and_then(|val| self.plain_value(val));
        let default_place = default.as_ref().and_then(super::member_access::place_of);
        let val = self.as_option(default.unwrap_or_else(|| AbstractValue::at(ValueKind::Unknown, place)), &dest);
        if self.record.options.len() < OPTIONS {
            let option = CliOption { names, dest: dest.clone(), default: known, default_place, place, switch };
            if !self.record.options.iter().any(|known| known.place == place && known.dest == dest) {
                self.record.options.push(option);
            }
            self.record.option_values.push(OptionValue { parser, dest, val: val.clone() });
        }
        val
    }

    /// A value as that of an option: the launch may give another, or has given it.
    pub(super) fn as_option(&self, val: AbstractValue, dest: &str) -> AbstractValue {
        let given = self.given.iter().find(|(name, _)| dest_of(std::slice::from_ref(name)) == dest).map(|(_, value)| value);
        let given = given.map(|value| typed(value, val.nominal()));
        let mut val = val;
        for alt in &mut val.alternatives {
            let source = Rc::make_mut(&mut alt.source);
            source.option = Some(dest.to_string());
            source.soft = given.is_none();
            source.declared = true;
            source.default = true;
            if source.path.is_empty() {
                source.name = dest.to_string();
                source.path = vec![dest.to_string()];
            }
            if let Some(value) = &given {
                alt.kind = ValueKind::Scalar(value.clone());
                alt.condition = None;
            }
        }
        if given.is_some() {
            val.alternatives.truncate(1);
        }
        val
    }

    /// What `args.name` is, for a parser.
    pub(super) fn option_value(&mut self, parser: usize, name: &str, place: FileRange) -> AbstractValue {
        let mut found = self.record.option_values.iter().filter(|info| info.parser == parser && info.dest == name);
        let first = found.next();
        match first {
            Some(info) => found.find(|other| info.val.is_unknown() && !other.val.is_unknown()).unwrap_or(info).val.clone(),
            None => AbstractValue::at(ValueKind::Unknown, place),
        }
    }

    /// Names of the options of a parser, in order.
    pub(super) fn option_names(&self, parser: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for info in self.record.option_values.iter().filter(|info| info.parser == parser) {
            if !names.contains(&info.dest) {
                names.push(info.dest.clone());
            }
        }
        names
    }

    /// `args.name` for the object that `parse_args()` made: what the code has put there, else the option.
    pub(super) fn object_attribute_of(&mut self, object: usize, name: &str) -> AbstractValue {
        if let Some(val) = self.objects[object].attributes.get(name) {
            return val.clone();
        }
        match self.objects[object].kind {
            ObjectKind::Namespace(parser) => self.option_value(parser, name, Self::start_of(self.entry)),
            _ => AbstractValue::one(ValueKind::Unknown, ValueSource::default()),
        }
    }

    /// The parser of options that belong to no parser object: of click, typer and fire.
    pub(super) fn command_parser(&mut self) -> usize {
        if let Some(id) = self.command_line {
            id
        } else {
            let id = self.new_object(ObjectKind::Parser);
            self.command_line = Some(id);
            id
        }
    }
}

/// A word of the command line as the option's parser makes it: text where the default is text, else a number where it is one.
fn typed(word: &Value, default: Option<&Value>) -> Value {
    let Value::Text(text) = word else { return word.clone() };
    if matches!(default, Some(Value::Text(_))) {
        return word.clone();
    }
    match (text.parse(), text.parse(), text.as_str()) {
        (Ok(number), _, _) if !matches!(default, Some(Value::Float(_))) => Value::Int(number),
        (_, Ok(number), _) => Value::Float(number),
        (.., "true" | "True") => Value::Bool(true),
        (.., "false" | "False") => Value::Bool(false),
        _ => word.clone(),
    }
}

/// The name that argparse and click give an option in the code: that of the first long spelling, `-` as `_`.
pub(super) fn dest_of(names: &[String]) -> String {
    let name = names.iter().find(|name| name.starts_with("--")).or_else(|| names.first()).map_or("", String::as_str);
    name.trim_start_matches('-').replace('-', "_")
}
