//! Models: their architectures, and the sources of them.

mod config;
mod safetensors;
mod storage;

pub use config::config_from_json;
pub use safetensors::{parameters_of_header, parameters_of_index};

use std::collections::BTreeMap;
use vramlint_base::{Message, message};
use vramlint_catalog::families;
use vramlint_catalog::models::{Resemblance, Stored, Variant, by_name, nearest, resembling, size_in_name, variant};
use vramlint_memory::estimate::Assumption;
use vramlint_memory::setup::{Dtype, Quantization};
use vramlint_memory::{Arch, Config};

/// A model whose architecture is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its name, as written in the project.
    pub id: String,
    /// The architecture.
    pub arch: Arch,
    /// The source of the architecture.
    pub source: Source,
    /// Parameters as counted in the weight files.
    pub exact_parameters: Option<u64>,
    /// Type of the stored weights.
    pub dtype: Option<Dtype>,
    /// Quantization of the stored weights.
    pub prequantized: Option<Quantization>,
}

/// The source of an architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The built-in catalogue, with the source of its row.
    Catalogue(String),
    /// The catalogue, by the name of a missing folder or of a copy: the model that it is assumed to be.
    InferredFromName(String),
    /// The catalogue, by a name that states the family and size of a model: the model that it is assumed to be made from.
    Derivative(String),
    /// The size in the name, in parameters.
    SizeInName(u64),
    /// A `config.json` referenced by the project; its displayed path.
    Project(String),
    /// A `config.json` in the user's Hugging Face cache; its displayed path.
    Cache(String),
    /// `[[model]]` of the configuration; the displayed path of the `config.json`.
    Declared(String),
    /// The command line.
    CommandLine,
    /// The code, which makes the model from a configuration.
    Code,
}

impl Source {
    /// Precedence: project-specific sources win over general ones.
    fn rank(&self) -> u8 {
        match self {
            Self::CommandLine | Self::Code => 4,
            Self::Declared(_) => 3,
            Self::Project(_) => 2,
            Self::Cache(_) => 1,
            Self::Catalogue(_) | Self::InferredFromName(_) | Self::Derivative(_) | Self::SizeInName(_) => 0,
        }
    }

    /// Whether the name is a hub id, which is case-insensitive. Folder paths are exact: on most systems `Llama`
    /// and `llama` are two folders.
    fn is_hub_name(&self) -> bool {
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
            dtype: storage::dtype(config),
            prequantized: storage::prequantized(config),
        }
    }

    /// The same model with the parameters that its weight files hold; without them, its name may contradict its config.
    #[must_use]
    pub fn agreeing_with_its_weights(self) -> Self {
        let arch = match (self.exact_parameters, size_in_name(&self.id)) {
            (Some(count), _) => self.arch.corrected(count),
            (None, Some(size)) => self.arch.contradicted_by_name(size),
            (None, None) => self.arch,
        };
        Self { arch, ..self }
    }

    /// Why there is no figure for it, if its architecture is none that a decoder of text could stand for.
    pub fn undescribed(&self) -> Option<Message> {
        let (id, why) = (&self.id, self.arch.undescribed()?);
        let (en, zh) = (&why.en, &why.zh);
        Some(message!("{id}: {en}", "{id}：{zh}"))
    }

    /// What its name is taken to tell, if its name is all that tells of it.
    pub fn told_by_name(&self) -> Option<Message> {
        let id = &self.id;
        match &self.source {
            Source::InferredFromName(known) => {
                Some(message!("{id} is taken for {known}, by its name", "按名称把 {id} 视为 {known}"))
            }
            Source::Derivative(known) => Some(message!(
                "{id} is taken for a model made from {known}, by its name",
                "按名称把 {id} 视为由 {known} 得来的模型"
            )),
            Source::SizeInName(_) => Some(message!(
                "nothing but the size in its name is known of {id}: declare its config.json with `vramlint model add`",
                "关于 {id} 只知道名称中的参数量：可用 `vramlint model add` 加入它的 config.json"
            )),
            _ => None,
        }
    }

    /// A row of the catalogue, under the name used in the project.
    fn from_catalogue(id: &str, found: Variant, source: Source) -> Option<Self> {
        let config = config_from_json(found.model.config).ok()?;
        let mut model = Self::from_config(id, &config, source);
        model.dtype = storage::dtype_named(found.model.dtype);
        model.prequantized = match found.stored {
            Stored::Plain | Stored::NarrowFloat => None,
            Stored::Nf4 => Some(Quantization::FourBit { double: true }),
            Stored::FourBit => Some(Quantization::FourBit { double: false }),
            Stored::EightBit => Some(Quantization::Int8),
        };
        if found.stored == Stored::NarrowFloat {
            model.arch = model.arch.without_figure(Assumption {
                en: "estimates do not describe weights that are stored as floats of 8 or 4 bits".to_owned(),
                zh: "估算不描述以 8 位或 4 位浮点存储的权重".to_owned(),
            });
        }
        Some(model)
    }
}

