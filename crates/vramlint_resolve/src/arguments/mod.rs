//! What the argument classes of transformers and TRL are given: by a call, by a file that a parser reads, by flags of a command,
//! or by several of them together, with who says what.

mod call;
mod classes;
mod collect;
mod config_file;
mod parser;

pub use classes::{class_name, is_training_class};

use crate::code::{CodeFacts, LibraryCall};
use std::sync::Arc;
use vramlint_base::{FileId, FileRange, Value};

/// Everything that one object of arguments is given, or the objects that one parser makes.
#[derive(Clone, Debug)]
pub struct ArgumentSet {
    /// The classes that take them, by their plain names: `transformers.TrainingArguments`, `trl.SFTConfig`.
    pub classes: Vec<String>,
    /// Names that other classes of the same parser take: fields of the project's own.
    pub other_names: Vec<String>,
    /// What is given; of several for one key the one that wins comes first.
    pub arguments: Vec<ArgumentEntry>,
    /// Whether more may be given that is not seen.
    pub open: bool,
    /// Whether a key that none of the classes knows is refused.
    pub strict: bool,
    /// Who reads it.
    pub reader: ArgumentReader,
    /// The call, the file or the command.
    pub place: FileRange,
    /// The run, as an index into [`crate::Project::runs`], where it belongs to one.
    pub run: Option<usize>,
    /// The code and the number of the call in it, for [`ArgumentReader::Call`].
    pub call: Option<(Arc<CodeFacts>, usize)>,
    /// Whether what it raises is caught, or nobody is seen to make it.
    pub tolerates_errors: bool,
}

/// Who turns what is written into arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentReader {
    /// The class itself, called by code: values stay as they are.
    Call,
    /// `HfArgumentParser.parse_yaml_file` or `parse_json_file`: values stay as the loader makes them.
    File,
    /// A command line, and with TRL's parser a YAML file below it: text is turned into the type of the field.
    Parser,
    /// LLaMA-Factory: YAML by OmegaConf, then as [`ArgumentReader::File`].
    LlamaFactory,
    /// Nobody is seen to read it: the keys alone say what it is.
    Unknown,
}

/// One argument.
#[derive(Clone, Debug)]
pub struct ArgumentEntry {
    /// Its name.
    pub key: String,
    /// The keyword, the key of the file, the flag.
    pub key_place: FileRange,
    /// Key and value.
    pub place: FileRange,
    /// The value, where it is settled: no condition and no option decides it.
    pub value: Option<Value>,
    /// Where the value is written.
    pub value_place: FileRange,
    /// How it is given.
    pub by: PassedBy,
    /// The entries of a dict, as far as they are seen.
    pub entries: Vec<NestedArgument>,
}

/// How an argument is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedBy {
    /// By keyword, in the call itself.
    Keyword,
    /// By its number among the positional ones.
    Position,
    /// Through a dict that is unpacked.
    Unpacked,
    /// By an attribute that is set on the object, or by a dict that does not always hold it: not certain to be given.
    Uncertain,
    /// By a key of a file.
    File,
    /// By a flag of a command.
    Flag,
}

/// An entry of a dict.
#[derive(Clone, Debug)]
pub struct NestedArgument {
    /// Its key.
    pub key: String,
    /// Where the key is written.
    pub place: FileRange,
    /// Its value, where known.
    pub value: Option<Value>,
    /// Where the value is written.
    pub value_place: FileRange,
}

impl ArgumentSet {
    /// What is given for a key.
    pub fn get(&self, key: &str) -> Option<&ArgumentEntry> {
        self.arguments.iter().find(|given| given.key == key)
    }

    /// The settled value of a key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.get(key)?.value.as_ref()
    }

    /// Whether a key is certainly not given.
    pub fn lacks(&self, key: &str) -> bool {
        !self.open && self.get(key).is_none()
    }

    /// The truth value that Python sees: `default` where the key is certainly not given, `None` where that is not known.
    pub fn bool(&self, key: &str, default: bool) -> Option<bool> {
        match self.get(key) {
            Some(given) => self.bool_of(given.value.as_ref()?),
            None => (!self.open).then_some(default),
        }
    }

    /// What Python takes a value for where a truth value is asked.
    pub fn bool_of(&self, value: &Value) -> Option<bool> {
        Some(match value {
            Value::Bool(truth) => *truth,
            Value::Null => false,
            Value::Int(number) => *number != 0,
            Value::Text(text) if self.reader == ArgumentReader::Parser => match text.to_lowercase().as_str() {
                "yes" | "true" | "t" | "y" | "1" => true,
                "no" | "false" | "f" | "n" | "0" => false,
                _ => return None,
            },
            Value::Text(text) => !text.is_empty(),
            Value::List(items) => !items.is_empty(),
            Value::Map(entries) => !entries.is_empty(),
            Value::Float(_) | Value::BigInt(_) | Value::Timestamp(_) => return None,
        })
    }

    /// The whole number of a key: `default` where it is certainly not given, `None` where it is not known.
    pub fn int(&self, key: &str, default: i64) -> Option<i64> {
        match self.get(key) {
            Some(given) => given.value.as_ref()?.as_int(),
            None => (!self.open).then_some(default),
        }
    }

    /// The text of a key: `default` where it is certainly not given or nothing, `None` where it is not known.
    pub fn text<'a>(&'a self, key: &str, default: &'a str) -> Option<&'a str> {
        match self.get(key) {
            Some(given) => match given.value.as_ref()? {
                Value::Null => Some(default),
                value => value.as_str(),
            },
            None => (!self.open).then_some(default),
        }
    }

    /// Whether one of the classes is this one.
    pub fn has_class(&self, class: &str) -> bool {
        self.classes.iter().any(|name| name == class)
    }

    /// The class of the training's arguments among them, if there is exactly one.
    pub fn training_class(&self) -> Option<&str> {
        let mut found = self.classes.iter().filter(|name| is_training_class(name));
        found.next().filter(|_| found.next().is_none()).map(String::as_str)
    }

    /// The file whose folder decides which versions count.
    pub fn file(&self) -> FileId {
        self.place.file
    }

    /// The call that makes it.
    pub fn library_call(&self) -> Option<&LibraryCall> {
        self.call.as_ref().and_then(|(code, index)| code.calls.get(*index))
    }
}
