//! Evaluation of a setting: absent, known or unknown.

/// A setting, as far as the files of the project determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluated<T> {
    /// Not set.
    Absent,
    /// Set to this value.
    Known(T),
    /// Set, or possibly set, to a value that the files do not show.
    Unknown(UnknownReason),
}

/// Why a value is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The program that reads the file fills it in: `auto`.
    Auto,
    /// A template, a variable or another program fills it in.
    Templated,
    /// It may be set outside the project: through `"$@"`, or in a missing file.
    Unseen,
}

impl<T> Evaluated<T> {
    /// The value, if known.
    pub fn known(self) -> Option<T> {
        if let Self::Known(value) = self { Some(value) } else { None }
    }
}
