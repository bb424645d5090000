//! Calls of libraries that the code makes, with what is given to them.

use vramlint_base::{FileId, FileRange, Value};

/// A call of a library, or of a method of a thing that a library made.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is asked for alone
pub struct LibraryCall {
    /// The file of the call.
    pub file: FileId,
    /// The whole call.
    pub place: FileRange,
    /// What is called, as written: `TrainingArguments`, `accelerator.backward`.
    pub callee: FileRange,
    /// Its full name as imported: `transformers.TrainingArguments`, `accelerate.Accelerator`; for methods the class and the
    /// method: `accelerate.Accelerator.backward`, `transformers.AutoModelForCausalLM.from_pretrained`,
    /// `transformers.AutoModelForCausalLM.to`; `torch.Tensor.backward` for a loss of a known model; `?.backward` for a few
    /// methods of things that are not known. `super().__init__(…)` of a class of the project has the name of the library's class.
    pub path: String,
    /// What a method is called on, where that is known: a model, or a thing that another call made.
    pub receiver: Option<ArgValue>,
    /// The arguments in the order of the call, those of a `**` of a known dict too.
    pub arguments: Vec<CallArgument>,
    /// Whether more may be given that is not seen.
    pub open: bool,
    /// The block of a loaded file whose keys are keywords too (`Config(**cfg["training"])`): an index into
    /// [`super::CodeFacts::loads`] and the route from the root. The call is then open.
    pub unpacked_block: Option<(usize, Vec<String>)>,
    /// Whether it is a class of the project that is made from the library's: it may have more fields and other defaults.
    pub is_subclass: bool,
    /// Whether such a class is a dataclass that only has fields: those with a default are among the arguments, unless given.
    pub fields_known: bool,
    /// Attributes that are set on what the call made, in order of their names: `args.fp16 = False`.
    pub assigned: Vec<CallArgument>,
    /// The name that the result is given, where the call stands in an assignment.
    pub assigned_to: Option<String>,
    /// Whether it is made only under a condition that cannot be decided.
    pub conditional: bool,
    /// That condition, as written.
    pub condition: Option<String>,
    /// Whether the function around it catches what it raises and goes on.
    pub caught: bool,
    /// Whether gradients are off around it, by `torch.no_grad()` and its like.
    pub without_grad: bool,
    /// Whether it stands in a loop that runs several times.
    pub in_loop: bool,
    /// Whether no caller of the code around it is seen.
    pub uncalled: bool,
    /// The calls of functions of the project that lead to it, outermost first.
    pub call_chain: Vec<FileRange>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct CallArgument {
    /// The keyword; `None` for one that is given by position.
    pub name: Option<String>,
    /// Its number among the positional ones, from 0; `None` for keywords.
    pub position: Option<usize>,
    /// From the keyword to the end of the value, where it is written in the call itself; the value's own place else.
    pub place: FileRange,
    /// Whether it is written in the call itself, not brought in by a `**`.
    pub is_explicit: bool,
    /// The alternatives, strongest first; never empty.
    pub values: Vec<PossibleValue>,
}

/// One thing that an argument may be.
#[derive(Clone, Debug)]
pub struct PossibleValue {
    /// What it is.
    pub value: ArgValue,
    /// Where it is written: the constant, the default, the literal.
    pub place: FileRange,
    /// Under which condition it is this one.
    pub condition: Option<String>,
    /// Whether a run may have another value without a change of the code: an option, the environment, a caller that is not seen.
    pub may_be_overridden: bool,
    /// The option of the command line whose value it is.
    pub option: Option<String>,
}

/// What an argument is.
#[derive(Clone, Debug)]
pub enum ArgValue {
    /// A plain value; lists of plain values too. Dicts are [`ArgValue::Dict`]; [`PossibleValue::to_value`] folds those of plain values.
    Known(Value),
    /// A dict: its entries in order, and whether it may hold more.
    Dict {
        /// The entries.
        entries: Vec<DictEntry>,
        /// Whether there may be more.
        open: bool,
    },
    /// A list or tuple of which some items are no plain values.
    List(Vec<PossibleValue>),
    /// A thing that another recorded call made: its index in [`super::CodeFacts::calls`].
    ResultOf(usize),
    /// A model, before or after adapters are put on it: its index for [`super::CodeFacts::model`].
    Model(usize),
    /// Something of a library by its full name: `torch.bfloat16`.
    Name(String),
    /// A key of a loaded file: an index into [`super::CodeFacts::loads`] and the route from the root.
    Loaded(usize, Vec<String>),
    /// Not known.
    Unknown,
}

/// An entry of a dict.
#[derive(Clone, Debug)]
pub struct DictEntry {
    /// The key.
    pub key: Value,
    /// Where the key is written, where it is written in a literal.
    pub key_place: Option<FileRange>,
    /// The alternatives of its value, strongest first; never empty.
    pub values: Vec<PossibleValue>,
}

impl LibraryCall {
    /// The argument with this keyword, or at this place.
    pub fn argument(&self, name: &str, position: Option<usize>) -> Option<&CallArgument> {
        let by_name = self.arguments.iter().rev().find(|argument| argument.name.as_deref() == Some(name));
        by_name.or_else(|| self.arguments.iter().find(|argument| position.is_some() && argument.position == position))
    }

