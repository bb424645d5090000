//! A setting of a run: every candidate for its value, who set each, and who won.

use vramlint_base::{FileRange, Message, Value};
use vramlint_catalog::Concept;

/// A value, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Resolved {
    /// Known.
    Known(Value),
    /// Not known, and why.
    Unknown(Message),
}

/// Who set a value.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the comment of a variant names its fields
pub enum Origin {
    /// A key of a data file; `key_path` is the path of keys with dots.
    File { place: FileRange, key: FileRange, key_path: String },
    /// A flag on a command line; `flag` as written.
    Flag { place: FileRange, flag: String },
    /// A variable of the environment.
    Env { name: String, place: FileRange },
    /// Python code: a constant, an attribute of a class, an argument of a call; `name` is what it is called there.
    Code { place: FileRange, name: String },
    /// The default of an option of the project's own command line.
    OptionDefault { place: FileRange, option: String },
    /// `[target]` of `vramlint.toml`.
    Target { key: &'static str, file: Option<String> },
    /// The tool's own default; `source` names version and file.
    Default { tool: &'static str, source: String },
    /// Computed from other settings of the run.
    Derived { formula: Message, inputs: Vec<Concept> },
    /// Nothing says it; taken because nothing else is possible or usual, and said so.
    Assumed { why: Message },
}

/// One value that somebody wants a setting to have.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The value.
    pub value: Resolved,
    /// As written, where it is written.
    pub raw: String,
    /// Who wants it.
    pub origin: Origin,
    /// Under which condition (`unuse_mem < 8`), where it is one branch of several.
    pub condition: Option<String>,
    /// What had to be assumed for it, such as the default of `${2:-8}`.
    pub assumptions: Vec<Message>,
}

/// Why one candidate beats the others, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Precedence {
    /// The order, strongest first, in a few words: `flag > file > launcher default`.
    pub order: &'static str,
    /// Library, version and file that prove it.
    pub source: &'static str,
}

/// A setting of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Setting {
    /// Candidates, strongest first as far as the order is known.
    pub candidates: Vec<Candidate>,
    /// The one that wins; `None` where that is decided in a place that the project does not show.
    pub winner: Option<usize>,
    /// Why.
    pub precedence: Option<Precedence>,
}

impl Origin {
    /// The place where the user would change it, if it is in a file of the project.
    pub fn place(&self) -> Option<FileRange> {
        match self {
            Self::File { place, .. }
            | Self::Flag { place, .. }
            | Self::Env { place, .. }
            | Self::Code { place, .. }
            | Self::OptionDefault { place, .. } => Some(*place),
            Self::Target { .. } | Self::Default { .. } | Self::Derived { .. } | Self::Assumed { .. } => None,
        }
    }

    /// Its kind, as the JSON of `runs` spells it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::File { .. } => "file",
            Self::Flag { .. } => "flag",
            Self::Env { .. } => "env",
            Self::Code { .. } => "code",
            Self::OptionDefault { .. } => "option-default",
            Self::Target { .. } => "target",
            Self::Default { .. } => "default",
            Self::Derived { .. } => "derived",
            Self::Assumed { .. } => "assumed",
        }
    }
}

impl Candidate {
    /// The value, where known.
    pub fn known(&self) -> Option<&Value> {
        if let Resolved::Known(value) = &self.value { Some(value) } else { None }
    }
}

impl Setting {
    /// The candidate that wins.
    pub fn winning(&self) -> Option<&Candidate> {
        self.winner.and_then(|index| self.candidates.get(index))
    }

    /// The value of the run, where known.
    pub fn value(&self) -> Option<&Value> {
        self.winning().and_then(Candidate::known)
    }
}
