//! The command line of the script: the options of the launch, and how options become values.

use super::script_arguments::{GivenOption, ScriptArguments};
use super::value::{AbstractValue, ValueKind, ValueSource};
use std::collections::HashMap;
use std::rc::Rc;
use vramlint_base::value_readers::str_to_bool;
use vramlint_base::{FileRange, Value};

/// How a function is a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommandKind {
    /// Its parameters are options; booleans take no value.
    Options,
    /// Its parameters are options that all take a value.
    Fire,
    /// Its first parameter is a configuration that hydra loads: the index of the load.
    Hydra(usize),
    /// Its first parameter is a dataclass whose fields are options.
    Dataclass,
}

/// An option with the value that the code sees.
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

/// The command line as the code and the launch see it.
pub(super) struct CommandLine<'a> {
    /// The arguments of the script.
    pub(super) arguments: &'a ScriptArguments,
    /// Functions that are commands.
    pub(super) commands: HashMap<usize, CommandKind>,
    /// The parser of options without a parser object: of click, typer and fire.
    pub(super) parser: Option<usize>,
}

impl<'a> CommandLine<'a> {
    pub(super) fn new(arguments: &'a ScriptArguments) -> Self {
        Self { arguments, commands: HashMap::new(), parser: None }
    }

    /// Marks a value as that of an option with these spellings: the command line sets it, may set another, or leaves the default.
    pub(super) fn as_option_value(&self, val: AbstractValue, dest: &str, names: &[String]) -> AbstractValue {
        let given = self.arguments.option(names).or_else(|| self.arguments.option(&[dest.to_string()]));
        let kind = given.map(|given| given_kind(given, &val));
        // The launcher passes the rank itself.
        let may_be_given = !self.arguments.complete || dest == "local_rank";
        let mut val = val;
        for alt in &mut val.alternatives {
            let source = Rc::make_mut(&mut alt.source);
            source.option = Some(dest.to_string());
            source.may_be_overridden = match &kind {
                Some(kind) => matches!(kind, ValueKind::Unknown),
                None => may_be_given,
            };
            source.declared = true;
            source.default = true;
            if source.path.is_empty() {
                source.name = dest.to_string();
                source.path = vec![dest.to_string()];
            }
            if let Some(kind) = &kind {
                alt.kind = kind.clone();
                alt.condition = None;
            }
        }
        if kind.is_some() {
            val.alternatives.truncate(1);
        }
        val
    }
}

/// The value of an option on the command line, as its parser converts it. Several words are a list.
fn given_kind(given: &GivenOption, default: &AbstractValue) -> ValueKind {
    let is_list = matches!(default.alternatives.first().map(|alt| &alt.kind), Some(ValueKind::Items(_)));
    let scalar = |value: &Option<Value>, default: Option<&Value>| {
        value.as_ref().map_or(ValueKind::Unknown, |value| ValueKind::Scalar(parse_word(value, default)))
    };
    match given.values.as_slice() {
        [single] if !is_list => scalar(single, default.nominal()),
        values if values.iter().any(Option::is_none) => ValueKind::Unknown,
        values => {
            let items = values.iter().map(|value| AbstractValue::new(scalar(value, None), ValueSource::default()));
            ValueKind::Items(Rc::new(items.collect()))
        }
    }
}

/// A word of the command line as the option's parser converts it: a string if the default is a string, otherwise a number if it
/// looks like one.
fn parse_word(word: &Value, default: Option<&Value>) -> Value {
    let Value::Text(text) = word else { return word.clone() };
    if matches!(default, Some(Value::Text(_))) {
        return word.clone();
    }
    // Programs convert `1` and `0` for an option whose default is a boolean.
    if let (Some(Value::Bool(_)), "0" | "1") = (default, text.as_str()) {
        return Value::Bool(text == "1");
    }
    match (text.parse(), text.parse(), text.as_str()) {
        (Ok(number), _, _) if !matches!(default, Some(Value::Float(_))) => Value::Int(number),
        (_, Ok(number), _) => Value::Float(number),
        (.., "true" | "True") => Value::Bool(true),
        (.., "false" | "False") => Value::Bool(false),
        _ if matches!(default, Some(Value::Bool(_))) => str_to_bool(text).map_or_else(|| word.clone(), Value::Bool),
        _ => word.clone(),
    }
}

/// The name of an option in the code, as argparse and click derive it: the first long spelling, with `-` replaced by `_`.
pub(super) fn dest_of(names: &[String]) -> String {
    let name = names.iter().find(|name| name.starts_with("--")).or_else(|| names.first()).map_or("", String::as_str);
    name.trim_start_matches('-').replace('-', "_")
}

/// `--batch_size`, and `--batch-size` if that differs.
pub(super) fn both_spellings(name: &str) -> Vec<String> {
    let mut names = vec![format!("--{name}")];
    if name.contains('_') {
        names.push(format!("--{}", name.replace('_', "-")));
    }
    names
}
