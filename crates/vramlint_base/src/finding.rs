//! Findings, the places they point at, and the fixes they offer.

use crate::{Message, TextRange};

/// A file of the project, by its place in the project's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileRange {
    /// The file.
    pub file: FileId,
    /// The bytes in it.
    pub range: TextRange,
}

impl FileRange {
    /// A range in a file.
    pub const fn new(file: FileId, range: TextRange) -> Self {
        Self { file, range }
    }
}

/// How grave a finding is. The order is that of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Advice; never changes the exit status by default.
    Info,
    /// It runs, and wastes memory or trains something other than what is written.
    Warning,
    /// The real library refuses it, or the run cannot do what the file says; proven by a case that was run.
    Error,
}

impl Severity {
    /// As the JSON output and the configuration spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How far a fix may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// Advice, shown but never applied.
    Display,
    /// Applied with `--unsafe-fixes`: it may change what is trained.
    Unsafe,
    /// Applied with `--fix`: the meaning is kept, or the change is certainly what was meant.
    Safe,
}

impl Applicability {
    /// As the JSON output spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Unsafe => "unsafe",
            Self::Safe => "safe",
        }
    }
}

/// Replaces the bytes of `place` with `text`. An empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// What is replaced.
    pub place: FileRange,
    /// What comes instead.
    pub text: String,
}

/// A repair: edits that belong together, in one or several files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, as an imperative: `quote 'NO'`.
    pub title: Message,
    /// How far it may be trusted.
    pub applicability: Applicability,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// Another place that takes part in a finding: the other end of a contradiction, who set the value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// Where.
    pub place: FileRange,
    /// What is there, in a few words.
    pub message: Message,
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable code of the rule, `VL101`.
    pub code: &'static str,
    /// Name of the rule, `multi-gpu-one-process`.
    pub name: &'static str,
    /// How grave it is here; may differ from the rule's default.
    pub severity: Severity,
    /// What is wrong, with the values, in one line without a full stop.
    pub message: Message,
    /// What to do, and why.
    pub help: Option<Message>,
    /// The place where the user would change things first.
    pub place: FileRange,
    /// Every other place that took part.
    pub related: Vec<Related>,
    /// The run for which it holds, by its id; `None` where it holds whatever the run.
    pub run: Option<String>,
    /// Repairs, best first.
    pub fixes: Vec<Fix>,
}

impl Finding {
    /// This finding with another severity.
    #[must_use]
    pub fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// This finding with help.
    #[must_use]
    pub fn with_help(mut self, help: Message) -> Self {
        self.help = Some(help);
        self
    }

    /// This finding with one more related place.
    #[must_use]
    pub fn with_related(mut self, place: FileRange, message: Message) -> Self {
        self.related.push(Related { place, message });
        self
    }

    /// This finding with one more fix.
    #[must_use]
    pub fn with_fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// This finding, for a run.
    #[must_use]
    pub fn with_run(mut self, id: &str) -> Self {
        self.run = Some(id.to_owned());
        self
    }
}
