//! Values while the code is interpreted: what they may be, where each is written, and under which condition.

use std::collections::HashMap;
use std::rc::Rc;
use vramlint_base::{FileId, FileRange, Value};

/// Alternatives of one value at most; the rest is dropped for an unknown one.
const ALTERNATIVES: usize = 8;

/// A value: one alternative, or several where a branch that cannot be decided chooses. Never empty.
#[derive(Clone, Debug)]
pub(super) struct Val {
    pub(super) alts: Vec<Alt>,
}

/// One thing that a value may be.
#[derive(Clone, Debug)]
pub(super) struct Alt {
    pub(super) what: What,
    pub(super) source: Rc<Source>,
    /// When it is this one; `None` for the one that holds unless a condition says otherwise.
    pub(super) condition: Option<Rc<str>>,
    /// Whether it holds only where the alternatives before it turn out to be absent.
    pub(super) fallback: bool,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// Not known.
    Unknown,
    /// A number, text, truth value or `None`.
    Scalar(Value),
    /// A list or tuple.
    Items(Rc<Vec<Val>>),
    /// Several values of which only the contents matter: a comprehension, a generator.
    Bundle(Rc<Vec<Val>>),
    /// A thing with identity, by its index in the heap.
    Object(usize),
    /// A function of the project, bound to an object where it is a method.
    Function { id: usize, receiver: Option<usize> },
    /// A class of the project.
    Class(usize),
    /// A module of the project.
    Module(FileId),
    /// A folder of modules.
    Folder(Rc<str>),
    /// Something of a library, by its full name: `torch.optim.AdamW`.
    External(Rc<str>),
    /// A method of a thing of a library.
    Method(usize, Rc<str>),
    /// A value in a loaded file: its index and the route of keys.
    Loaded(usize, Rc<Vec<String>>),
}

/// Where a value comes from.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is asked for alone
pub(super) struct Source {
    /// Where it is written.
    pub(super) place: Option<FileRange>,
    /// What it is called there: `GRPO_BATCH_SIZE`, `TrainConfig.batch_size`.
    pub(super) name: String,
    /// The names that give it a meaning, outermost first: `["training", "batch_size"]`.
    pub(super) path: Vec<String>,
    /// Whether it has a name: a constant, an attribute, an entry of a dict, a default.
    pub(super) declared: bool,
    /// Whether it is a default of a parameter or of a field.
    pub(super) default: bool,
    /// The option of the command line whose value it is.
    pub(super) option: Option<String>,
    /// The variable of the environment that it is.
    pub(super) env: Option<String>,
    /// Whether a run may have another value without a change of the code: an option, a caller that is not seen.
    pub(super) soft: bool,
    /// The class that it is an attribute of.
    pub(super) class: Option<String>,
    /// Where its key is written, for an entry of a dict literal.
    pub(super) key: Option<FileRange>,
}

/// A thing with identity.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) kind: Kind,
    pub(super) attributes: HashMap<String, Val>,
    /// How many undecided branches were open when it was made: a write under more of them is conditional.
    pub(super) depth: usize,
}

/// What a thing is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// A dict; `open` where it may hold keys that are not seen.
    Dict { entries: Vec<(Value, Val)>, open: bool },
    /// An object of a class of the project. `rest` is where attributes that nobody set come from.
    Instance { class: usize, rest: Rest },
    /// `super()` of an object in a class.
    Super { object: usize, class: usize },
    /// A thing of a library, by the full name of its class.
    Library(Rc<str>),
    /// An argument parser; the options of its groups and subparsers are its own.
    Parser,
    /// What `parse_args()` returns, for the parser with this object.
    Namespace(usize),
    /// A parser of dataclasses.
    DataclassParser { classes: Vec<Val>, trl: bool, place: FileRange },
    /// A model, by its index in the record of loads.
    Model(usize),
    /// What a model computes.
    Output(usize),
    /// An open file, or what was read from it.
    Handle(Val),
    /// Adapters' configuration.
    Lora,
    /// Quantization, as a canonical value, where it was decided and by which library call.
    Quantization(Val),
}

/// Where the fields of an object come from that nobody sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// From the class.
    Class,
    /// From the class, unless a caller that is not seen gives others.
    Soft,
    /// Options of the command line, with the class's defaults.
    Options,
    /// Keys of a loaded file below this route, with the class's defaults.
    Loaded(usize, Vec<String>),
}

