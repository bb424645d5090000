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
    /// How the texts of a row were counted, where it has two.
    #[serde(default)]
    pub texts: Option<Texts>,
    /// Rows of the training split, if known.
    pub rows: Option<u64>,
    /// Tokens of the longest row of the training split.
    pub longest: u64,
    /// Tokens of a row on average: a batch that is padded to its longest row has at least about as many.
    pub mean: u64,
    /// Standard deviation of the tokens of a row, if known.
    pub deviation: Option<u64>,
    /// The tokenizer that counted them.
    pub tokenizer: String,
    /// Where the figure comes from.
    pub source: String,
}

/// How the two texts of a row were counted.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Texts {
    /// Each alone, as encoders of sentences get them.
    Single,
    /// Joined, as classifiers of pairs get them.
    Joined,
}

/// The most rows that ms-swift 4.6 counts (`scripts/utils/run_dataset_info.py`).
const COUNTED: u64 = 100_000;

/// Up to how many times the longest row of a normal distribution the longest is one of many that end at a limit.
const LIMITED: f64 = 1.25;

impl PublicRows {
    /// Tokens that the longest of `drawn` rows is likely to have: what a log-normal distribution with the mean and the deviation of all
    /// rows gives, nearer to the mean where it would make the longest of all longer than it is. Rows that end about where those of a normal
    /// distribution do were written up to a limit, which few of them reach as well.
    pub fn longest_of(&self, drawn: u64) -> u64 {
        let (Some(rows), Some(deviation)) = (self.rows, self.deviation) else { return self.longest };
        let counted = rows.min(COUNTED);
        if drawn >= counted || deviation == 0 {
            return self.longest;
        }
        let (mean, deviation) = (number(self.mean), number(deviation));
        let variance = (deviation / mean).powi(2).ln_1p();
        let longest = |rows: u64| (mean.ln() - variance / 2.0 + variance.sqrt() * highest(rows)).exp();
        let whole = number(self.longest) - mean;
        if whole <= LIMITED * highest(counted) * deviation {
            return self.longest;
        }
        let share = (whole / (longest(counted) - mean)).clamp(0.0, 1.0);
        let tokens = mean + (longest(drawn) - mean).max(0.0) * share;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // more than the mean of lengths
        let tokens = tokens.round() as u64;
        tokens.clamp(self.mean, self.longest)
    }
}

/// The highest of `rows` numbers of a standard normal distribution: its quantile at 1 - 1 / `rows` (Abramowitz and Stegun, 26.2.23).
fn highest(rows: u64) -> f64 {
    let t = (2.0 * number(rows.max(2)).ln()).sqrt();
    t - (2.515_517 + t * (0.802_853 + t * 0.010_328)) / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
}

fn number(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}

#[derive(Deserialize)]
struct Document {
    datasets: Vec<PublicRows>,
    prompts: Vec<PublicRows>,
}

static KNOWN: LazyLock<Document> = LazyLock::new(|| data::read(data!("datasets")));

/// The rows of what `load_dataset(path, configuration)` returns.
pub fn rows(path: &str, configuration: Option<&str>) -> Option<&'static PublicRows> {
    find(&KNOWN.datasets, path, configuration, Texts::Single)
}

/// The same for a classifier, which gets the two texts of a row as one.
pub fn joined_rows(path: &str, configuration: Option<&str>) -> Option<&'static PublicRows> {
    find(&KNOWN.datasets, path, configuration, Texts::Joined)
}

/// The prompts of what `load_dataset(path, configuration)` returns, for training that generates the answers itself.
pub fn prompts(path: &str, configuration: Option<&str>) -> Option<&'static PublicRows> {
    find(&KNOWN.prompts, path, configuration, Texts::Single)
}

/// Path and configuration of a data set as ms-swift names it (4.6 `swift/dataset/loader.py`): a hub in front, a subset and a number of
/// samples behind.
pub fn of_word(word: &str) -> (&str, Option<&str>) {
    let name = word.split_once("::").map_or(word, |(_, name)| name);
    let name = name.split('#').next().unwrap_or(name);
    let (path, subset) = name.split_once(':').map_or((name, None), |(path, subset)| (path, Some(subset)));
    (path, subset.filter(|subset| *subset != "default"))
}

/// How many rows of a data set ms-swift draws: the number behind `#`.
pub fn drawn_by_word(word: &str) -> Option<u64> {
    word.split_once('#').and_then(|(_, rows)| rows.parse().ok())
}

fn find(known: &'static [PublicRows], path: &str, configuration: Option<&str>, texts: Texts) -> Option<&'static PublicRows> {
    let counts_so = |rows: &&PublicRows| rows.texts.is_none_or(|counted| counted == texts);
    let mut counted = known.iter().filter(counts_so);
    counted.find(|rows| rows.paths.iter().any(|own| own == path) && rows.configuration.as_deref() == configuration)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_needs_its_configuration() {
        assert_eq!(rows("glue", Some("mrpc")).map(|rows| rows.name.as_str()), Some("GLUE MRPC"));
        let longest = |rows: Option<&PublicRows>| rows.map(|rows| rows.longest);
        let stsb = "sentence-transformers/stsb";
        assert_eq!((longest(rows(stsb, None)), longest(joined_rows(stsb, None))), (Some(70), Some(125)));
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
    fn few_rows_are_shorter_than_all() {
        let longest = |path: &str, drawn: u64| rows(path, None).map(|rows| rows.longest_of(drawn));
        assert_eq!(longest("yahma/alpaca-cleaned", 51_760), Some(1028));
        assert_eq!(longest("yahma/alpaca-cleaned", 480), Some(507));
        assert_eq!(longest("yahma/alpaca-cleaned", 1), Some(170));
        // 1,800 rows of these prompts have 2,022 tokens at most, as counted.
        let code = prompts("open-r1/verifiable-coding-problems-python", None).map(|rows| rows.longest_of(1800));
        assert_eq!(code, Some(2100));
        assert_eq!(longest("vicgalle/alpaca-gpt4", 500), Some(607), "answers were written up to a limit");
        assert_eq!(rows("glue", Some("mrpc")).map(|rows| rows.longest_of(10)), Some(103), "no deviation is known");
        assert!(KNOWN.datasets.iter().all(|rows| rows.longest_of(100) <= rows.longest_of(10_000)));
    }

    #[test]
    fn a_word_of_ms_swift_names_a_number_of_rows() {
        assert_eq!(drawn_by_word("AI-ModelScope/alpaca-gpt4-data-en:default#500"), Some(500));
        assert_eq!(drawn_by_word("AI-ModelScope/alpaca-gpt4-data-en"), None);
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
