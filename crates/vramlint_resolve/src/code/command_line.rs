//! The command line of the script: the options of the launch, and how options become values.

use super::script_arguments::ScriptArguments;
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
    pub(super) form: OptionForm,
}

/// The command line as the code and the launch see it.
pub(super) struct CommandLine<'a> {
    /// The arguments of the launch.
    pub(super) arguments: &'a ScriptArguments,
    /// Functions that are commands.
    pub(super) commands: HashMap<usize, CommandKind>,
    /// The parser of options without a parser object: of click, typer and fire.
    pub(super) parser: Option<usize>,
    /// By parser, the number of arguments that it takes by position.
    pub(super) positions: HashMap<usize, usize>,
}

impl<'a> CommandLine<'a> {
    pub(super) fn new(arguments: &'a ScriptArguments) -> Self {
        Self { arguments, commands: HashMap::new(), parser: None, positions: HashMap::new() }
    }

    /// Marks a value as that of an option: the launch sets it, or may set another.
    pub(super) fn as_option_value(&self, val: AbstractValue, dest: &str, names: &[String], form: &OptionForm) -> AbstractValue {
        let kind = if let Some(index) = form.position {
            let word = self.arguments.positional.get(index);
            word.map(|word| parse_words(std::slice::from_ref(word), val.nominal(), form))
        } else {
            let of_class = names.is_empty() && matches!(val.nominal(), Some(Value::Bool(_)));
            let given = self.arguments.option(dest, names).or_else(|| self.arguments.negated(dest).filter(|_| of_class));
            given.map(|given| match given.name.strip_prefix("no-").or_else(|| given.name.strip_prefix("no_")) {
                Some(rest) if dest_of(&[rest.to_owned()]) == dest => ValueKind::Scalar(Value::Bool(false)),
                _ => parse_words(&given.words, val.nominal(), form),
            })
        };
        let certain = match &kind {
            Some(kind) => !matches!(kind, ValueKind::Unknown),
            // The launcher passes the rank itself.
            None => self.arguments.complete && !form.required && dest != "local_rank",
        };
        let mut val = val;
        for alt in &mut val.alternatives {
            let source = Rc::make_mut(&mut alt.source);
            source.option = Some(dest.to_string());
            source.may_be_overridden = !certain;
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

/// What a parser does with the words of an option.
#[derive(Clone, Debug, Default)]
pub(super) struct OptionForm {
    /// The type that converts a word.
    pub(super) word: WordType,
    /// Whether it takes no word.
    pub(super) switch: bool,
    /// Whether it takes several words.
    pub(super) list: bool,
    /// What it is if it is given without a word.
    pub(super) switched: Option<Value>,
    /// What a function of the project makes of its word.
    pub(super) converted: Option<Value>,
    /// Its index among the arguments that are taken by position.
    pub(super) position: Option<usize>,
    /// Whether the program ends if it is not given.
    pub(super) required: bool,
}

impl OptionForm {
    /// An option that takes no word.
    pub(super) fn switch(switched: bool) -> Self {
        Self { switch: true, switched: Some(Value::Bool(switched)), ..Self::default() }
    }
}

/// The type that converts a word of the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum WordType {
    /// Not visible: a string if the default is a string, otherwise a number or a boolean if it looks like one.
    #[default]
    Guessed,
    Int,
    Float,
    Text,
    /// `bool`: every word but the empty one is true.
    Truth,
    /// `true` and `false` in words.
    Flag,
    /// As `Guessed`, or a Python list or tuple whose names need no quotes, as fire reads it: `[q_proj,v_proj]`.
    Literal,
}

/// The words of an option as its parser converts them.
fn parse_words(words: &[Option<String>], default: Option<&Value>, form: &OptionForm) -> ValueKind {
    if let Some(value) = &form.converted {
        return ValueKind::Scalar(value.clone());
    }
    let words = if form.switch { &[] } else { words };
    let item = |word: &Option<String>| match word {
        Some(text) if form.word == WordType::Literal && text.starts_with(['[', '(']) => {
            literal_items(text).map_or(ValueKind::Unknown, |items| ValueKind::Items(Rc::new(items)))
        }
        Some(text) => parse_word(text, default, form.word).map_or(ValueKind::Unknown, ValueKind::Scalar),
        None => ValueKind::Unknown,
    };
    match words {
        [] if form.list => ValueKind::Items(Rc::default()),
        [] => ValueKind::Scalar(form.switched.clone().unwrap_or(Value::Bool(true))),
        words if form.list => {
            let items = words.iter().map(|word| AbstractValue::new(item(word), ValueSource::default()));
            ValueKind::Items(Rc::new(items.collect()))
        }
        [first, ..] => item(first),
    }
}

/// The items of a flat list or tuple in which names need no quotes.
fn literal_items(text: &str) -> Option<Vec<AbstractValue>> {
    let inner = match text.as_bytes() {
        [b'[', .., b']'] | [b'(', .., b')'] => text[1..text.len() - 1].trim().trim_end_matches(','),
        _ => return None,
    };
    if inner.contains(['[', '(', '{']) {
        return None;
    }
    let words = inner.split(',').map(str::trim).filter(|word| !word.is_empty());
    let value = |word: &str| {
        let bare = ['"', '\''].iter().find_map(|quote| word.strip_prefix(*quote)?.strip_suffix(*quote));
        bare.map_or_else(|| guessed_word(word), |text| Value::Text(text.to_owned()))
    };
    Some(words.map(|word| AbstractValue::new(ValueKind::Scalar(value(word)), ValueSource::default())).collect())
}

/// A word of the command line as the option's parser converts it.
fn parse_word(text: &str, default: Option<&Value>, word: WordType) -> Option<Value> {
    match word {
        WordType::Text => Some(Value::Text(text.to_owned())),
        WordType::Truth => Some(Value::Bool(!text.is_empty())),
        WordType::Int => text.trim().parse().ok().map(Value::Int),
        WordType::Float => text.trim().parse().ok().map(Value::Float),
        WordType::Flag => match text.to_lowercase().as_str() {
            "yes" | "true" | "t" | "y" | "1" | "on" => Some(Value::Bool(true)),
            "no" | "false" | "f" | "n" | "0" | "off" => Some(Value::Bool(false)),
            _ => None,
        },
        WordType::Guessed | WordType::Literal if matches!(default, Some(Value::Text(_))) => Some(Value::Text(text.to_owned())),
        WordType::Guessed | WordType::Literal if matches!(default, Some(Value::Bool(_))) => Some(match text {
            "0" | "1" => Value::Bool(text == "1"),
            _ => str_to_bool(text).map_or_else(|| guessed_word(text), Value::Bool),
        }),
        WordType::Guessed | WordType::Literal if matches!(default, Some(Value::Float(_))) => match text.parse() {
            Ok(number) => Some(Value::Float(number)),
            Err(_) => Some(guessed_word(text)),
        },
        WordType::Guessed | WordType::Literal => Some(guessed_word(text)),
    }
}

/// A word whose type is not visible: a number or a boolean if it looks like one.
pub(super) fn guessed_word(text: &str) -> Value {
    match (text.parse(), text.parse(), text) {
        (Ok(number), _, _) => Value::Int(number),
        (_, Ok(number), _) if !text.contains(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E')) => Value::Float(number),
        (.., "true" | "True") => Value::Bool(true),
        (.., "false" | "False") => Value::Bool(false),
        _ => Value::Text(text.to_owned()),
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
