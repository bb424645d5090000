//! Library calls that the code makes, with their arguments.

use vramlint_base::{FileId, FileRange, Value};

/// A call of a library, or of a method of an object that a library returned.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // each is asked for alone
pub struct LibraryCall {
    /// The file of the call.
    pub file: FileId,
    /// The whole call.
    pub place: FileRange,
    /// What is called, as written: `TrainingArguments`, `accelerator.backward`.
    pub callee: FileRange,
    /// Its full name as imported: `transformers.TrainingArguments`, `accelerate.Accelerator`; for methods the class and the method:
    /// `accelerate.Accelerator.backward`, `transformers.AutoModelForCausalLM.from_pretrained`,
    /// `transformers.AutoModelForCausalLM.to`; `torch.Tensor.backward` for a loss of a known model; `?.backward` for a few methods
    /// of unknown objects. `super().__init__(…)` in a class of the project has the name of the library's class.
    pub path: String,
    /// What a method is called on, if known: a model, or the result of another call.
    pub receiver: Option<ArgValue>,
    /// The arguments in the order of the call, including those of a `**` of a known dict.
    pub arguments: Vec<CallArgument>,
    /// Whether there may be more arguments that are not visible.
    pub open: bool,
    /// The block of a loaded file whose keys are keywords too (`Config(**cfg["training"])`): an index into
    /// [`super::CodeFacts::loads`] and the route from the root. The call is then open.
    pub unpacked_block: Option<(usize, Vec<String>)>,
    /// Whether it is a class of the project that derives from the library's: it may have more fields and other defaults.
    pub is_subclass: bool,
    /// Whether such a class is a dataclass that only has fields. Its defaults are then among the arguments, unless the call sets
    /// them.
    pub fields_known: bool,
    /// Attributes that are set on the result, in order of their names: `args.fp16 = False`.
    pub assigned: Vec<CallArgument>,
    /// The name that the result is assigned to, if any.
    pub assigned_to: Option<String>,
    /// Whether it is made only under an undecided condition.
    pub conditional: bool,
    /// That condition, as written.
    pub condition: Option<String>,
    /// Whether the function around it catches its errors and continues.
    pub caught: bool,
    /// Whether gradients are off around it, by `torch.no_grad()` or a similar context.
    pub without_grad: bool,
    /// Whether it is in a loop.
    pub in_loop: bool,
    /// Whether the code around it has no visible caller.
    pub uncalled: bool,
    /// The calls of functions of the project that lead to it, outermost first.
    pub call_chain: Vec<FileRange>,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct CallArgument {
    /// The keyword; `None` for a positional argument.
    pub name: Option<String>,
    /// Its index among the positional arguments; `None` for keywords.
    pub position: Option<usize>,
    /// From the keyword to the end of the value if it is written in the call itself, otherwise the value's own place.
    pub place: FileRange,
    /// Whether it is written in the call itself, not passed through a `**`.
    pub is_explicit: bool,
    /// The alternatives, strongest first; never empty.
    pub values: Vec<PossibleValue>,
}

/// One value that an argument may have.
#[derive(Clone, Debug)]
pub struct PossibleValue {
    /// What it is.
    pub value: ArgValue,
    /// Where it is written: the place of the constant, the default or the literal.
    pub place: FileRange,
    /// The condition under which the argument has this value.
    pub condition: Option<String>,
    /// Whether a run may have another value without a change of the code: by an option, the environment, or an invisible caller.
    pub may_be_overridden: bool,
    /// The option of the command line whose value it is.
    pub option: Option<String>,
}

/// The value of an argument.
#[derive(Clone, Debug)]
pub enum ArgValue {
    /// A scalar or a list of scalars. Dicts are [`ArgValue::Dict`]; [`PossibleValue::to_value`] folds those that are fully known.
    Known(Value),
    /// A dict: its entries in order, and whether it may hold more.
    Dict {
        /// The entries.
        entries: Vec<DictEntry>,
        /// Whether there may be more.
        open: bool,
    },
    /// A list or tuple with items that are not scalars.
    List(Vec<PossibleValue>),
    /// The result of another recorded call: its index in [`super::CodeFacts::calls`].
    ResultOf(usize),
    /// A model, before or after adapters are put on it: its index for [`super::CodeFacts::model`].
    Model(usize),
    /// A name of a library: `torch.bfloat16`.
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
    /// The place of the key, if it is written in a literal.
    pub key_place: Option<FileRange>,
    /// The alternatives of its value, strongest first; never empty.
    pub values: Vec<PossibleValue>,
}

impl LibraryCall {
    /// The argument with this keyword or at this position.
    pub fn argument(&self, name: &str, position: Option<usize>) -> Option<&CallArgument> {
        let by_name = self.arguments.iter().rev().find(|argument| argument.name.as_deref() == Some(name));
        by_name.or_else(|| self.arguments.iter().find(|argument| position.is_some() && argument.position == position))
    }

    /// The value of a keyword argument, if it is one value without a condition that no option may change. `None` for dicts: see
    /// [`CallArgument::sole_value`].
    pub fn constant_argument(&self, name: &str) -> Option<&Value> {
        self.argument(name, None).and_then(CallArgument::constant)
    }

    /// Whether an argument is certainly absent.
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

    /// Whether it calls `name` of `library`, in whichever module: `("torch", "DataLoader")`.
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

    /// Whether it comes from a dict that does not always contain it.
    pub fn may_be_absent(&self) -> bool {
        !self.is_explicit && self.values.iter().all(|value| value.condition.is_some())
    }

    /// The value, if it is a single known one without a condition that no option may change.
    pub fn constant(&self) -> Option<&Value> {
        match &self.sole_value()?.value {
            ArgValue::Known(value) => Some(value),
            _ => None,
        }
    }

    /// The only alternative, if it has no condition and no option may change it.
    pub fn sole_value(&self) -> Option<&PossibleValue> {
        match self.values.as_slice() {
            [value] if value.condition.is_none() && !value.may_be_overridden => Some(value),
            _ => None,
        }
    }
}

impl PossibleValue {
    /// The value as data. Dicts and lists are folded if all their entries are certain.
    pub fn to_value(&self) -> Option<Value> {
        let certain_value = |values: &[PossibleValue]| match values {
            [value] if value.condition.is_none() && !value.may_be_overridden => value.to_value(),
            _ => None,
        };
        match &self.value {
            ArgValue::Known(value) => Some(value.clone()),
            ArgValue::Dict { entries, open: false } => {
                let entries = entries.iter().map(|entry| Some((entry.key.clone(), certain_value(&entry.values)?)));
                Some(Value::Map(entries.collect::<Option<_>>()?))
            }
            ArgValue::List(items) => {
                Some(Value::List(items.iter().map(|item| certain_value(std::slice::from_ref(item))).collect::<Option<_>>()?))
            }
            _ => None,
        }
    }
}
