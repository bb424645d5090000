//! An architecture: what a `config.json` says about shapes.

use crate::config::Config;

/// A model's architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Arch {
    /// `model_type` of the config.
    pub model_type: String,
    parameters: u64,
}

impl Arch {
    /// From the keys of a `config.json`; never fails: what is missing is assumed and said in [`Self::assumptions`].
    pub fn from_config(config: &Config) -> Self {
        let count = |key: &str, other: u64| config.count(key).unwrap_or(other);
        let (hidden, layers, vocab) = (count("hidden_size", 4096), count("num_hidden_layers", 32), count("vocab_size", 32000));
        let inner = count("intermediate_size", 4 * hidden);
        Self {
            model_type: config.text("model_type").unwrap_or_default().to_owned(),
            parameters: vocab * hidden * 2 + layers * (4 * hidden * hidden + 3 * hidden * inner),
        }
    }

    /// From a parameter count alone.
    pub fn from_parameters(parameters: u64) -> Self {
        Self { model_type: String::new(), parameters }
    }

    /// Parameters, each once (a tied head is not counted twice).
    pub fn parameters(&self) -> u64 {
        self.parameters
    }
}
