//! How each tool spells the concepts.

use crate::Concept;
use vramlint_base::Value;

/// A vocabulary of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// transformers `TrainingArguments`.
    HfTrainer,
    /// TRL configs.
    Trl,
    /// LLaMA-Factory.
    LlamaFactory,
    /// Axolotl.
    Axolotl,
    /// ms-swift.
    MsSwift,
    /// torchtune recipes.
    Torchtune,
    /// OpenRLHF command line.
    OpenRlhf,
    /// unsloth calls.
    Unsloth,
    /// Lightning's Trainer.
    Lightning,
    /// accelerate configuration.
    Accelerate,
    /// DeepSpeed JSON.
    DeepSpeed,
    /// Names that people choose in their own YAML and Python.
    Plain,
}

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
pub fn meaning(dialect: Dialect, path: &[&str], value: &Value) -> Option<Meaning> {
    todo!("{dialect:?} {path:?} {value:?}")
}

/// The default of a concept where the file says nothing, with the version and the file that it was read from.
/// `task` is the trainer's kind (`sft`, `dpo`, `grpo`…) where defaults differ by it.
pub fn default_of(dialect: Dialect, concept: Concept, task: Option<&str>) -> Option<(Value, &'static str)> {
    todo!("{dialect:?} {concept:?} {task:?}")
}
