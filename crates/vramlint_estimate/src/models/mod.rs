//! Models: what is known about an architecture, and from where.

use std::collections::BTreeMap;
use vramlint_memory::Arch;
use vramlint_memory::setup::{Dtype, Quantization};

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
    /// A `config.json` that the project's value names; its path as shown.
    Project(String),
    /// A `config.json` in the user's Hugging Face cache; its path as shown.
    Cache(String),
    /// `[[model]]` of the configuration; the path of the `config.json` as shown.
    Declared(String),
    /// The command line.
    Given,
}

/// The models that a project may name.
#[derive(Clone, Debug, Default)]
pub struct Models {
    known: BTreeMap<String, Model>,
}

impl Models {
    /// The built-in ones only.
    pub fn catalogue() -> Self {
        Self::default()
    }

    /// Adds a model.
    pub fn insert(&mut self, model: Model) {
        self.known.insert(model.id.clone(), model);
    }

    /// The model that a project means by `id`.
    pub fn find(&self, id: &str) -> Option<Model> {
        self.known.get(id).cloned()
    }

    /// The name of a known model that was most likely meant.
    pub fn nearest(&self, _id: &str) -> Option<String> {
        None
    }
}
