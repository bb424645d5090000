//! How each tool spells the concepts.

use crate::Concept;
use crate::versions::LibraryVersions;
use vramlint_base::Value;

mod defaults;
mod plain;
mod quantization;
mod row;
mod value;
mod words;

pub use crate::frameworks::Dialect;
pub use quantization::{is_four_bits, quantization, refined_four_bits};
pub(crate) use row::{Form, Row};
pub use value::dtype;

/// How sure a spelling is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// A name that people choose: it usually means this.
    Guess,
    /// The tool's own key.
    Sure,
}

/// What a key means.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    /// The concept.
    pub concept: Concept,
    /// How sure.
    pub confidence: Confidence,
    /// The stage that a prefix of the name speaks of: `sft`, `grpo`, `dpo`…; two stages are two runs.
    pub stage: Option<&'static str>,
    /// The value in canonical form (`bf16: true` is `mixed_precision: bf16`); as given where it needs no change.
    pub value: Value,
}

/// What `path` (keys from the root, `["training", "batch_size"]`) with `value` means in `dialect`; `None` where it is no concept.
///
/// - Tools: the key must be the tool's own, with its nesting; `-` stands for `_` and leading dashes do not count, so that command
///   lines may be asked too. A value of an unexpected type stays as it is: a rule may speak of it.
/// - Plain names: the value must fit in type and range. Text stands for a number that is not known (`"1-2"`, `"${BATCH}"`): callers
///   treat a numeric concept that holds text as unknown. (A learning rate may be the text of a number: YAML 1.1 reads `2e-5` so.)
/// - `auto` in DeepSpeed's JSON stays: who replaces it depends on who reads the file.
/// - Of several keys that work together, each is read alone: see [`quantization`] for those of bitsandbytes.
pub fn meaning(dialect: Dialect, path: &[&str], value: &Value) -> Option<Meaning> {
    if dialect == Dialect::Plain {
        return plain::meaning(path, value);
    }
    let joined = path.join(".");
    let mut key = joined.trim_start_matches('-').to_owned();
    if key.len() > 128 {
        return None;
    }
    if key.contains('-') {
        key = key.replace('-', "_");
    }
    let (_, concept, form) = row::row(dialect, &key)?;
    let value = value::canonical(*form, value)?;
    Some(Meaning { concept: *concept, confidence: Confidence::Sure, stage: None, value })
}

/// Everything that `path` with `value` means: one key may speak of several concepts (`fsdp: full_shard offload`).
pub fn meanings(dialect: Dialect, path: &[&str], value: &Value) -> Vec<Meaning> {
    let mut found: Vec<Meaning> = meaning(dialect, path, value).into_iter().collect();
    let key = path.join(".").trim_start_matches('-').replace('-', "_");
    found.extend(row::second(dialect, &key).filter_map(|(_, concept, form)| {
        let value = value::canonical(*form, value)?;
        Some(Meaning { concept: *concept, confidence: Confidence::Sure, stage: None, value })
    }));
    found
}

/// The default of a concept if the file does not set it, with the release and the file that it was read from.
/// `task` is the trainer's kind (`sft`, `dpo`, `grpo`…): defaults that differ by task are `None` without it. `versions` are the
/// releases that the project runs with.
///
/// What the library derives from other settings (ms-swift's accumulation, LLaMA-Factory's alpha) or what depends on the model has no
/// default here. Defaults of adapters hold if the method uses adapters, those of ZeRO if DeepSpeed runs.
pub fn default_of(dialect: Dialect, concept: Concept, task: Option<&str>, versions: &LibraryVersions) -> Option<(Value, String)> {
    defaults::default_of(dialect, concept, task, versions)
}
