//! Values while the code is interpreted: what they may be, where each is written, and under which condition.

use super::conditions::conjoin;
use std::rc::Rc;
use vramlint_base::{FileId, FileRange, Value};

/// Alternatives of one value at most; the rest is dropped for an unknown one.
const ALTERNATIVES: usize = 8;

/// A value: one alternative, or several where a branch that cannot be decided chooses. Never empty.
#[derive(Clone, Debug)]
pub(super) struct AbstractValue {
    pub(super) alternatives: Vec<Alternative>,
}

/// One thing that a value may be.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) kind: ValueKind,
    pub(super) source: Rc<ValueSource>,
    /// When it is this one; `None` for the one that holds unless a condition says otherwise.
    pub(super) condition: Option<Rc<str>>,
    /// Whether it holds only where the alternatives before it turn out to be absent.
    pub(super) fallback: bool,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum ValueKind {
    /// Not known.
    Unknown,
    /// A number, text, truth value or `None`.
    Scalar(Value),
    /// A list or tuple.
    Items(Rc<Vec<AbstractValue>>),
    /// Several values of which only the contents matter: a comprehension, a generator.
    Bundle(Rc<Vec<AbstractValue>>),
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
pub(super) struct ValueSource {
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
    pub(super) may_be_overridden: bool,
    /// The class that it is an attribute of.
    pub(super) class: Option<String>,
    /// Where its key is written, for an entry of a dict literal.
    pub(super) key: Option<FileRange>,
}

impl AbstractValue {
    /// One thing.
    pub(super) fn one(kind: ValueKind, source: ValueSource) -> Self {
        Self { alternatives: vec![Alternative { kind, source: Rc::new(source), condition: None, fallback: false }] }
    }

    /// Nothing known, without a place.
    pub(super) fn unknown() -> Self {
        Self::one(ValueKind::Unknown, ValueSource::default())
    }

    /// One thing that is written at `place`.
    pub(super) fn at(kind: ValueKind, place: FileRange) -> Self {
        Self::one(kind, ValueSource { place: Some(place), ..ValueSource::default() })
    }

    /// From several alternatives; too many leave an unknown one at the end.
    pub(super) fn from_alternatives(mut alternatives: Vec<Alternative>) -> Self {
        if alternatives.is_empty() {
            return Self::unknown();
        }
        if alternatives.len() > ALTERNATIVES {
            alternatives.truncate(ALTERNATIVES - 1);
            alternatives.push(Alternative {
                kind: ValueKind::Unknown,
                source: Rc::default(),
                condition: Some("…".into()),
                fallback: false,
            });
        }
        Self { alternatives }
    }

    /// The only thing that it is, if it is one.
    pub(super) fn only(&self) -> Option<&Alternative> {
        if let [alt] = self.alternatives.as_slice() { Some(alt) } else { None }
    }

    /// The same, where a condition holds.
    pub(super) fn under(mut self, condition: Option<&Rc<str>>) -> Self {
        for alt in &mut self.alternatives {
            alt.condition = conjoin(condition, alt.condition.as_ref());
        }
        self
    }

    /// The scalar that it certainly is, whatever the command line says.
    pub(super) fn certain(&self) -> Option<&Value> {
        self.only().filter(|alt| !alt.source.may_be_overridden).and_then(Alternative::scalar)
    }

    /// The scalar that it is unless the command line or a branch says otherwise.
    pub(super) fn nominal(&self) -> Option<&Value> {
        self.alternatives.first().filter(|alt| alt.condition.is_none()).and_then(Alternative::scalar)
    }

    /// Whether nothing at all is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.alternatives.iter().all(|alt| matches!(alt.kind, ValueKind::Unknown))
    }

    /// The same value with every source changed.
    pub(super) fn map_source(mut self, change: impl Fn(&mut ValueSource)) -> Self {
        for alt in &mut self.alternatives {
            change(Rc::make_mut(&mut alt.source));
        }
        self
    }

    /// These alternatives, then those of `other` for where these are absent.
    pub(super) fn or_else(mut self, other: Self) -> Self {
        self.alternatives.extend(other.alternatives.into_iter().map(|alt| Alternative { fallback: true, ..alt }));
        Self::from_alternatives(self.alternatives)
    }

    /// Indices of the things with identity among the alternatives.
    pub(super) fn objects(&self) -> impl Iterator<Item = usize> + '_ {
        self.alternatives.iter().filter_map(|alt| if let ValueKind::Object(id) = alt.kind { Some(id) } else { None })
    }

    /// The full name of the library thing that it is.
    pub(super) fn external(&self) -> Option<Rc<str>> {
        self.alternatives.iter().find_map(|alt| if let ValueKind::External(path) = &alt.kind { Some(path.clone()) } else { None })
    }
}

impl Alternative {
    /// The scalar, if it is one.
    pub(super) fn scalar(&self) -> Option<&Value> {
        if let ValueKind::Scalar(value) = &self.kind { Some(value) } else { None }
    }

    /// Whether two alternatives are the same value of the same place.
    pub(super) fn same(&self, other: &Self) -> bool {
        let equal = match (&self.kind, &other.kind) {
            (ValueKind::Unknown, ValueKind::Unknown) => true,
            (ValueKind::Scalar(a), ValueKind::Scalar(b)) => a == b,
            (ValueKind::Object(a), ValueKind::Object(b)) | (ValueKind::Class(a), ValueKind::Class(b)) => a == b,
            (ValueKind::Function { id: a, receiver: c }, ValueKind::Function { id: b, receiver: d }) => a == b && c == d,
            (ValueKind::Items(a), ValueKind::Items(b)) | (ValueKind::Bundle(a), ValueKind::Bundle(b)) => Rc::ptr_eq(a, b),
            (ValueKind::Module(a), ValueKind::Module(b)) => a == b,
            (ValueKind::Folder(a), ValueKind::Folder(b)) | (ValueKind::External(a), ValueKind::External(b)) => a == b,
            (ValueKind::Method(a, c), ValueKind::Method(b, d)) => a == b && c == d,
            (ValueKind::Loaded(a, c), ValueKind::Loaded(b, d)) => a == b && c == d,
            _ => false,
        };
        equal && self.source.place == other.source.place && self.source.option == other.source.option
    }
}

impl ValueSource {
    /// Whether the command line or the environment may set it to something else.
    pub(super) fn is_set_outside(&self) -> bool {
        self.may_be_overridden && (self.option.is_some() || self.env.is_some())
    }
}

/// Gives a name to alternatives that have none yet.
pub(super) fn declare(mut val: AbstractValue, name: &str, class: Option<&str>) -> AbstractValue {
    for alt in &mut val.alternatives {
        if alt.source.declared || alt.source.place.is_none() {
            continue;
        }
        let source = Rc::make_mut(&mut alt.source);
        source.declared = true;
        source.name = class.map_or_else(|| name.to_string(), |class| format!("{class}.{name}"));
        source.path = vec![name.to_string()];
        source.class = class.map(str::to_string);
    }
    val
}

/// A variable of the environment.
pub(super) fn variable(name: &str, place: FileRange) -> AbstractValue {
    let source = ValueSource {
        place: Some(place),
        name: name.to_string(),
        env: Some(name.to_string()),
        may_be_overridden: true,
        ..ValueSource::default()
    };
    AbstractValue::one(ValueKind::Unknown, source)
}

/// Where a value is written.
pub(super) fn place_of(val: &AbstractValue) -> Option<FileRange> {
    val.alternatives.first().and_then(|alt| alt.source.place)
}
