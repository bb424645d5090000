//! The command line of the script: the options of the launch, and how options become values.

use super::value::{AbstractValue, ValueKind};
use std::collections::HashMap;
use std::rc::Rc;
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
    /// Options of the launch.
    pub(super) launch_options: &'a [(String, Value)],
    /// Functions that are commands.
    pub(super) commands: HashMap<usize, CommandKind>,
    /// The parser of options without a parser object: of click, typer and fire.
    pub(super) parser: Option<usize>,
}

impl<'a> CommandLine<'a> {
    pub(super) fn new(launch_options: &'a [(String, Value)]) -> Self {
        Self { launch_options, commands: HashMap::new(), parser: None }
    }

    /// Marks a value as that of an option: the launch sets it, or may set another.
    pub(super) fn as_option_value(&self, val: AbstractValue, dest: &str) -> AbstractValue {
        let args =
            self.launch_options.iter().find(|(name, _)| dest_of(std::slice::from_ref(name)) == dest).map(|(_, value)| value);
        let args = args.map(|value| parse_word(value, val.nominal()));
        let mut val = val;
        for alt in &mut val.alternatives {
            let source = Rc::make_mut(&mut alt.source);
            source.option = Some(dest.to_string());
            source.may_be_overridden = args.is_none();
            source.declared = true;
            source.default = true;
            if source.path.is_empty() {
                source.name = dest.to_string();
                source.path = vec![dest.to_string()];
            }
            if let Some(value) = &args {
                alt.kind = ValueKind::Scalar(value.clone());
                alt.condition = None;
            }
        }
        if args.is_some() {
            val.alternatives.truncate(1);
        }
        val
    }
}

/// A word of the command line as the option's parser converts it: a string if the default is a string, otherwise a number if it
/// looks like one.
fn parse_word(word: &Value, default: Option<&Value>) -> Value {
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
