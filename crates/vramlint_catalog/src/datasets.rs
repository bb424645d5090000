//! Public data sets and how long their rows are.
//!
//! The rows lie in `data/datasets.json`, each with its source.

use crate::data;
use serde::Deserialize;
use std::sync::LazyLock;

/// The rows of a public data set.
#[derive(Debug, Deserialize)]
pub struct PublicRows {
    /// Its name among people: `GLUE MRPC`.
    pub name: String,
    /// Its paths on the hub: `nyu-mll/glue`.
    pub paths: Vec<String>,
    /// The configuration of the path, where it has several.
    pub configuration: Option<String>,
    /// Tokens of the longest row of the training split.
    pub longest: u64,
    /// Tokens of a row on average: a batch that is padded to its longest row has at least about as many.
    pub mean: u64,
    /// The tokenizer that counted them.
    pub tokenizer: String,
    /// Where the figure comes from.
    pub source: String,
}

#[derive(Deserialize)]
struct Document {
    datasets: Vec<PublicRows>,
    prompts: Vec<PublicRows>,
}

static KNOWN: LazyLock<Document> = LazyLock::new(|| data::read(data!("datasets")));

/// The rows of what `load_dataset(path, configuration)` returns.
pub fn rows(path: &str, configuration: Option<&str>) -> Option<&'static PublicRows> {
    find(&KNOWN.datasets, path, configuration)
}

/// The prompts of what `load_dataset(path, configuration)` returns, for training that generates the answers itself.
pub fn prompts(path: &str, configuration: Option<&str>) -> Option<&'static PublicRows> {
    find(&KNOWN.prompts, path, configuration)
}

/// Path and configuration of a data set as ms-swift names it (4.6 `swift/dataset/loader.py`): a hub in front, a subset and a number of
/// samples behind.
pub fn of_word(word: &str) -> (&str, Option<&str>) {
    let name = word.split_once("::").map_or(word, |(_, name)| name);
    let name = name.split('#').next().unwrap_or(name);
    let (path, subset) = name.split_once(':').map_or((name, None), |(path, subset)| (path, Some(subset)));
    (path, subset.filter(|subset| *subset != "default"))
}

fn find(known: &'static [PublicRows], path: &str, configuration: Option<&str>) -> Option<&'static PublicRows> {
    known.iter().find(|rows| rows.paths.iter().any(|own| own == path) && rows.configuration.as_deref() == configuration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_needs_its_configuration() {
        assert_eq!(rows("glue", Some("mrpc")).map(|rows| rows.name.as_str()), Some("GLUE MRPC"));
        assert!(rows("glue", None).is_none() && rows("glue", Some("mnli")).is_none());
    }

    #[test]
    fn a_word_of_ms_swift_names_a_data_set() {
        let longest = |word| {
            let (path, subset) = of_word(word);
            rows(path, subset).map(|rows| rows.longest)
        };
        assert_eq!(longest("AI-ModelScope/alpaca-gpt4-data-en#500"), Some(607));
        assert_eq!(longest("HF::vicgalle/alpaca-gpt4:default"), Some(607));
        assert_eq!(longest("AI-ModelScope/alpaca-gpt4-data-en:other#500"), None);
        assert_eq!(longest("rows.jsonl"), None);
    }

    #[test]
    fn prompts_are_kept_apart_from_rows() {
        assert_eq!(prompts("openai/gsm8k", Some("main")).map(|rows| (rows.mean, rows.longest)), Some((89, 241)));
        assert!(rows("openai/gsm8k", Some("main")).is_none() && prompts("vicgalle/alpaca-gpt4", None).is_none());
    }

    #[test]
    fn every_row_has_its_source() {
        assert!(
            KNOWN
                .datasets
                .iter()
                .chain(&KNOWN.prompts)
                .all(|rows| rows.mean > 0 && rows.mean <= rows.longest && !rows.tokenizer.is_empty() && !rows.source.is_empty())
        );
    }
}