/// The models that a project may reference: declared ones, those in the project or the user's cache, and the catalogue.
#[derive(Clone, Debug, Default)]
pub struct Models {
    /// By name.
    known: BTreeMap<String, ModelEntry>,
}

#[derive(Clone, Debug)]
struct ModelEntry {
    rank: u8,
    is_hub_name: bool,
    /// `None` if two sources of the same rank disagree, or if it cannot be read.
    model: Option<Model>,
}

impl Models {
    /// The built-in models only.
    pub fn catalogue() -> Self {
        Self::default()
    }

    /// Adds a model. Declared models win over those in the project, these over the cache, and these over the catalogue.
    pub fn insert(&mut self, model: Model) {
        let new = ModelEntry { rank: model.source.rank(), is_hub_name: model.source.is_hub_name(), model: Some(model) };
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

    /// Records a local model whose `config.json` cannot be read: no other source may replace it.
    pub fn insert_unreadable(&mut self, id: &str, source: &Source) {
        self.insert_without(id, source.rank(), source.is_hub_name());
    }

    /// Records that a local folder has this name, without a `config.json`: the name is not a typo.
    pub fn insert_present(&mut self, id: &str) {
        self.insert_without(id, 0, false);
    }

    fn insert_without(&mut self, id: &str, rank: u8, is_hub_name: bool) {
        let known = self.known.entry(id.to_owned()).or_insert(ModelEntry { rank, is_hub_name, model: None });
        if rank > known.rank {
            *known = ModelEntry { rank, is_hub_name, model: None };
        }
    }

    /// The model with this name.
    pub fn find(&self, id: &str) -> Option<Model> {
        if let Some(known) = self.entry(id).filter(|known| known.rank > 0) {
            return known.model.as_ref().map(|model| Model { id: id.to_owned(), ..model.clone() });
        }
        if let Some(found) = variant(id) {
            return Model::from_catalogue(id, found, Source::Catalogue(found.model.source.to_owned()));
        }
        let found = by_name(id)?;
        Model::from_catalogue(id, found, Source::InferredFromName(found.model.id.to_owned()))
    }

    /// The model with this name, or what its name tells about it: see [`Resemblance`]. A name that is a slip of a known one tells
    /// nothing.
    pub fn find_or_infer(&self, id: &str) -> Option<Model> {
        if let Some(model) = self.find(id) {
            return Some(model);
        }
        if self.entry(id).is_some_and(|known| known.rank > 0) || families::slip(id).is_some() {
            return None;
        }
        match resembling(id)? {
            Resemblance::Model(found) => {
                let model = Model::from_catalogue(id, found, Source::Derivative(found.model.id.to_owned()))?;
                Some(Model { arch: model.arch.told_by_name(), ..model })
            }
            Resemblance::Undescribed(model_type) => {
                let mut config = Config::default();
                config.set("model_type", vramlint_memory::Value::Text(model_type.to_owned()));
                Some(Model::from_config(id, &config, Source::Derivative(model_type.to_owned())))
            }
            Resemblance::Size(parameters) => Some(Model {
                id: id.to_owned(),
                arch: Arch::from_parameters(parameters),
                source: Source::SizeInName(parameters),
                exact_parameters: None,
                dtype: None,
                prequantized: None,
            }),
        }
    }

    /// Whether a source other than the catalogue knows it.
    pub fn is_available(&self, id: &str) -> bool {
        self.entry(id).is_some()
    }

    fn entry(&self, id: &str) -> Option<&ModelEntry> {
        let folded = || self.known.iter().find(|(other, known)| known.is_hub_name && other.eq_ignore_ascii_case(id));
        self.known.get(id).or_else(|| folded().map(|(_, known)| known))
    }

    /// The known model whose name is most similar.
    pub fn nearest(&self, id: &str) -> Option<String> {
        families::slip(id).map(|slip| slip.meant).or_else(|| nearest(id).map(str::to_owned))
    }
}

#[cfg(test)]
mod tests;
