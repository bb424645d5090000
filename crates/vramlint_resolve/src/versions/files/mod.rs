//! The files in which projects write what they need: text in, mentions of libraries out. What cannot be read is passed over:
//! a version that is not understood is one that is not known.

mod conda;
mod install;
mod lock;
mod marker;
mod requirement;
mod requirements;
mod setup;
mod toml_tables;

pub use install::installs;
pub use requirements::{Include, includes};

use super::{Known, Rank};
use vramlint_base::TextRange;
use vramlint_catalog::releases::followed;

/// What a file says of one library.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// The library, normalized.
    pub library: &'static str,
    /// The version.
    pub version: Known,
    /// How much it counts.
    pub rank: Rank,
    /// Where it is written.
    pub range: TextRange,
    /// Whether a marker decides if it counts.
    conditional: bool,
}

/// A kind of file that names versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
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

impl Form {
    /// By the name of a file.
    pub fn of(name: &str) -> Option<Self> {
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

    /// Whether a file is written by a tool, and long.
    pub const fn is_lock(self) -> bool {
        matches!(self, Self::Lock | Self::PipfileLock)
    }
}

/// What a file says of the libraries that are followed, in order of their place.
pub fn mentions(form: Form, text: &str) -> Vec<Mention> {
    let found = match form {
        Form::Requirements => requirements::read(text),
        Form::Pyproject => toml_tables::pyproject(text),
        Form::Pipfile => toml_tables::pipfile(text),
        Form::Lock => lock::packages(text),
        Form::PipfileLock => lock::pipfile(text),
        Form::Conda => conda::read(text),
        Form::SetupCfg => setup::cfg(text),
        Form::SetupPy => setup::py(text),
    };
    intersect(found)
}

/// Ranges that one file gives for one library all count, unless markers choose between them.
fn intersect(found: Vec<Mention>) -> Vec<Mention> {
    let mut out: Vec<Mention> = Vec::new();
    for mention in found {
        let same = out.iter_mut().find(|other| other.library == mention.library && !other.conditional && !mention.conditional);
        if let Some(other) = same
            && let Some(both) = other.version.and(&mention.version)
        {
            other.version = both;
        } else {
            out.push(mention);
        }
    }
    out
}

impl Mention {
    /// A mention of a library that is followed. Its rank follows from how exact it is.
    fn new(name: &str, version: Known, range: TextRange) -> Option<Self> {
        let rank = if matches!(version, Known::Exact(_)) { Rank::Exact } else { Rank::Range };
        Some(Self { library: followed(name)?, version, rank, range, conditional: false })
    }

    /// A library that an environment has.
    pub fn installed(library: &'static str, version: Known, range: TextRange) -> Self {
        Self { library, version, rank: Rank::Installed, range, conditional: false }
    }

    fn conditional(mut self, conditional: bool) -> Self {
        self.conditional = conditional;
        self
    }
}

#[cfg(test)]
mod tests;
