//! Readers of the files in which projects declare dependencies: text in, mentions of libraries out. What cannot be parsed is skipped:
//! its version is not known.

mod conda;
mod install;
mod lock;
mod marker;
mod requirement;
mod requirements;
mod script;
mod setup;
mod toml_tables;

pub use install::pip_installs;
pub use requirements::{Include, includes};
pub use script::script_pins;

use super::{EvidenceRank, VersionSpec};
use std::collections::HashMap;
use vramlint_base::TextRange;
use vramlint_catalog::releases::followed;

/// A mention of one library in a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryMention {
    /// The library, normalized.
    pub library: &'static str,
    /// The version.
    pub version: VersionSpec,
    /// Its rank.
    pub rank: EvidenceRank,
    /// The place.
    pub range: TextRange,
    /// Whether an environment marker decides if it applies.
    conditional: bool,
}

/// A kind of file that names versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ManifestKind {
    /// `requirements.txt` and its like.
    Requirements,
    /// `pyproject.toml`.
    Pyproject,
    /// `Pipfile`.
    Pipfile,
    /// `uv.lock`, `poetry.lock`, `pdm.lock`, `pylock.toml`.
    Lock,
    /// `Pipfile.lock`.
    PipfileLock,
    /// conda's `environment.yml`.
    Conda,
    /// `setup.cfg`.
    SetupCfg,
    /// `setup.py`.
    SetupPy,
}

impl ManifestKind {
    /// The kind of a file by its name.
    pub fn from_name(name: &str) -> Option<Self> {
        let lower = name.to_lowercase();
        Some(match lower.as_str() {
            "pyproject.toml" => Self::Pyproject,
            "pipfile" => Self::Pipfile,
            "pipfile.lock" => Self::PipfileLock,
            "uv.lock" | "poetry.lock" | "pdm.lock" | "pylock.toml" => Self::Lock,
            "setup.cfg" => Self::SetupCfg,
            "setup.py" => Self::SetupPy,
            _ => {
                let (stem, extension) = lower.rsplit_once('.')?;
                let requirements = ["requirement", "constraint"].iter().any(|word| stem.contains(word)) || stem == "reqs";
                match extension {
                    "txt" | "in" | "pip" if requirements => Self::Requirements,
                    "yml" | "yaml" if stem.starts_with("environment") || stem.starts_with("conda") || stem == "env" => {
                        Self::Conda
                    }
                    _ => return None,
                }
            }
        })
    }

    /// Whether a tool writes files of this kind; such files are long.
    pub const fn is_lock(self) -> bool {
        matches!(self, Self::Lock | Self::PipfileLock)
    }
}

/// The mentions of known libraries in a file, in order of their place.
pub fn read_mentions(form: ManifestKind, text: &str) -> Vec<LibraryMention> {
    let found = match form {
        ManifestKind::Requirements => requirements::read(text),
        ManifestKind::Pyproject => toml_tables::pyproject(text),
        ManifestKind::Pipfile => toml_tables::pipfile(text),
        ManifestKind::Lock => lock::packages(text),
        ManifestKind::PipfileLock => lock::pipfile_packages(text),
        ManifestKind::Conda => conda::read(text),
        ManifestKind::SetupCfg => setup::read_cfg(text),
        ManifestKind::SetupPy => setup::read_py(text),
    };
    intersect(found)
}

/// All ranges for one library in one file apply, unless markers choose between them.
fn intersect(found: Vec<LibraryMention>) -> Vec<LibraryMention> {
    let mut out: Vec<LibraryMention> = Vec::new();
    let mut unconditional: HashMap<&'static str, usize> = HashMap::new();
    for mention in found {
        let number = (!mention.conditional).then(|| *unconditional.entry(mention.library).or_insert(out.len()));
        if let Some(other) = number.and_then(|number| out.get_mut(number))
            && let Some(both) = other.version.intersect(&mention.version)
        {
            other.version = both;
        } else {
            out.push(mention);
        }
    }
    out
}

impl LibraryMention {
    /// A mention of a known library. Its rank depends on how exact it is.
    fn new(name: &str, version: VersionSpec, range: TextRange) -> Option<Self> {
        let rank = if matches!(version, VersionSpec::Exact(_)) { EvidenceRank::Exact } else { EvidenceRank::Range };
        Some(Self { library: followed(name)?, version, rank, range, conditional: false })
    }

    /// A library installed in an environment.
    pub fn installed(library: &'static str, version: VersionSpec, range: TextRange) -> Self {
        Self { library, version, rank: EvidenceRank::Installed, range, conditional: false }
    }

    fn conditional(mut self, conditional: bool) -> Self {
        self.conditional = conditional;
        self
    }
}

#[cfg(test)]
mod tests;