impl Val {
    /// One thing.
    pub(super) fn one(what: What, source: Source) -> Self {
        Self { alts: vec![Alt { what, source: Rc::new(source), condition: None, fallback: false }] }
    }

    /// Nothing known, without a place.
    pub(super) fn unknown() -> Self {
        Self::one(What::Unknown, Source::default())
    }

    /// One thing that is written at `place`.
    pub(super) fn at(what: What, place: FileRange) -> Self {
        Self::one(what, Source { place: Some(place), ..Source::default() })
    }

    /// From several alternatives; too many leave an unknown one at the end.
    pub(super) fn from_alts(mut alts: Vec<Alt>) -> Self {
        if alts.is_empty() {
            return Self::unknown();
        }
        if alts.len() > ALTERNATIVES {
            alts.truncate(ALTERNATIVES - 1);
            alts.push(Alt { what: What::Unknown, source: Rc::default(), condition: Some("…".into()), fallback: false });
        }
        Self { alts }
    }

    /// The only thing that it is, if it is one.
    pub(super) fn only(&self) -> Option<&Alt> {
        if let [alt] = self.alts.as_slice() { Some(alt) } else { None }
    }

    /// The same, where a condition holds.
    pub(super) fn under(mut self, condition: Option<&Rc<str>>) -> Self {
        for alt in &mut self.alts {
            alt.condition = super::branch::both(condition, alt.condition.as_ref());
        }
        self
    }

    /// The scalar that it certainly is, whatever the command line says.
    pub(super) fn certain(&self) -> Option<&Value> {
        self.only().filter(|alt| !alt.source.soft).and_then(Alt::scalar)
    }

    /// The scalar that it is unless the command line or a branch says otherwise.
    pub(super) fn nominal(&self) -> Option<&Value> {
        self.alts.first().filter(|alt| alt.condition.is_none()).and_then(Alt::scalar)
    }

    /// Whether nothing at all is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.alts.iter().all(|alt| matches!(alt.what, What::Unknown))
    }

    /// The same value with every source changed.
    pub(super) fn map_source(mut self, change: impl Fn(&mut Source)) -> Self {
        for alt in &mut self.alts {
            change(Rc::make_mut(&mut alt.source));
        }
        self
    }

    /// These alternatives, then those of `other` for where these are absent.
    pub(super) fn or_else(mut self, other: Self) -> Self {
        self.alts.extend(other.alts.into_iter().map(|alt| Alt { fallback: true, ..alt }));
        Self::from_alts(self.alts)
    }

    /// Indices of the things with identity among the alternatives.
    pub(super) fn objects(&self) -> impl Iterator<Item = usize> + '_ {
        self.alts.iter().filter_map(|alt| if let What::Object(id) = alt.what { Some(id) } else { None })
    }

    /// The full name of the library thing that it is.
    pub(super) fn external(&self) -> Option<Rc<str>> {
        self.alts.iter().find_map(|alt| if let What::External(path) = &alt.what { Some(path.clone()) } else { None })
    }
}

impl Alt {
    /// The scalar, if it is one.
    pub(super) fn scalar(&self) -> Option<&Value> {
        if let What::Scalar(value) = &self.what { Some(value) } else { None }
    }

    /// Whether two alternatives are the same value of the same place.
    pub(super) fn same(&self, other: &Self) -> bool {
        let equal = match (&self.what, &other.what) {
            (What::Unknown, What::Unknown) => true,
            (What::Scalar(a), What::Scalar(b)) => a == b,
            (What::Object(a), What::Object(b)) | (What::Class(a), What::Class(b)) => a == b,
            (What::Function { id: a, receiver: c }, What::Function { id: b, receiver: d }) => a == b && c == d,
            (What::Items(a), What::Items(b)) | (What::Bundle(a), What::Bundle(b)) => Rc::ptr_eq(a, b),
            (What::Module(a), What::Module(b)) => a == b,
            (What::Folder(a), What::Folder(b)) | (What::External(a), What::External(b)) => a == b,
            (What::Method(a, c), What::Method(b, d)) => a == b && c == d,
            (What::Loaded(a, c), What::Loaded(b, d)) => a == b && c == d,
            _ => false,
        };
        equal && self.source.place == other.source.place && self.source.option == other.source.option
    }
}

impl Source {
    /// Whether the command line or the environment may set it to something else.
    pub(super) fn is_set_outside(&self) -> bool {
        self.soft && (self.option.is_some() || self.env.is_some())
    }
}