    /// The value of an argument that is given by keyword, where it is one plain value that no condition decides and no option
    /// may change. `None` for dicts: see [`CallArgument::sole_value`].
    pub fn constant_argument(&self, name: &str) -> Option<&Value> {
        self.argument(name, None).and_then(CallArgument::constant)
    }

    /// Whether an argument is certainly not given.
    pub fn lacks(&self, name: &str, position: Option<usize>) -> bool {
        !self.open && self.argument(name, position).is_none()
    }

    /// The library: `transformers`.
    pub fn library(&self) -> &str {
        self.path.split('.').next().unwrap_or(&self.path)
    }

    /// The last part of the full name: a class, function or method.
    pub fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or(&self.path)
    }

    /// The part before the last: the class of a method.
    pub fn owner(&self) -> &str {
        self.path.rsplit('.').nth(1).unwrap_or("")
    }

    /// Whether it calls `name` of `library`, whatever modules stand between: `("torch", "DataLoader")`.
    pub fn is(&self, library: &str, name: &str) -> bool {
        self.library() == library && self.name() == name
    }
}

impl CallArgument {
    /// An argument that is not written in the call itself.
    pub(super) fn implicit(name: String, values: Vec<PossibleValue>) -> Self {
        let place = values[0].place;
        Self { name: Some(name), position: None, place, is_explicit: false, values }
    }

    /// Whether a dict brings it in that does not always hold it.
    pub fn may_be_absent(&self) -> bool {
        !self.is_explicit && self.values.iter().all(|value| value.condition.is_some())
    }

    /// The value, where it is one plain value that no condition decides and no option may change.
    pub fn constant(&self) -> Option<&Value> {
        match &self.sole_value()?.value {
            ArgValue::Known(value) => Some(value),
            _ => None,
        }
    }

    /// What it is, where that is one thing that no condition decides and no option may change.
    pub fn sole_value(&self) -> Option<&PossibleValue> {
        match self.values.as_slice() {
            [value] if value.condition.is_none() && !value.may_be_overridden => Some(value),
            _ => None,
        }
    }
}

impl PossibleValue {
    /// The plain value; dicts and lists of certain plain values are folded into one.
    pub fn to_value(&self) -> Option<Value> {
        let certain = |values: &[PossibleValue]| match values {
            [value] if value.condition.is_none() && !value.may_be_overridden => value.to_value(),
            _ => None,
        };
        match &self.value {
            ArgValue::Known(value) => Some(value.clone()),
            ArgValue::Dict { entries, open: false } => {
                let entries = entries.iter().map(|entry| Some((entry.key.clone(), certain(&entry.values)?)));
                Some(Value::Map(entries.collect::<Option<_>>()?))
            }
            ArgValue::List(items) => {
                Some(Value::List(items.iter().map(|item| certain(std::slice::from_ref(item))).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }
}
