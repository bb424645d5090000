//! Abstract values: their alternatives, where each is written, and under which condition it holds.

use super::conditions::conjoin;
use super::selection::Selection;
use std::rc::Rc;
use vramlint_base::{FileId, FileRange, Value};

/// Maximum number of alternatives of a value. An unknown one replaces the rest.
const ALTERNATIVES: usize = 8;

/// A value: one alternative, or several if an undecided branch chooses. Never empty.
#[derive(Clone, Debug)]
pub(super) struct AbstractValue {
    pub(super) alternatives: Vec<Alternative>,
}

/// One of the values that an expression may have.
#[derive(Clone, Debug)]
pub(super) struct Alternative {
    pub(super) kind: ValueKind,
    pub(super) source: Rc<ValueSource>,
    /// The condition under which it holds; `None` for the nominal one.
    pub(super) condition: Option<Rc<str>>,
    /// Whether it holds only if the alternatives before it turn out to be absent.
    pub(super) fallback: bool,
}

/// The kind of a value.
#[derive(Clone, Debug)]
pub(super) enum ValueKind {
    /// Not known.
    Unknown,
    /// A number, string, boolean or `None`.
    Scalar(Value),
    /// A list or tuple.
    Items(Rc<Vec<AbstractValue>>),
    /// Several values whose order does not matter: a comprehension, a generator.
    Bundle(Rc<Vec<AbstractValue>>),
    /// An object with identity, by its index in the heap.
    Object(usize),
    /// A function of the project, bound to an object if it is a method.
    Function { id: usize, receiver: Option<usize> },
    /// A class of the project.
    Class(usize),
    /// A module of the project.
    Module(FileId),
    /// A folder of modules.
    Folder(Rc<str>),
    /// A name of a library: `torch.optim.AdamW`.
    External(Rc<str>),
    /// A method of an object.
    Method(usize, Rc<str>),
    /// A value in a loaded file: the index of the load and the route of keys.
    Loaded(usize, Rc<Vec<String>>),
    /// The name of the parameter that a loop visits.
    ParameterName,
    /// The position of the layer that a loop visits.
    Position,
    /// A number of a range, as of one that a loop walks through: its first and the one after its last.
    Range(i64, i64),
    /// A condition on the name or the position of what a loop visits.
    Selection(Rc<Selection>),
}

/// The source of a value.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // each is asked for alone
pub(super) struct ValueSource {
    /// Where it is written.
    pub(super) place: Option<FileRange>,
    /// Its name there: `GRPO_BATCH_SIZE`, `TrainConfig.batch_size`.
    pub(super) name: String,
    /// The names that give it a meaning, outermost first: `["training", "batch_size"]`.
    pub(super) path: Vec<String>,
    /// Whether it has a name: it is a constant, an attribute, an entry of a dict, or a default.
    pub(super) declared: bool,
    /// Whether it is a default of a parameter or of a field.
    pub(super) default: bool,
    /// The option of the command line whose value it is.
    pub(super) option: Option<String>,
    /// The environment variable that it comes from.
    pub(super) env: Option<String>,
    /// Whether a run may have another value without a change of the code: by an option or an invisible caller.
    pub(super) may_be_overridden: bool,
    /// The class that it is an attribute of.
    pub(super) class: Option<String>,
    /// The place of its key, for an entry of a dict literal.
    pub(super) key: Option<FileRange>,
    /// The key of a loaded file that it is: the index of the load and the route of keys.
    pub(super) loaded: Option<Rc<(usize, Vec<String>)>>,
}

impl AbstractValue {
    /// A value with one alternative.
    pub(super) fn new(kind: ValueKind, source: ValueSource) -> Self {
        Self { alternatives: vec![Alternative { kind, source: Rc::new(source), condition: None, fallback: false }] }
    }

    /// An unknown value without a place.
    pub(super) fn unknown() -> Self {
        Self::new(ValueKind::Unknown, ValueSource::default())
    }

    /// A value that is written at `place`.
    pub(super) fn located(kind: ValueKind, place: FileRange) -> Self {
        Self::new(kind, ValueSource { place: Some(place), ..ValueSource::default() })
    }

    /// A value with several alternatives. If there are too many, the last is unknown.
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

    /// The only alternative, if there is one.
    pub(super) fn single(&self) -> Option<&Alternative> {
        if let [alt] = self.alternatives.as_slice() { Some(alt) } else { None }
    }

    /// The same value under a condition.
    pub(super) fn under_condition(mut self, condition: Option<&Rc<str>>) -> Self {
        for alt in &mut self.alternatives {
            alt.condition = conjoin(condition, alt.condition.as_ref());
        }
        self
    }

    /// The scalar, if nothing may change it.
    pub(super) fn constant(&self) -> Option<&Value> {
        self.single().filter(|alt| !alt.source.may_be_overridden).and_then(Alternative::scalar)
    }

    /// The nominal scalar: it holds unless the command line or a branch changes it.
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

    /// These alternatives, then those of `other` as fallbacks.
    pub(super) fn or_else(mut self, other: Self) -> Self {
        self.alternatives.extend(other.alternatives.into_iter().map(|alt| Alternative { fallback: true, ..alt }));
        Self::from_alternatives(self.alternatives)
    }

    /// Indices of the objects among the alternatives.
    pub(super) fn objects(&self) -> impl Iterator<Item = usize> + '_ {
        self.alternatives.iter().filter_map(|alt| if let ValueKind::Object(id) = alt.kind { Some(id) } else { None })
    }

    /// The full name of a library's function, class or module.
    pub(super) fn library_path(&self) -> Option<Rc<str>> {
        self.alternatives.iter().find_map(|alt| if let ValueKind::External(path) = &alt.kind { Some(path.clone()) } else { None })
    }
}

impl Alternative {
    /// The scalar, if it is one.
    pub(super) fn scalar(&self) -> Option<&Value> {
        if let ValueKind::Scalar(value) = &self.kind { Some(value) } else { None }
    }

    /// Whether two alternatives are the same value at the same place.
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

/// A default that arguments replace which are not visible: it says nothing.
pub(super) fn hidden(mut val: AbstractValue) -> AbstractValue {
    for alt in &mut val.alternatives {
        alt.kind = ValueKind::Unknown;
    }
    val.map_source(|source| source.may_be_overridden = true)
}

/// The value of an environment variable.
pub(super) fn environment_variable(name: &str, place: FileRange) -> AbstractValue {
    let source = ValueSource {
        place: Some(place),
        name: name.to_string(),
        env: Some(name.to_string()),
        may_be_overridden: true,
        ..ValueSource::default()
    };
    AbstractValue::new(ValueKind::Unknown, source)
}

/// The place of a value.
pub(super) fn place_of_value(val: &AbstractValue) -> Option<FileRange> {
    val.alternatives.first().and_then(|alt| alt.source.place)
}
