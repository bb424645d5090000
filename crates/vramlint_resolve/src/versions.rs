//! Which versions of the libraries a project may run with, as its own files say.

use std::collections::BTreeMap;
use std::str::FromStr;
use vramlint_base::Place;

pub use pep440_rs::{Version, VersionSpecifiers};

/// What a project says about the version of one library.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The version, or what it is bound to.
    pub version: Known,
    /// Where it is written, if that file is one of the project's.
    pub place: Option<Place>,
    /// The file as shown to people: `requirements.txt`, `.venv`.
    pub source: String,
}

/// A version, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// Exactly this one: a pin, a lock file, an installed package.
    Exact(Version),
    /// One that these allow.
    Range(VersionSpecifiers),
}

/// The libraries of one folder of a project and what lies below it, until a deeper folder says otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Libraries {
    /// The folder, as in [`crate::SourceFile::path`]; empty for the working directory.
    pub root: String,
    /// By normalized name: lower case, `-` for `_` and `.`.
    pub said: BTreeMap<String, Said>,
}

/// For which of the versions that may be installed something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// For every one.
    Always,
    /// For some: the version is not known, or a range reaches over the border.
    Sometimes,
    /// For none.
    Never,
}

/// A span of versions: from `since` (itself in it; from the beginning where `None`) to `until` (itself outside; open where `None`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The library, normalized: `transformers`.
    pub library: &'static str,
    /// First version.
    pub since: Option<&'static str>,
    /// First version for which it no longer holds.
    pub until: Option<&'static str>,
}

impl Span {
    /// From a version on.
    pub const fn since(library: &'static str, version: &'static str) -> Self {
        Self { library, since: Some(version), until: None }
    }

    /// Up to a version, which is outside.
    pub const fn until(library: &'static str, version: &'static str) -> Self {
        Self { library, since: None, until: Some(version) }
    }

    /// Between two versions, the second outside.
    pub const fn between(library: &'static str, since: &'static str, until: &'static str) -> Self {
        Self { library, since: Some(since), until: Some(until) }
    }

    /// Whether one version lies in it.
    pub fn contains(&self, version: &Version) -> bool {
        let parsed = |text: &str| Version::from_str(text).ok();
        self.since.and_then(parsed).is_none_or(|since| *version >= since)
            && self.until.and_then(parsed).is_none_or(|until| *version < until)
    }
}

impl Libraries {
    /// For which versions that may be installed a span holds.
    pub fn holds(&self, span: &Span) -> Holds {
        match self.said.get(span.library).map(|said| &said.version) {
            Some(Known::Exact(version)) if span.contains(version) => Holds::Always,
            Some(Known::Exact(_)) => Holds::Never,
            // Ranges are narrowed where that is decided; a range that is not looked at says nothing.
            Some(Known::Range(_)) | None => Holds::Sometimes,
        }
    }
}
