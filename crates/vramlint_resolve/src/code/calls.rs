//! Calls of libraries that the code makes, with what is given to them.

use vramlint_base::{FileId, Place, Value};

/// A call of a library, or of a method of a thing that a library made.
#[derive(Clone, Debug)]
pub struct LibraryCall {
    /// The file of the call.
    pub file: FileId,
    /// The whole call.
    pub place: Place,
    /// What is called, as written: `TrainingArguments`, `accelerator.backward`.
    pub callee: Place,
    /// Its full name as imported: `transformers.TrainingArguments`, `accelerate.Accelerator`; for methods the class and the
    /// method: `accelerate.Accelerator.backward`, `transformers.AutoModelForCausalLM.from_pretrained`.
    pub path: String,
    /// The arguments in the order of the call, those of a `**` of a known dict too.
    pub arguments: Vec<CallArgument>,
    /// Whether more may be given that is not seen.
    pub open: bool,
    /// Whether it is made only under a condition that cannot be decided.
    pub conditional: bool,
    /// Whether it stands in a loop that runs several times.
    pub in_loop: bool,
    /// The calls of functions of the project that lead to it, outermost first.
    pub via: Vec<Place>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct CallArgument {
    /// The keyword; `None` for one that is given by position.
    pub name: Option<String>,
    /// Its number among the positional ones, from 0; `None` for keywords.
    pub position: Option<usize>,
    /// From the keyword to the end of the value, where it is written in the call itself; the value's own place else.
    pub place: Place,
    /// The alternatives, strongest first; never empty.
    pub values: Vec<CallValue>,
}

/// One thing that an argument may be.
#[derive(Clone, Debug)]
pub struct CallValue {
    /// What it is.
    pub what: CallWhat,
    /// Where it is written: the constant, the default, the literal.
    pub place: Place,
    /// Under which condition it is this one.
    pub condition: Option<String>,
    /// Whether a run may have another value without a change of the code: an option, the environment, a caller that is not seen.
    pub soft: bool,
}

/// What an argument is.
#[derive(Clone, Debug)]
pub enum CallWhat {
    /// A plain value; lists and dicts of plain values too.
    Known(Value),
    /// A dict of which some entries are no plain values: key, place of the key, value.
    Dict(Vec<(String, Place, CallValue)>),
    /// A thing that another recorded call made: its index in [`super::CodeFacts::calls`].
    Made(usize),
    /// A model: its index in [`super::CodeFacts::models`].
    Model(usize),
    /// Something of a library by its full name: `torch.bfloat16`.
    Name(String),
    /// Not known.
    Unknown,
}

impl LibraryCall {
    /// The argument with this keyword, or at this place.
    pub fn argument(&self, name: &str, position: Option<usize>) -> Option<&CallArgument> {
        let by_name = self.arguments.iter().rev().find(|argument| argument.name.as_deref() == Some(name));
        by_name.or_else(|| self.arguments.iter().find(|argument| position.is_some() && argument.position == position))
    }

    /// The value of an argument that is given by keyword, where it is one plain value that no condition decides and no option
    /// may change.
    pub fn known(&self, name: &str) -> Option<&Value> {
        self.argument(name, None).and_then(CallArgument::settled)
    }
}

impl CallArgument {
    /// The value, where it is one plain value that no condition decides and no option may change.
    pub fn settled(&self) -> Option<&Value> {
        match self.values.as_slice() {
            [CallValue { what: CallWhat::Known(value), condition: None, soft: false, .. }] => Some(value),
            _ => None,
        }
    }
}
