//! Models: what is known about an architecture, and from where.

mod config;
mod facts;
mod weights;

pub use config::config_from_json;
pub use weights::{parameters_of_header, parameters_of_index};

use std::collections::BTreeMap;
use vramlint_catalog::families;
use vramlint_catalog::models::{Stored, Variant, by_name, nearest, variant};
use vramlint_memory::setup::{Dtype, Quantization};
use vramlint_memory::{Arch, Config};

/// A model whose architecture is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name, as the project writes it.
    pub id: String,
    /// The architecture.
    pub arch: Arch,
    /// Who says so.
    pub source: Source,
    /// Parameters as counted in the weights themselves.
    pub exact_parameters: Option<u64>,
    /// Type in which the weights are stored.
    pub dtype: Option<Dtype>,
    /// Quantization in which the weights are stored.
    pub prequantized: Option<Quantization>,
}

/// Who says how a model is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The built-in catalogue; where its row comes from.
    Catalogue(String),
    /// The catalogue, by the name of a folder that is not here or of a copy: the model that it is taken for. An assumption, to be said.
    Named(String),
    /// A `config.json` that the project's value names; its path as shown.
    Project(String),
    /// A `config.json` in the user's Hugging Face cache; its path as shown.
    Cache(String),
    /// `[[model]]` of the configuration; the path of the `config.json` as shown.
    Declared(String),
    /// The command line.
    Given,
}

impl Source {
    /// Who wins: what is said for this very project over what is said for all.
    fn rank(&self) -> u8 {
        match self {
            Self::Given => 4,
            Self::Declared(_) => 3,
            Self::Project(_) => 2,
            Self::Cache(_) => 1,
            Self::Catalogue(_) | Self::Named(_) => 0,
        }
    }

    /// Whether the model has a name of the hub, where case does not count. The path of a folder is exact: on most systems `Llama`
    /// and `llama` are two folders.
    fn of_the_hub(&self) -> bool {
        !matches!(self, Self::Project(_))
    }
}

impl Model {
    /// From the keys of a `config.json`.
    pub fn from_config(id: &str, config: &Config, source: Source) -> Self {
        Self {
            id: id.to_owned(),
            arch: Arch::from_config(config),
            source,
            exact_parameters: None,
            dtype: facts::dtype(config),
            prequantized: facts::prequantized(config),
        }
    }

    /// A row of the catalogue under the name that the project uses.
    fn of_catalogue(id: &str, found: Variant, source: Source) -> Option<Self> {
        let config = config_from_json(found.model.config).ok()?;
        let mut model = Self::from_config(id, &config, source);
        model.dtype = facts::dtype_named(found.model.dtype);
        model.prequantized = match found.stored {
            Stored::Plain => None,
            Stored::Nf4 => Some(Quantization::FourBit { double: true }),
            Stored::FourBit => Some(Quantization::FourBit { double: false }),
            Stored::EightBit => Some(Quantization::Int8),
        };
        Some(model)
    }
}

/// The models that a project may name: those declared, those lying in the project or in the user's cache, and the catalogue.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// By name.
    known: BTreeMap<String, Known>,
}

#[derive(Clone, Debug)]
struct Known {
    rank: u8,
    of_the_hub: bool,
    /// `None` where two sources of the same rank disagree, or where it cannot be read.
    model: Option<Model>,
}

impl Models {
    /// The built-in ones only.
    pub fn catalogue() -> Self {
        Self::default()
    }

    /// Adds a model. What is declared wins over what lies in the project, that over the cache, and that over the catalogue.
    pub fn insert(&mut self, model: Model) {
        let new = Known { rank: model.source.rank(), of_the_hub: model.source.of_the_hub(), model: Some(model) };
        let id = new.model.as_ref().map(|model| model.id.clone()).unwrap_or_default();
        match self.known.get_mut(&id) {
            Some(old) if old.rank > new.rank => {}
            Some(old) if old.rank == new.rank => {
                let same = |(old, new): (&Model, &Model)| {
                    old.arch == new.arch && old.dtype == new.dtype && old.prequantized == new.prequantized
                };
                if !old.model.as_ref().zip(new.model.as_ref()).is_some_and(same) {
                    old.model = None;
                }
            }
            _ => {
                self.known.insert(id, new);
            }
        }
    }

    /// Remembers that a model lies at hand whose `config.json` cannot be read: nothing else may answer for it.
    pub fn insert_unreadable(&mut self, id: &str, source: &Source) {
        self.insert_without(id, source.rank(), source.of_the_hub());
    }

    /// Remembers that something of this name lies at hand, without a `config.json`: the name is no slip.
    pub fn insert_present(&mut self, id: &str) {
        self.insert_without(id, 0, false);
    }

    fn insert_without(&mut self, id: &str, rank: u8, of_the_hub: bool) {
        let known = self.known.entry(id.to_owned()).or_insert(Known { rank, of_the_hub, model: None });
        if rank > known.rank {
            *known = Known { rank, of_the_hub, model: None };
        }
    }

    /// The model that a project means by `id`.
    pub fn find(&self, id: &str) -> Option<Model> {
        if let Some(known) = self.entry(id).filter(|known| known.rank > 0) {
            return known.model.as_ref().map(|model| Model { id: id.to_owned(), ..model.clone() });
        }
        if let Some(found) = variant(id) {
            return Model::of_catalogue(id, found, Source::Catalogue(found.model.source.to_owned()));
        }
        let found = by_name(id)?;
        Model::of_catalogue(id, found, Source::Named(found.model.id.to_owned()))
    }

    /// Whether somebody beside the catalogue says how it is built, or that it is there.
    pub fn is_at_hand(&self, id: &str) -> bool {
        self.entry(id).is_some()
    }

    fn entry(&self, id: &str) -> Option<&Known> {
        let folded = || self.known.iter().find(|(other, known)| known.of_the_hub && other.eq_ignore_ascii_case(id));
        self.known.get(id).or_else(|| folded().map(|(_, known)| known))
    }

    /// The name of a known model that was most likely meant.
    pub fn nearest(&self, id: &str) -> Option<String> {
        families::slip(id).map(|slip| slip.meant).or_else(|| nearest(id).map(str::to_owned))
    }
}

#[cfg(test)]
mod tests;
