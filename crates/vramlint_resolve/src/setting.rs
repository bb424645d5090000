//! A setting of a run: every candidate for its value, the origin of each, and the winner.

use vramlint_base::{FileRange, Message, Value};
use vramlint_catalog::Concept;

/// A value, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    /// The value.
    Known(Value),
    /// Why the value is not known.
    Unknown(Message),
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the comment of a variant names its fields
pub enum Origin {
    /// A key of a data file; `key_path` is the path of keys with dots.
    File { place: FileRange, key: FileRange, key_path: String },
    /// A flag on a command line; `flag` as written.
    Flag { place: FileRange, flag: String },
    /// A flag on a command line that only a document shows.
    Documented { place: FileRange, flag: String },
    /// An environment variable.
    Env { name: String, place: FileRange },
    /// Python code: a constant, a class attribute, an argument of a call; `name` is its name there.
    Code { place: FileRange, name: String },
    /// The default of an option of the project's own command line.
    OptionDefault { place: FileRange, option: String },
    /// `[target]` of `vramlint.toml`.
    Target { key: &'static str, file: Option<String> },
    /// The user: `--set`, `--gpus` or `[runs."…"]` of `vramlint.toml`; `source` names which.
    User { source: String, place: Option<FileRange> },
    /// The tool's own default; `source` names version and file.
    Default { tool: &'static str, source: String },
    /// Computed from other settings of the run.
    Derived { formula: Message, inputs: Vec<Concept> },
    /// Not set anywhere: assumed because nothing else is possible or usual.
    Assumed { why: Message },
}

/// One value that a source sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The value.
    pub value: Resolved,
    /// The value as written; empty if it is not written.
    pub raw: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The condition (`unuse_mem < 8`) of a value in one of several branches.
    pub condition: Option<String>,
    /// The assumptions behind it, such as the default of `${2:-8}`.
    pub assumptions: Vec<Message>,
}

/// Why one candidate beats the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precedence {
    /// The order, strongest first: `flag > file > launcher default`.
    pub order: &'static str,
    /// Library, version and file that prove it.
    pub source: &'static str,
}

/// A setting of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// Candidates, strongest first as far as the order is known.
    pub candidates: Vec<Candidate>,
    /// The candidate that wins; `None` if code outside the project decides.
    pub winner: Option<usize>,
    /// The order by which it wins.
    pub precedence: Option<Precedence>,
}

impl Origin {
    /// The place where the user would change the value, if it is in a file of the project.
    pub fn place(&self) -> Option<FileRange> {
        match self {
            Self::File { place, .. }
            | Self::Flag { place, .. }
            | Self::Documented { place, .. }
            | Self::Env { place, .. }
            | Self::Code { place, .. }
            | Self::OptionDefault { place, .. } => Some(*place),
            Self::User { place, .. } => *place,
            Self::Target { .. } | Self::Default { .. } | Self::Derived { .. } | Self::Assumed { .. } => None,
        }
    }

    /// The name of the variant in the JSON output of `runs`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::File { .. } => "file",
            Self::Flag { .. } => "flag",
            Self::Documented { .. } => "documented",
            Self::Env { .. } => "env",
            Self::Code { .. } => "code",
            Self::OptionDefault { .. } => "option-default",
            Self::Target { .. } => "target",
            Self::User { .. } => "user",
            Self::Default { .. } => "default",
            Self::Derived { .. } => "derived",
            Self::Assumed { .. } => "assumed",
        }
    }
}

impl Candidate {
    /// The value, if known.
    pub fn known(&self) -> Option<&Value> {
        if let Resolved::Known(value) = &self.value { Some(value) } else { None }
    }
}

impl Setting {
    /// The candidate that wins.
    pub fn winning(&self) -> Option<&Candidate> {
        self.winner.and_then(|index| self.candidates.get(index))
    }

    /// The value of the run, if known.
    pub fn value(&self) -> Option<&Value> {
        self.winning().and_then(Candidate::known)
    }
}
