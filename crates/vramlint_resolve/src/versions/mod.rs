//! Which versions of the libraries a project may run with, as its own files say.
//!
//! Readers of the files are in [`files`]; this module weighs what they mention. Who wins, and why:
//!
//! 1. `[versions]` in `vramlint.toml`: said outright, for this purpose ([`EvidenceRank::Declared`]).
//! 2. Lock files and exact pins ([`EvidenceRank::Exact`]): what is installed where the project is trained. Where two of them differ the
//!    project may run with either, and only what holds for both is certain.
//! 3. A virtual environment beside the files ([`EvidenceRank::Installed`]): exact, but of this machine, which may be another one.
//! 4. Ranges ([`EvidenceRank::Range`]), which stay ranges.

pub mod files;
mod range;
mod spec;

pub use pep440_rs::{Version, VersionSpecifiers};
pub use range::{RangeMatch, VersionRange};
pub use spec::VersionSpec;

use std::collections::BTreeMap;
use vramlint_base::FileRange;

/// What a project says about the version of one library.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionEvidence {
    /// The version, or what it is bound to.
    pub version: VersionSpec,
    /// Where it is written, if that file is one of the project's.
    pub place: Option<FileRange>,
    /// The file as shown to people: `requirements.txt`, `.venv`; several where they differ.
    pub source: String,
    /// Everything that was said, the winner's first.
    pub candidates: Vec<VersionCandidate>,
    /// The releases that may be installed, oldest first; empty where that cannot be told.
    possible_releases: Vec<Version>,
}

/// One file's word about a library.
#[derive(Clone, Debug, PartialEq)]
pub struct VersionCandidate {
    /// The version, or what it is bound to.
    pub version: VersionSpec,
    /// How much it counts.
    pub rank: EvidenceRank,
    /// Where it is written.
    pub place: Option<FileRange>,
    /// The file as shown to people.
    pub source: String,
}

/// How much a mention counts; the smallest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceRank {
    /// Said in `vramlint.toml`.
    Declared,
    /// A lock file, or a pin of one version.
    Exact,
    /// Installed in a virtual environment beside the files.
    Installed,
    /// A range, or no more than a name.
    Range,
}

/// The libraries of one folder of a project and what lies below it, until a deeper folder says otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FolderLibraries {
    /// The folder, as in [`crate::SourceFile::path`]; empty for the working directory.
    pub root: String,
    /// By normalized name: lower case, `-` for `_` and `.`.
    pub evidence: BTreeMap<String, VersionEvidence>,
    /// Whether it locks the projects below it too, as a uv workspace does.
    pub locks_below: bool,
}

impl FolderLibraries {
    /// Weighs what was mentioned of each library.
    pub fn new(root: String, mentioned: Vec<(&'static str, VersionCandidate)>) -> Self {
        let mut by_name: BTreeMap<String, Vec<VersionCandidate>> = BTreeMap::new();
        for (name, candidate) in mentioned {
            by_name.entry(name.to_owned()).or_default().push(candidate);
        }
        let evidence =
            by_name.into_iter().filter_map(|(name, candidates)| Some((name.clone(), VersionEvidence::new(&name, candidates)?)));
        Self { root, evidence: evidence.collect(), locks_below: false }
    }

    /// For which versions that may be installed a span holds.
    pub fn matches(&self, range: &VersionRange) -> RangeMatch {
        self.evidence.get(range.library).map_or_else(|| range.match_unknown(), |evidence| evidence.matches(range))
    }

    /// Whether it lies above a path.
    pub fn governs(&self, path: &str) -> bool {
        let ups = |path: &str| path.split('/').take_while(|part| *part == "..").count();
        if self.root.is_empty() || self.root.split('/').all(|part| part == "..") {
            return !path.starts_with('/') && ups(path) <= ups(&self.root);
        }
        path.strip_prefix(self.root.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }

    /// How deep it lies: of two folders above one file, the greater is the nearer.
    pub fn depth(&self) -> isize {
        let parts = self.root.split('/').filter(|part| !part.is_empty());
        parts.map(|part| if part == ".." { -1 } else { 1 }).sum()
    }
}

impl VersionEvidence {
    /// What the candidates come to; `None` without any.
    pub fn new(library: &str, mut candidates: Vec<VersionCandidate>) -> Option<Self> {
        candidates.sort_by_key(|candidate| candidate.rank);
        let best = candidates.first()?.rank;
        let stale = |installed: &VersionCandidate| {
            let ranges = candidates.iter().filter(|candidate| candidate.rank == EvidenceRank::Range);
            ranges.clone().next().is_some()
                && !ranges.clone().any(|range| installed.version.all_exact(|version| range.version.allows(version)))
        };
        // An environment that the project's own ranges refuse is an old one: either may be what runs.
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

    /// For which versions that may be installed a span holds.
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

    /// Whether it narrows a range that a folder below gives.
    pub(crate) fn narrows(&self, range: &Self) -> bool {
        matches!(range.candidates.first(), Some(first) if first.rank == EvidenceRank::Range)
            && self.candidates.first().is_some_and(|first| first.rank == EvidenceRank::Exact)
            && self.version.all_exact(|version| range.version.allows(version))
    }
}

#[cfg(test)]
mod tests;
