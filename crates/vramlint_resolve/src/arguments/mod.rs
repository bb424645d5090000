//! Arguments of the argument classes of transformers and TRL: from a call, from a file that a parser reads, from flags of a
//! command, or from several of them, each with its source.

mod call;
mod classes;
mod collect;
mod config_file;
mod parser;

pub use classes::{class_name, is_training_class};

use crate::code::{CodeFacts, LibraryCall};
use std::collections::HashSet;
use std::sync::Arc;
use vramlint_base::value_readers::{hf_string_to_bool, python_truth};
use vramlint_base::{FileId, FileRange, Value};

/// The arguments of one instance, or of the instances that one parser makes.
#[derive(Clone, Debug)]
pub struct ArgumentSet {
    /// The classes that take them, by their short names: `transformers.TrainingArguments`, `trl.SFTConfig`.
    pub classes: Vec<String>,
    /// Names that other classes of the same parser take: fields of the project's own.
    pub other_names: Vec<String>,
    /// The arguments. Of several with one key, the effective one comes first.
    pub arguments: Vec<ArgumentEntry>,
    /// Fields that classes of the project declare: they have defaults of their own.
    pub redefined: Vec<String>,
    /// Whether there may be more arguments that are not visible.
    pub open: bool,
    /// Whether a key that none of the classes has is rejected.
    pub strict: bool,
    /// The reader of the arguments.
    pub reader: ArgumentReader,
    /// The call, the file or the command.
    pub place: FileRange,
    /// The run, as an index into [`crate::Project::runs`], if it belongs to one.
    pub run: Option<usize>,
    /// The code and the index of the call in it, for [`ArgumentReader::Call`].
    pub call: Option<(Arc<CodeFacts>, usize)>,
    /// Whether its errors are caught, or it may never be made.
    pub tolerates_errors: bool,
}

/// The code that turns source text into arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArgumentReader {
    /// The class itself, called by code: values stay as they are.
    Call,
    /// `HfArgumentParser.parse_yaml_file` or `parse_json_file`: values stay as the loader makes them.
    File,
    /// A command line, with TRL's parser also a YAML file: strings are converted to the type of the field.
    Parser,
    /// LLaMA-Factory: YAML by OmegaConf, then as [`ArgumentReader::File`].
    LlamaFactory,
    /// No visible reader: the keys alone identify the file.
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
    /// The value, if it is constant: no condition and no option decides it.
    pub value: Option<Value>,
    /// Where the value is written.
    pub value_place: FileRange,
    /// How it is passed.
    pub by: PassedBy,
    /// The entries of a dict, as far as they are known.
    pub entries: Vec<NestedArgument>,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedBy {
    /// By keyword, in the call itself.
    Keyword,
    /// By position.
    Position,
    /// Through a dict that is unpacked.
    Unpacked,
    /// By an attribute that is set on the object, or by a dict that does not always contain it.
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
    /// Its value, if it is known.
    pub value: Option<Value>,
    /// Where the value is written.
    pub value_place: FileRange,
}

impl ArgumentSet {
    /// The argument for a key.
    pub fn get(&self, key: &str) -> Option<&ArgumentEntry> {
        self.arguments.iter().find(|given| given.key == key)
    }

    /// The argument that takes effect for each key, in order.
    pub fn effective(&self) -> impl Iterator<Item = &ArgumentEntry> {
        let mut seen = HashSet::new();
        self.arguments.iter().filter(move |given| seen.insert(given.key.as_str()))
    }

    /// The constant value of a key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.get(key)?.value.as_ref()
    }

    /// Whether a key is certainly absent.
    pub fn lacks(&self, key: &str) -> bool {
        self.has_library_default(key)
    }

    /// Whether a key is certainly not given, so that it has the default of the library's class.
    fn has_library_default(&self, key: &str) -> bool {
        !self.open && self.get(key).is_none() && !self.redefined.iter().any(|name| name == key)
    }

    /// The value of a key as a boolean: `default` if the key is certainly absent, `None` if unknown.
    pub fn bool(&self, key: &str, default: bool) -> Option<bool> {
        match self.get(key) {
            Some(given) => self.bool_of(given.value.as_ref()?),
            None => self.has_library_default(key).then_some(default),
        }
    }

    /// A value as a boolean, as the reader converts it.
    pub fn bool_of(&self, value: &Value) -> Option<bool> {
        Some(match value {
            Value::Text(word) if self.reader == ArgumentReader::Parser => return hf_string_to_bool(word),
            // A number that is not an integer was hardly meant as a boolean.
            Value::Float(_) | Value::BigInt(_) | Value::Timestamp(_) => return None,
            _ => python_truth(value),
        })
    }

    /// The value of a key as an integer: `default` if the key is certainly absent, `None` if unknown.
    pub fn int(&self, key: &str, default: i64) -> Option<i64> {
        match self.get(key) {
            Some(given) => given.value.as_ref()?.as_int(),
            None => self.has_library_default(key).then_some(default),
        }
    }

    /// The value of a key as a string: `default` if it is certainly absent or null, `None` if unknown.
    pub fn text<'a>(&'a self, key: &str, default: &'a str) -> Option<&'a str> {
        match self.get(key) {
            Some(given) => match given.value.as_ref()? {
                Value::Null => Some(default),
                value => value.as_str(),
            },
            None => self.has_library_default(key).then_some(default),
        }
    }

    /// Whether one of the classes is this one.
    pub fn has_class(&self, class: &str) -> bool {
        self.classes.iter().any(|name| name == class)
    }

    /// The class of training arguments among them, if there is exactly one.
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
