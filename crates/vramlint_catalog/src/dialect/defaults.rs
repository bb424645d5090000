//! Defaults of concepts, looked up in the tables of the libraries for the releases in use.
//!
//! `data/defaults.json` says which field of which class a default comes from; the value itself stands in the row of that field,
//! with its history. Only what no field holds (a value that the library computes) stands in `data/defaults.json` itself.

use super::{Concept, Dialect, meanings};
use crate::classes::{self, Field};
use crate::data;
use crate::keys::{self, Key, KeyType};
use crate::versions::LibraryVersions;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::LazyLock;
use vramlint_base::Value;

/// The defaults of one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    /// The tool whose defaults hold for concepts without a row.
    base: Option<String>,
    rows: Vec<Row>,
}

/// Where the default of a concept comes from: `fields` of a `class`, a `key` of the tool's file, or the `value` that is written here.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    concept: String,
    /// The tasks for which it holds; empty for all.
    #[serde(default)]
    tasks: Vec<String>,
    /// The class that has the fields.
    class: Option<String>,
    /// The spellings of one field: the first that the release has, and that says anything, counts.
    #[serde(default)]
    fields: Vec<String>,
    /// A key of accelerate's file or of DeepSpeed's JSON.
    key: Option<String>,
    /// What holds if the field is unset by default, or does not exist.
    otherwise: Option<Scalar>,
    /// Whether the number is an integer, though the field is declared as a float.
    #[serde(default)]
    integer: bool,
    /// A value that no field holds.
    value: Option<Scalar>,
    /// The same with its history: each value with the first release of `library` that has it; null where there is none.
    #[serde(default)]
    values: Vec<(Option<String>, Option<Scalar>)>,
    library: Option<String>,
    /// Release and file that a value written here was read from.
    source: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Scalar {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
}

impl Scalar {
    fn value(&self) -> Value {
        match self {
            Self::Bool(on) => Value::Bool(*on),
            Self::Int(number) => Value::Int(*number),
            Self::Float(number) => Value::Float(*number),
            Self::Text(text) => Value::Text(text.clone()),
        }
    }
}

static TABLES: LazyLock<HashMap<String, Table>> = LazyLock::new(|| data::read(data!("defaults")));

/// The table of a framework: by its own name where its package has several, else by its package.
fn table_name(dialect: Dialect) -> &'static str {
    let framework = dialect.framework();
    if TABLES.contains_key(framework.id) { framework.id } else { framework.package }
}

/// The default of `concept`, with its source.
pub(super) fn default_of(
    dialect: Dialect,
    concept: Concept,
    task: Option<&str>,
    versions: &LibraryVersions,
) -> Option<(Value, String)> {
    let mut name = Some(table_name(dialect));
    while let Some(table) = name.and_then(|name| TABLES.get(name)) {
        let mut depends_on_task = false;
        for row in table.rows.iter().filter(|row| row.concept == concept.name()) {
            if row.holds_for(task) {
                return row.default(dialect, concept, versions);
            }
            depends_on_task = true;
        }
        // If it depends on the task and the task is unknown, the default of the base would be a guess.
        if depends_on_task {
            return None;
        }
        name = table.base.as_deref();
    }
    None
}

impl Row {
    fn holds_for(&self, task: Option<&str>) -> bool {
        self.tasks.is_empty() || task.is_some_and(|task| self.tasks.iter().any(|known| known.eq_ignore_ascii_case(task)))
    }

    fn default(&self, dialect: Dialect, concept: Concept, versions: &LibraryVersions) -> Option<(Value, String)> {
        if let Some(path) = &self.key {
            let key = find_key(dialect, path)?;
            let value = canonical(dialect, concept, path, &default_value(key.kind, key.default_in(versions)?))?;
            return Some((value, source(versions, key.library(), path, &key.source)));
        }
        if self.class.is_some() {
            return self.of_fields(dialect, concept, versions);
        }
        let source = self.source.clone().unwrap_or_default();
        let value = match &self.library {
            Some(library) => versions.state(library, &self.values)?.as_ref()?,
            None => self.value.as_ref()?,
        };
        Some((value.value(), source))
    }

    fn of_fields(&self, dialect: Dialect, concept: Concept, versions: &LibraryVersions) -> Option<(Value, String)> {
        let class = classes::find(self.class.as_deref()?)?;
        for name in &self.fields {
            let Some(field) = class.declarations(name).find(|field| field.is_in(versions)) else { continue };
            let Some(text) = field.default_in(versions).filter(|text| *text != "null") else { continue };
            let Some(value) = canonical(dialect, concept, name, &default_value(field.kind, text)) else { continue };
            return Some((self.as_declared(value), source_of(versions, &class.name, field)));
        }
        let field = class.declarations(self.fields.first()?).next()?;
        Some((self.otherwise.as_ref()?.value(), source_of(versions, &class.name, field)))
    }

    #[allow(clippy::cast_possible_truncation)] // an integer that a library writes as a float is small
    fn as_declared(&self, value: Value) -> Value {
        match value {
            Value::Float(number) if self.integer => Value::Int(number as i64),
            other => other,
        }
    }
}

fn find_key(dialect: Dialect, path: &str) -> Option<&'static Key> {
    keys::find(if dialect == Dialect::DeepSpeed { keys::deepspeed() } else { keys::accelerate() }, path)
}

/// The value of a concept that a key with this value sets; the value itself if the dialect does not know the key.
fn canonical(dialect: Dialect, concept: Concept, key: &str, value: &Value) -> Option<Value> {
    let mut found = meanings(dialect, &[key], value).into_iter().filter(|meaning| meaning.concept == concept);
    match found.next() {
        Some(meaning) => Some(meaning.value),
        None => (!super::row::knows(dialect, key)).then(|| value.clone()),
    }
}

