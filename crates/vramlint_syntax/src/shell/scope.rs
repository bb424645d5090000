//! What is in force at one place of a script: variables, positional parameters, and how assignments are to be marked.

use super::spanned_text::{Field, stored, text_of, to_word};
use super::variables::{Value, Variable, Variables, unknown_word};
use super::{Assignment, Word, limits};
use std::rc::Rc;
use vramlint_base::TextRange;

/// `$1`, `$2`, … .
#[derive(Clone, Debug)]
pub(super) enum Positional {
    /// Those of the script: the caller decides.
    Caller,
    /// Those of a function that is called once. `complete`: there are no more.
    Words { words: Vec<(Field, TextRange)>, complete: bool },
    /// Several calls, or moved in a branch.
    Unknown,
}

/// The working directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Directory {
    /// Where the script started.
    Start,
    /// A path from there, or an absolute one.
    At(String),
    /// Not known.
    Unknown,
}

impl Directory {
    /// The path, unless it is where the script started.
    pub(super) fn known(&self) -> Option<String> {
        if let Self::At(path) = self { Some(path.clone()) } else { None }
    }

    /// Where a script that is started here goes.
    pub(super) fn after(&self, inner: Option<&str>) -> Option<String> {
        match inner {
            None => self.known(),
            Some(path) => self.entered(path).known(),
        }
    }

    /// After `cd path`.
    pub(super) fn entered(&self, path: &str) -> Self {
        match self {
            _ if path.starts_with('/') => Self::At(path.to_owned()),
            Self::Start => Self::At(path.to_owned()),
            Self::At(before) if before.len() + path.len() < 4096 => Self::At(format!("{before}/{path}")),
            Self::Unknown if !path.starts_with('.') => Self::At(format!("/{path}")),
            Self::At(_) | Self::Unknown => Self::Unknown,
        }
    }

    /// After commands that may not have run.
    pub(super) fn join(&mut self, before: &Self) {
        if *self != *before {
            *self = Self::Unknown;
        }
    }
}

/// What is in force.
pub(super) struct Scope {
    /// The variables.
    pub(super) variables: Variables,
    /// The positional parameters.
    pub(super) positional: Positional,
    /// Every assignment so far.
    pub(super) assignments: Vec<Assignment>,
    /// Whether assignments made now stand in a branch or loop.
    pub(super) conditional: bool,
    /// Where `cd` led.
    pub(super) directory: Directory,
    /// `set -a`.
    pub(super) export_all: bool,
    /// How much may still be made, in the measure of [`limits::WORK`].
    pub(super) work_left: usize,
}

/// The places of an assignment.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// Name and value.
    pub(super) range: TextRange,
    /// The name.
    pub(super) name: TextRange,
    /// The value.
    pub(super) value: TextRange,
}

impl Scope {
    /// An untouched scope of a script.
    pub(super) fn new() -> Self {
        Self {
            variables: Variables::default(),
            positional: Positional::Caller,
            assignments: Vec::new(),
            conditional: false,
            directory: Directory::Start,
            export_all: false,
            work_left: limits::WORK,
        }
    }

    /// Pays for what was made.
    pub(super) fn pay(&mut self, words: usize, bytes: usize) {
        self.work_left = self.work_left.saturating_sub(words.saturating_mul(limits::WORD)).saturating_sub(bytes);
    }

    /// Pays for the words of a command.
    pub(super) fn pay_for(&mut self, words: &[Word]) {
        self.pay(words.len(), words.iter().map(|word| word.text().map_or(0, str::len)).sum());
    }

    /// Records an assignment and puts it in force.
    pub(super) fn assign(&mut self, name: &str, places: Places, value: Value, export: bool) {
        self.assign_as(name, name, places, value, export);
    }

    /// As [`Self::assign`], where the variable is kept under a key of its own: shells that do not tell `A` from `a`.
    pub(super) fn assign_as(&mut self, key: &str, name: &str, places: Places, value: Value, export: bool) {
        let word = word_of(&value, places.value);
        // Every piece is kept, for each assignment anew.
        self.pay(1 + value.pieces(), word.text().map_or(0, str::len));
        let exported = export || self.export_all || self.variables.get(key).is_some_and(|v| v.exported);
        let made = Assignment {
            range: places.range,
            name: name.to_owned(),
            name_range: places.name,
            value: word,
            exported,
            conditional: self.conditional,
        };
        self.assignments.push(made.clone());
        self.variables
            .put(key, Some(Rc::new(Variable { value: stored_value(value, places.value), exported, made: Rc::new(made) })));
    }

    /// Sets a variable to something that no assignment of the script tells: `read A`.
    pub(super) fn lose(&mut self, name: &str, place: TextRange, caller: bool) {
        let made = nowhere(name, place);
        self.variables.blur(name, Value::Unknown { caller }, Some(&made));
    }
}

/// An assignment that stands for none: the variable is set by a command.
pub(super) fn nowhere(name: &str, place: TextRange) -> Rc<Assignment> {
    Rc::new(Assignment {
        range: place,
        name: name.to_owned(),
        name_range: place,
        value: unknown_word(place),
        exported: false,
        conditional: true,
    })
}

/// The value as a word of the tree: a list as its words joined by blanks.
fn word_of(value: &Value, range: TextRange) -> Word {
    match value {
        Value::Text(field) => to_word(field, range),
        Value::List(items) => {
            let texts: Option<Vec<String>> = items.iter().map(|item| text_of(item)).collect();
            let all: Field = items.iter().flatten().cloned().collect();
            let word = to_word(&all, range);
            texts.map_or(unknown_word(range), |texts| Word { value: super::WordValue::Known(texts.join(" ")), ..word })
        }
        Value::Unknown { .. } | Value::Carried | Value::Unset => unknown_word(range),
    }
}

/// The value as it is kept. Items of a list were stored, with their own places, when they were read.
fn stored_value(value: Value, range: TextRange) -> Value {
    match value {
        Value::Text(field) => Value::Text(stored(field, range)),
        other => other,
    }
}
