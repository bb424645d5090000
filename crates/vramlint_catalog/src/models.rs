//! Architectures of public models.
//!
//! The rows lie in `data/models.json`, each with its source. A row's `config` speaks the vocabulary of the `config.json` of its
//! `model_type`; every one was built by transformers 5.23.0 on the meta device and has exactly the parameters that it states.

mod id;
mod resemblance;

pub use id::{Stored, Variant};
pub use resemblance::Resemblance;

use crate::data;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::{LazyLock, OnceLock};

/// A model of the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name on the hub.
    pub id: &'static str,
    /// Names on the hub of models that are built alike: fine-tuned, renamed, copied.
    pub aliases: &'static [&'static str],
    /// JSON with the keys of a `config.json`.
    pub config: &'static str,
    /// Parameters, each counted once: a tied head is not counted again.
    pub parameters: u64,
    /// Type in which the weights are stored: `bfloat16`, `float16`, `float32`, `float8_e4m3fn`.
    pub dtype: &'static str,
    /// Names of its linear layers, for adapters.
    pub linear_modules: &'static [&'static str],
    /// Where the dimensions come from.
    pub source: &'static str,
    /// Whether the dimensions were read in that source, rather than recalled or derived from a related model.
    pub verified: bool,
    /// What must be known about the row.
    pub note: Option<&'static str>,
}

#[derive(Deserialize)]
struct Row<'a> {
    id: &'a str,
    #[serde(borrow)]
    aliases: Vec<&'a str>,
    #[serde(borrow)]
    config: &'a RawValue,
    parameters: u64,
    dtype: &'a str,
    #[serde(borrow)]
    linear_modules: Vec<&'a str>,
    source: &'a str,
    verified: bool,
    note: Option<&'a str>,
}

/// A row of the table: a line of its own, which is parsed when somebody asks for the model.
struct Line {
    text: &'static str,
    model: OnceLock<Model>,
}

impl Line {
    /// Id and aliases: the texts in quotes up to the end of the first list, without the names of their keys.
    fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let head = self.text.split_once(']').map_or(self.text, |(head, _)| head);
        head.split('"').skip(1).step_by(2).filter(|text| !matches!(*text, "id" | "aliases"))
    }

    fn model(&self) -> &Model {
        self.model.get_or_init(|| Model::from(serde_json::from_str::<Row<'static>>(self.text).expect("a test reads every row")))
    }
}

struct Catalogue {
    lines: Vec<Line>,
    /// By id and alias in lower case.
    by_id: HashMap<String, usize>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let rows = data::text(data!("models")).leak().lines().filter(|line| line.starts_with(ROW));
    let lines: Vec<Line> = rows.map(|line| Line { text: line.trim_end_matches([',', ' ']), model: OnceLock::new() }).collect();
    let names = |(index, line): (usize, &Line)| line.names().map(move |id| (id.to_lowercase(), index)).collect::<Vec<_>>();
    let by_id = lines.iter().enumerate().flat_map(names).collect();
    Catalogue { lines, by_id }
});

static ALL: LazyLock<Vec<Model>> = LazyLock::new(|| CATALOGUE.lines.iter().map(|line| *line.model()).collect());

/// How every row of the table starts.
const ROW: &str = "{\"id\": ";

impl From<Row<'static>> for Model {
    fn from(row: Row<'static>) -> Self {
        // The table lives as long as the program.
        let keep = |list: Vec<&'static str>| -> &'static [&'static str] { list.leak() };
        Self {
            id: row.id,
            aliases: keep(row.aliases),
            config: row.config.get(),
            parameters: row.parameters,
            dtype: row.dtype,
            linear_modules: keep(row.linear_modules),
            source: row.source,
            verified: row.verified,
            note: row.note,
        }
    }
}

/// Every model.
pub fn all() -> &'static [Model] {
    &ALL
}

/// The model with this name on the hub, or with a name that says that it is built alike (see [`Variant`]).
///
/// Case does not count: the hub answers `qwen/qwen3-4b` as `Qwen/Qwen3-4B`.
pub fn find(id: &str) -> Option<&'static Model> {
    variant(id).map(|variant| variant.model)
}

