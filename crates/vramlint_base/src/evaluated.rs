//! What is known of a value.

/// A setting as far as the files of a project show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluated<T> {
    /// It is not set.
    Absent,
    /// It is set to this.
    Known(T),
    /// It is set, or may be, to something that the files do not show.
    Unknown(UnknownReason),
}

/// Why a value is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The program that reads the file fills it in: `auto`.
    Auto,
    /// A template, a variable or another program fills it in.
    Templated,
    /// It may be set where the project does not show it: behind `"$@"`, in a file that is missing.
    Unseen,
}

impl<T> Evaluated<T> {
    /// The value, if known.
    pub fn known(self) -> Option<T> {
        if let Self::Known(value) = self { Some(value) } else { None }
    }
}
