//! Which library versions a project may run with, according to its own files.
//!
//! Readers of the files are in [`files`]; this module weighs what they mention, in this order:
//!
//! 1. `[versions]` in `vramlint.toml`: declared for this purpose ([`EvidenceRank::Declared`]).
//! 2. Lock files and exact pins ([`EvidenceRank::Exact`]): what is installed where the project is trained. If two of them differ, the
//!    project may run with either, and only what holds for both is certain.
//! 3. A virtual environment next to the files ([`EvidenceRank::Installed`]): exact, but of this machine, which may be another one.
//! 4. Ranges ([`EvidenceRank::Range`]), which stay ranges.

pub mod files;
mod range;
mod spec;

pub use pep440_rs::{Version, VersionSpecifiers};
pub use range::{RangeMatch, VersionRange};
pub use spec::VersionSpec;

use std::collections::BTreeMap;
use vramlint_base::FileRange;

/// The evidence for the version of one library.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionEvidence {
    /// The version, or its bounds.
    pub version: VersionSpec,
    /// The place, if the file belongs to the project.
    pub place: Option<FileRange>,
    /// The file as displayed: `requirements.txt`, `.venv`; several if they differ.
    pub source: String,
    /// Every mention, the winner's first.
    pub candidates: Vec<VersionCandidate>,
    /// The releases that may be installed, oldest first; empty if unknown.
    possible_releases: Vec<Version>,
}

/// One mention of a library in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionCandidate {
    /// The version, or its bounds.
    pub version: VersionSpec,
    /// Its rank.
    pub rank: EvidenceRank,
    /// The place.
    pub place: Option<FileRange>,
    /// The file as displayed.
    pub source: String,
}

/// The rank of a mention; the smallest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceRank {
    /// Declared in `vramlint.toml`.
    Declared,
    /// A lock file, or a pin of one version.
    Exact,
    /// Installed in a virtual environment next to the files.
    Installed,
    /// A range, or only a name.
    Range,
}

/// The libraries of one folder of a project and of the folders below it, unless a deeper folder names others; or those of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderLibraries {
    /// The folder or file, as in [`crate::SourceFile::path`]; empty for the working directory.
    pub root: String,
    /// By normalized name: lower case, `-` for `_` and `.`.
    pub evidence: BTreeMap<String, VersionEvidence>,
    /// Whether it also locks the projects below it, as a uv workspace does.
    pub locks_below: bool,
}

impl FolderLibraries {
    /// Weighs the mentions of each library.
    pub fn new(root: String, mentioned: Vec<(&'static str, VersionCandidate)>) -> Self {
        let mut by_name: BTreeMap<String, Vec<VersionCandidate>> = BTreeMap::new();
        for (name, candidate) in mentioned {
            by_name.entry(name.to_owned()).or_default().push(candidate);
        }
        let evidence =
            by_name.into_iter().filter_map(|(name, candidates)| Some((name.clone(), VersionEvidence::new(&name, candidates)?)));
        Self { root, evidence: evidence.collect(), locks_below: false }
    }

    /// Whether the versions that may be installed lie in a range.
    pub fn matches(&self, range: &VersionRange) -> RangeMatch {
        self.evidence.get(range.library).map_or_else(|| range.match_unknown(), |evidence| evidence.matches(range))
    }

    /// Whether the folder contains a path, or is it.
    pub fn governs(&self, path: &str) -> bool {
        let ups = |path: &str| path.split('/').take_while(|part| *part == "..").count();
        if self.root.is_empty() || self.root.split('/').all(|part| part == "..") {
            return !path.starts_with('/') && ups(path) <= ups(&self.root);
        }
        path.strip_prefix(self.root.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// The depth of the folder: of two folders above one file, the deeper one is the nearer one.
    pub fn depth(&self) -> isize {
        let parts = self.root.split('/').filter(|part| !part.is_empty());
        parts.map(|part| if part == ".." { -1 } else { 1 }).sum()
    }
}

impl VersionEvidence {
    /// The conclusion from the candidates; `None` without any.
    pub fn new(library: &str, mut candidates: Vec<VersionCandidate>) -> Option<Self> {
        candidates.sort_by_key(|candidate| candidate.rank);
        let best = candidates.first()?.rank;
        let stale = |installed: &VersionCandidate| {
            let ranges = candidates.iter().filter(|candidate| candidate.rank == EvidenceRank::Range);
            ranges.clone().next().is_some()
                && !ranges.clone().any(|range| installed.version.all_exact(|version| range.version.allows(version)))
        };
        // An environment outside the project's own ranges is outdated: either may be what runs.
        let with_ranges = best == EvidenceRank::Installed && candidates.iter().any(|one| one.rank == best && stale(one));
        let winners: Vec<&VersionCandidate> =
            candidates.iter().filter(|one| one.rank == best || with_ranges && one.rank == EvidenceRank::Range).collect();
        let version = VersionSpec::one_of(winners.iter().map(|one| one.version.clone()));
        let mut sources: Vec<&str> = winners.iter().map(|one| one.source.as_str()).collect();
        sources.dedup();
        if matches!(version, VersionSpec::Exact(_)) {
            sources.truncate(1);
        }
        sources.truncate(3);
        let (place, source) = (winners[0].place, sources.join(", "));
        let possible_releases = version.possible_releases(library);
        Some(Self { version, place, source, candidates, possible_releases })
    }

    /// The newest release that may be installed; `None` if every later one may be, or if the releases are unknown.
    pub fn newest_release(&self) -> Option<String> {
        let newest = self.possible_releases.iter().max()?;
        (!spec::is_to_come(newest)).then(|| newest.to_string())
    }

    /// The newest release before `release` that may be installed.
    pub fn newest_release_before(&self, release: &str) -> Option<String> {
        let bound: Version = release.parse().ok()?;
        self.possible_releases.iter().filter(|version| **version < bound).max().map(ToString::to_string)
    }

    /// Whether the versions that may be installed lie in a range.
    pub fn matches(&self, range: &VersionRange) -> RangeMatch {
        if self.possible_releases.is_empty() {
            return RangeMatch::Sometimes;
        }
        let inside = self.possible_releases.iter().filter(|version| range.contains(version)).count();
        match inside {
            0 => RangeMatch::Never,
            all if all == self.possible_releases.len() => RangeMatch::Always,
            _ => RangeMatch::Sometimes,
        }
    }

    /// Whether it narrows the range of a folder below.
    pub(crate) fn narrows(&self, range: &Self) -> bool {
        matches!(range.candidates.first(), Some(first) if first.rank == EvidenceRank::Range)
            && self.candidates.first().is_some_and(|first| first.rank == EvidenceRank::Exact)
            && self.version.all_exact(|version| range.version.allows(version))
    }
}

#[cfg(test)]
mod tests;
