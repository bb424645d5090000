//! For which versions of a library something holds.

use pep440_rs::Version;
use std::str::FromStr;
use vramlint_catalog::releases::releases;

/// For which of the versions that may be installed something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeMatch {
    /// For every one.
    Always,
    /// For some: the version is not known, or a range reaches over the border.
    Sometimes,
    /// For none.
    Never,
}

/// A range of versions: from `since` (itself in it; from the beginning where `None`) to `until` (itself outside; open where `None`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionRange {
    /// The library, normalized: `transformers`.
    pub library: &'static str,
    /// First version.
    pub since: Option<&'static str>,
    /// First version for which it no longer holds.
    pub until: Option<&'static str>,
}

impl VersionRange {
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

    /// For which versions it holds where nothing is known: any from the oldest that vramlint speaks of to those yet to come.
    pub fn match_unknown(&self) -> RangeMatch {
        let Some(releases) = releases(self.library) else { return RangeMatch::Sometimes };
        let parsed = |text: Option<&str>| text.and_then(|text| Version::from_str(text).ok());
        let oldest = parsed(Some(releases.oldest));
        let starts_first = self.since.is_none() || parsed(self.since) <= oldest;
        match parsed(self.until) {
            None if starts_first => RangeMatch::Always,
            Some(until) if oldest.is_some_and(|oldest| until <= oldest) => RangeMatch::Never,
            _ => RangeMatch::Sometimes,
        }
    }
}
