//! Architectures by name.
//!
//! A stand-in with the agreed signatures until the catalogue lands: it knows only what was inserted.

use std::collections::BTreeMap;
use vramlint_base::{Message, message};
use vramlint_memory::setup::{Dtype, Quantization};
use vramlint_memory::{Arch, Config, Value};

/// A model that an id stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its id.
    pub id: String,
    /// Its architecture.
    pub arch: Arch,
    /// Where the architecture comes from.
    pub source: Source,
    /// Parameters by its safetensors files.
    pub exact_parameters: Option<u64>,
    /// Type of the weights in the checkpoint.
    pub dtype: Option<Dtype>,
    /// Quantization of the checkpoint.
    pub prequantized: Option<Quantization>,
}

/// Where an architecture comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The built-in catalogue.
    Catalogue(String),
    /// A file of the project, as shown.
    Project(String),
    /// The user's cache.
    Cache(String),
    /// `[[model]]`.
    Declared(String),
    /// Given on the command line.
    Given,
}

/// Models by id.
#[derive(Clone, Debug, Default)]
pub struct Models(BTreeMap<String, Model>);

impl Models {
    /// The built-in ones.
    pub fn catalogue() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn insert(&mut self, model: Model) {
        self.0.insert(model.id.clone(), model);
    }

    /// The model with this id.
    pub fn find(&self, id: &str) -> Option<Model> {
        self.0.get(id).cloned()
    }

    /// The known id that is nearest to this one.
    pub fn nearest(&self, id: &str) -> Option<String> {
        let near = self.0.keys().map(|known| (strsim::normalized_levenshtein(id, known), known));
        near.filter(|(score, _)| *score > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known.clone())
    }
}

/// The keys of a `config.json`.
pub fn config_from_json(text: &str) -> Result<Config, Message> {
    let read: serde_json::Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| message!("not a config.json: {error}", "不是有效的 config.json：{error}"))?;
    match value(&read) {
        Value::Object(config) => Ok(config),
        _ => Err(message!("not a config.json: an object is expected", "不是有效的 config.json：应为一个对象")),
    }
}

fn value(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(value).collect()),
        Json::Object(entries) => {
            let mut config = Config::default();
            for (key, inner) in entries {
                config.set(key.clone(), value(inner));
            }
            Value::Object(config)
        }
    }
}