/// The default that the catalog spells, with the type of its field.
fn default_value(kind: KeyType, text: &str) -> Value {
    let as_number = || text.parse().map(Value::Int).or_else(|_| text.parse().map(Value::Float));
    match kind {
        KeyType::Float => text.parse().map_or_else(|_| Value::Text(text.to_owned()), Value::Float),
        KeyType::Text => Value::Text(text.to_owned()),
        KeyType::Bool | KeyType::Int | KeyType::List | KeyType::Map | KeyType::Any => match text {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => as_number().unwrap_or_else(|_| Value::Text(text.trim_matches(['[', ']']).to_owned())),
        },
    }
}

fn source_of(versions: &LibraryVersions, class: &str, field: &Field) -> String {
    let class = class.strip_prefix(&format!("{}.", field.library)).unwrap_or(class);
    source(versions, &field.library, &format!("{class}.{}", field.name), &field.source)
}

/// The row's own source, or the release in use if it is another one than the row was read from.
fn source(versions: &LibraryVersions, library: &str, name: &str, own: &str) -> String {
    match versions.get(library) {
        Some(release) if own.split(' ').nth(1) != Some(release) => format!("{library} {release} {name}"),
        _ => own.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_row_leads_to_a_value_and_stands_once() {
        for (name, table) in &*TABLES {
            assert!(table.base.as_ref().is_none_or(|base| TABLES.contains_key(base)), "{name}");
            let mut seen = BTreeSet::new();
            for row in &table.rows {
                let at = format!("{name}: {}", row.concept);
                assert!(Concept::from_name(&row.concept).is_some(), "{at}");
                let kinds = [row.class.is_some(), row.key.is_some(), row.value.is_some(), row.library.is_some()];
                assert_eq!(kinds.iter().filter(|given| **given).count(), 1, "{at}");
                assert_eq!(row.class.is_some(), !row.fields.is_empty(), "{at}");
                assert_eq!(row.library.is_some(), !row.values.is_empty(), "{at}");
                if let Some(class) = &row.class {
                    let class = classes::find(class).unwrap_or_else(|| panic!("{at}: no class {class}"));
                    assert!(row.fields.iter().all(|field| class.field(field).is_some()), "{at}");
                }
                let written = row.value.is_some() || row.library.is_some();
                let source = row.source.as_deref().unwrap_or_default();
                let versioned = source.split(' ').nth(1).is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()));
                assert!(!written || versioned && (source.contains(".py") || source.contains(".yaml")), "{at}: {source}");
                let tasks: Vec<&str> =
                    if row.tasks.is_empty() { vec![""] } else { row.tasks.iter().map(String::as_str).collect() };
                for task in tasks {
                    let alone = seen.insert((&row.concept, task)) && (task.is_empty() || !seen.contains(&(&row.concept, "")));
                    assert!(alone, "{at} {task}");
                }
            }
        }
    }

    #[test]
    fn every_row_has_a_value_in_the_newest_release() {
        for (dialect, table) in Dialect::ALL.iter().filter_map(|dialect| Some((dialect, TABLES.get(table_name(*dialect))?))) {
            let name = dialect.package;
            for row in &table.rows {
                let concept = Concept::from_name(&row.concept).expect("known");
                let found = row.default(*dialect, concept, &LibraryVersions::newest());
                assert!(found.is_some_and(|(_, source)| source.contains(' ')), "{name}: {}", row.concept);
            }
        }
    }

    #[test]
    fn the_default_is_that_of_the_release_in_use() {
        fn value(dialect: Dialect, concept: Concept, task: Option<&str>, versions: &[(&str, &str)]) -> Option<String> {
            let versions = versions.iter().copied().collect();
            let (value, _) = default_of(dialect, concept, task, &versions)?;
            Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        }
        let some = |text: &str| Some(text.to_owned());
        let optimizer = |versions: &[(&str, &str)]| value(Dialect::HfTrainer, Concept::Optimizer, None, versions);
        assert_eq!(optimizer(&[]), some("adamw_torch_fused"));
        assert_eq!(optimizer(&[("torch", "2.7.1")]), some("adamw_torch"));
        assert_eq!(optimizer(&[("torch", "2.8.0"), ("transformers", "4.54.0")]), some("adamw_torch_fused"));
        assert_eq!(optimizer(&[("torch", "2.8.0"), ("transformers", "4.53.3")]), some("adamw_torch"));
        let trl = |concept, task, release| value(Dialect::Trl, concept, Some(task), &[("trl", release)]);
        assert_eq!(trl(Concept::KlBeta, "grpo", "0.18.0"), some("0.04"));
        assert_eq!(trl(Concept::GradientCheckpointing, "sft", "0.21.0"), some("False"));
        assert_eq!(trl(Concept::MixedPrecision, "sft", "0.18.2"), some("no"));
        assert_eq!(trl(Concept::LearningRate, "sft", "0.11.0"), some("5e-5"), "that of TrainingArguments");
        assert_eq!(trl(Concept::WeightsDtype, "sft", "0.26.2"), None, "the checkpoint decides");
        assert_eq!(trl(Concept::NumGenerations, "rloo", "0.21.0"), some("2"), "as rloo_k");
        let versions = LibraryVersions::from_iter([("trl", "0.18.0")]);
        let (_, source) = default_of(Dialect::Trl, Concept::KlBeta, Some("grpo"), &versions).expect("known");
        assert_eq!(source, "trl 0.18.0 GRPOConfig.beta");
        assert_eq!(value(Dialect::LlamaFactory, Concept::SequenceLength, None, &[("llamafactory", "0.9.0")]), some("1024"));
    }
}
