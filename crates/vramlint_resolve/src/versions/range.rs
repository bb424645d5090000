//! Ranges of library versions.

use pep440_rs::Version;
use std::str::FromStr;
use vramlint_catalog::releases::releases;

/// Which of the versions that may be installed lie in a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeMatch {
    /// All of them.
    Always,
    /// Some: the version is not known, or its bounds overlap the range.
    Sometimes,
    /// None of them.
    Never,
}

/// A range of versions from `since` (inclusive; unbounded if `None`) to `until` (exclusive; unbounded if `None`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionRange {
    /// The library, normalized: `transformers`.
    pub library: &'static str,
    /// The first version in the range.
    pub since: Option<&'static str>,
    /// The first version after the range.
    pub until: Option<&'static str>,
}

impl VersionRange {
    /// From a version on.
    pub const fn since(library: &'static str, version: &'static str) -> Self {
        Self { library, since: Some(version), until: None }
    }

    /// Up to a version, exclusive.
    pub const fn until(library: &'static str, version: &'static str) -> Self {
        Self { library, since: None, until: Some(version) }
    }

    /// Between two versions, the second exclusive.
    pub const fn between(library: &'static str, since: &'static str, until: &'static str) -> Self {
        Self { library, since: Some(since), until: Some(until) }
    }

    /// Whether a version lies in the range.
    pub fn contains(&self, version: &Version) -> bool {
        let parsed = |text: &str| Version::from_str(text).ok();
        self.since.and_then(parsed).is_none_or(|since| *version >= since)
            && self.until.and_then(parsed).is_none_or(|until| *version < until)
    }

    /// The match if nothing is known of the version: it may be any from the oldest release that vramlint knows to future ones.
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