/// The model with this name, and how the name says that its weights are stored.
pub fn variant(id: &str) -> Option<Variant> {
    let exact = |id: &str| CATALOGUE.by_id.get(&id.to_lowercase()).map(|index| CATALOGUE.lines[*index].model());
    id::variant(id, exact)
}

/// The model whose name is the last part of `path`: a folder that lies on another machine, or a copy by another organisation.
///
/// Nothing proves that it is what its name says, so whoever uses it must say so.
pub fn by_name(path: &str) -> Option<Variant> {
    id::by_name(path)
}

/// What the name of an unknown model tells about it: see [`Resemblance`].
pub fn resembling(name: &str) -> Option<Resemblance> {
    resemblance::resembling(name)
}

/// The number of parameters that a name or the end of a path states: `7b`, `360m`. Experts, towers and adapters tell nothing.
pub fn size_in_name(name: &str) -> Option<u64> {
    resemblance::size(name)
}

/// The known name that was most likely meant by `id`: of the same organisation, near enough that a person would agree.
pub fn nearest(id: &str) -> Option<&'static str> {
    let (organisation, name) = id.split_once('/')?;
    let own = all().iter().flat_map(|model| std::iter::once(model.id).chain(model.aliases.iter().copied()));
    let names = own.filter_map(|known| {
        let (other, name) = known.split_once('/')?;
        other.eq_ignore_ascii_case(organisation).then_some((name, known))
    });
    let score = |known: &str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let near = names.map(|(name, known)| (score(name), known)).filter(|(score, _)| *score > 0.9);
    // The first of equals, so that the order of the table decides.
    near.fold(None, |best: Option<(f64, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    })
    .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_whole_and_no_name_stands_twice() {
        let mut seen = HashMap::new();
        for model in all() {
            for id in std::iter::once(&model.id).chain(model.aliases) {
                assert!(seen.insert(id.to_lowercase(), model.id).is_none(), "{id} twice");
            }
            assert!(model.parameters > 1_000_000 && !model.source.is_empty(), "{}", model.id);
            let config: serde_json::Value = serde_json::from_str(model.config).expect(model.id);
            assert!(config["model_type"].is_string(), "{}", model.id);
            assert!(["bfloat16", "float16", "float32", "float8_e4m3fn"].contains(&model.dtype), "{}", model.id);
        }
        assert!(all().len() >= 110);
    }

    #[test]
    fn every_row_of_the_table_is_a_line_whose_names_are_seen() {
        let table: serde_json::Value = serde_json::from_str(&data::text(data!("models"))).expect("JSON");
        let rows = table["models"].as_array().expect("a list");
        assert_eq!(rows.len(), CATALOGUE.lines.len());
        for (row, line) in rows.iter().zip(&CATALOGUE.lines) {
            let aliases = row["aliases"].as_array().expect("a list");
            let written: Vec<&str> = std::iter::once(&row["id"]).chain(aliases).filter_map(serde_json::Value::as_str).collect();
            assert_eq!(line.names().collect::<Vec<_>>(), written);
        }
    }

    #[test]
    fn names_are_found_as_the_hub_finds_them() {
        let id = |id: &str| find(id).map(|model| model.id);
        assert_eq!(id("Qwen/Qwen3-4B"), Some("Qwen/Qwen3-4B"));
        assert_eq!(id("qwen/qwen3-4b"), Some("Qwen/Qwen3-4B"));
        assert_eq!(id("Qwen/Qwen3-4B-Instruct-2507"), Some("Qwen/Qwen3-4B"));
        assert_eq!(id("gpt2"), Some("openai-community/gpt2"));
        assert_eq!(id("Qwen/Qwen3-1.8B"), None);
        assert_eq!(id("./models/llama"), None);
        assert_eq!(id(""), None);
    }

    #[test]
    fn near_names_of_the_same_organisation() {
        assert_eq!(nearest("Qwen/Qwen3-1.8B"), Some("Qwen/Qwen3-1.7B"));
        assert_eq!(nearest("google/gemma2-2b"), Some("google/gemma-2-2b"));
        assert_eq!(nearest("acme/Qwen3-4B"), None);
        assert_eq!(nearest("no-slash"), None);
    }
}
