//! Findings, the ranges they point at, and the fixes they offer.

use crate::{Message, TextRange};

/// A file of the project, by its index in the project's list.
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

/// Severity of a finding, in the order of `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Advice; never changes the exit status by default.
    Info,
    /// The run works, but wastes memory or trains something other than the configuration says.
    Warning,
    /// The library raises, or the run cannot do what the configuration says; verified by running a case.
    Error,
}

impl Severity {
    /// Name in the JSON output and in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// How safe a fix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Applicability {
    /// Shown, never applied.
    Display,
    /// Applied with `--unsafe-fixes`; may change what is trained.
    Unsafe,
    /// Applied with `--fix`; keeps the meaning, or is certainly what was intended.
    Safe,
}

impl Applicability {
    /// Name in the JSON output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Unsafe => "unsafe",
            Self::Safe => "safe",
        }
    }
}

/// Replaces the bytes of `place` with `text`; an empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The replaced range.
    pub place: FileRange,
    /// The new text.
    pub text: String,
}

/// A fix: edits that belong together, in one or several files.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What the fix does, in the imperative: `quote 'NO'`.
    pub title: Message,
    /// How safe the fix is.
    pub applicability: Applicability,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// Another range that a finding refers to: the other side of a contradiction, the origin of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// The range.
    pub place: FileRange,
    /// Label of the range, in a few words.
    pub message: Message,
}

/// A problem that a rule reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Stable code of the rule, `VL101`.
    pub code: &'static str,
    /// Name of the rule, `multi-gpu-one-process`.
    pub name: &'static str,
    /// Severity here; may differ from the rule's default.
    pub severity: Severity,
    /// What is wrong, with the values, in one line without a full stop.
    pub message: Message,
    /// What to do.
    pub help: Option<Message>,
    /// The range that the user would change first.
    pub place: FileRange,
    /// The other ranges that the finding refers to.
    pub related: Vec<Related>,
    /// Id of the run that the finding applies to; `None` if it does not depend on a run.
    pub run: Option<String>,
    /// Fixes, best first.
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

    /// This finding with one more related range.
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
