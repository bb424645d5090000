//! Names that people choose in their own YAML and Python.
//!
//! A name is split into words; all of them must be known, and what is left without the stage (`sft_`) and the role (`train_`) must
//! be one of the phrases below. Names that also mean other things (`rank`, `k`, `batch_size`) need fitting surroundings.

use super::value::{Form, canonical};
use super::words::{known_words, words};
use super::{Concept, Confidence, Meaning};
use crate::Concept as C;
use std::collections::HashMap;
use std::sync::LazyLock;
use vramlint_base::Value;

/// What must be true of the blocks around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    /// No block that speaks of something else.
    Any,
    /// Only blocks that speak of training: the name alone is too common.
    Training,
    /// A block of adapters.
    Adapters,
    /// A block of the optimizer.
    Optimizer,
    /// A block of a model.
    Model,
    /// A stage or a block of reinforcement learning.
    Rollouts,
}

struct Group {
    phrases: &'static [&'static str],
    concept: Concept,
    form: Form,
    around: Around,
}

const fn group(phrases: &'static [&'static str], concept: Concept, form: Form, around: Around) -> Group {
    Group { phrases, concept, form, around }
}

const ROWS: Form = Form::Count(1, 4096);
const TOKENS: Form = Form::Count(16, 10_000_000);
const NEW_TOKENS: Form = Form::Count(1, 131_072);

/// `short` marks an abbreviation (`lr`, `ga`), which needs more around it than the full name.
const GROUPS: &[Group] = &[
    group(&["batch size", "mini batch size", "mini batch"], C::MicroBatch, ROWS, Around::Training),
    group(
        &[
            "micro batch size",
            "micro batch",
            "per device batch size",
            "per gpu batch size",
            "batch size per gpu",
            "batch size per device",
            "micro batch size per gpu",
            "micro batch size per device",
        ],
        C::MicroBatch,
        ROWS,
        Around::Any,
    ),
    group(
        &["global batch size", "total batch size", "effective batch size", "effective batch", "global batch"],
        C::EffectiveBatch,
        Form::Count(1, 1 << 30),
        Around::Any,
    ),
    group(
        &[
            "gradient accumulation steps",
            "gradient accumulation",
            "gradient accumulation batches",
            "accumulation gradient batches",
            "accumulation steps",
            "accumulation batches",
            "num accumulation steps",
            "gradient accumulation steps short",
        ],
        C::GradientAccumulationSteps,
        ROWS,
        Around::Any,
    ),
    group(
        &["gradient accumulation short", "gradient accumulation short steps", "accumulation", "update freq"],
        C::GradientAccumulationSteps,
        ROWS,
        Around::Training,
    ),
    group(&["max seq length", "cutoff length", "seq max length", "max context length"], C::SequenceLength, TOKENS, Around::Any),
    group(
        &["max length", "seq length", "block size", "context length", "context size", "context window"],
        C::SequenceLength,
        TOKENS,
        Around::Training,
    ),
    group(
        &[
            "max new tokens",
            "max completion length",
            "max completion tokens",
            "max gen length",
            "max gen tokens",
            "max generation length",
            "max response length",
            "max response tokens",
            "max output length",
            "max output tokens",
        ],
        C::MaxCompletionLength,
        NEW_TOKENS,
        Around::Any,
    ),
    group(&["max tokens", "response length", "completion length"], C::MaxCompletionLength, NEW_TOKENS, Around::Training),
    group(&["max prompt length", "max prompt tokens", "prompt max length"], C::MaxPromptLength, NEW_TOKENS, Around::Any),
    group(
        &[
            "k rollouts",
            "n rollouts",
            "num rollouts",
            "rollouts per prompt",
            "num generations",
            "n generations",
            "k generations",
            "generations per prompt",
            "completions per prompt",
            "samples per prompt",
            "n samples per prompt",
            "num samples per prompt",
        ],
        C::NumGenerations,
        Form::Count(1, 256),
        Around::Any,
    ),
    group(
        &["n samples", "num return sequences", "group size", "best of"],
        C::NumGenerations,
        Form::Count(1, 256),
        Around::Training,
    ),
    group(&["k", "num samples", "k samples"], C::NumGenerations, Form::Count(1, 256), Around::Rollouts),
    group(&["steps per generation"], C::StepsPerGeneration, ROWS, Around::Any),
    group(&["generation batch size"], C::GenerationBatch, Form::Count(1, 1 << 30), Around::Any),
    group(&["lora r", "lora rank", "qlora r", "qlora rank", "peft r", "peft rank"], C::LoraR, Form::Count(0, 1024), Around::Any),
    group(&["r", "rank"], C::LoraR, Form::Count(0, 1024), Around::Adapters),
    group(&["lora alpha", "qlora alpha", "peft alpha"], C::LoraAlpha, Form::Number(0.0, 65536.0), Around::Any),
    group(&["alpha"], C::LoraAlpha, Form::Number(0.0, 65536.0), Around::Adapters),
    group(
        &["lora target modules", "lora targets", "lora target", "lora modules", "target modules"],
        C::LoraTargets,
        Form::Names,
        Around::Any,
    ),
    group(&["targets"], C::LoraTargets, Form::Names, Around::Adapters),
    group(
        &["use lora", "lora use", "use peft", "peft use", "peft", "lora"],
        C::Method,
        Form::Either("lora", "full"),
        Around::Any,
    ),
    group(&["use"], C::Method, Form::Either("lora", "full"), Around::Adapters),
    group(&["use qlora", "qlora", "qlora use"], C::Method, Form::Switch("qlora"), Around::Any),
    group(
        &["train mode", "tuning type", "tuning method", "tuning mode", "train type", "train method", "tuner type"],
        C::Method,
        Form::Method,
        Around::Any,
    ),
    group(&["load in 4bit", "load 4bit", "use 4bit", "4bit"], C::Quantization, Form::Switch("nf4"), Around::Any),
    group(
        &["load in 8bit", "load 8bit", "use 8bit", "8bit", "int8", "use int8"],
        C::Quantization,
        Form::Switch("int8"),
        Around::Any,
    ),
    group(
        &["quantization", "use quantization", "quantization type", "quantization bits", "load in bits"],
        C::Quantization,
        Form::Quantization,
        Around::Any,
    ),
    group(&["bits"], C::Quantization, Form::Bits("nf4"), Around::Training),
    group(&["mixed precision", "amp dtype"], C::MixedPrecision, Form::Precision, Around::Any),
    group(
        &["precision", "amp", "use amp", "half", "use half", "use mixed precision"],
        C::MixedPrecision,
        Form::Precision,
        Around::Training,
    ),
    group(&["bf16", "use bf16"], C::MixedPrecision, Form::Switch("bf16"), Around::Any),
    group(&["fp16", "use fp16"], C::MixedPrecision, Form::Switch("fp16"), Around::Any),
    group(&["fp8", "use fp8"], C::MixedPrecision, Form::Switch("fp8"), Around::Any),
    group(&["torch dtype", "model dtype", "weights dtype", "load dtype"], C::WeightsDtype, Form::Dtype, Around::Any),
    group(&["dtype"], C::WeightsDtype, Form::Dtype, Around::Training),
    group(&["learning rate", "base learning rate"], C::LearningRate, Form::Number(1e-9, 10.0), Around::Any),
    group(&["learning rate short", "base learning rate short"], C::LearningRate, Form::Number(1e-9, 10.0), Around::Training),
    group(&["num epochs", "n epochs", "max epochs", "epochs"], C::Epochs, Form::Number(1e-6, 100_000.0), Around::Training),
    group(
        &["max steps", "total steps", "train steps", "num train steps"],
        C::MaxSteps,
        Form::Count(1, 1 << 40),
        Around::Training,
    ),
    group(
        &["num gpus", "n gpus", "n gpu", "num gpu", "gpu count", "gpus count", "nproc per node", "num processes"],
        C::NumProcesses,
        Form::Count(1, 65536),
        Around::Any,
    ),
    group(&["gpus", "num devices", "n devices"], C::NumProcesses, Form::Count(1, 65536), Around::Training),
    group(&["world size"], C::WorldSize, Form::Count(1, 65536), Around::Any),
    group(&["num nodes", "n nodes", "num machines"], C::NumMachines, Form::Count(1, 65536), Around::Any),
    group(&["gpu ids", "gpu id"], C::GpuIds, Form::Given, Around::Any),
    group(&["cuda visible devices"], C::VisibleDevices, Form::Given, Around::Any),
    group(&["device map"], C::DeviceMap, Form::Given, Around::Any),
    group(
        &[
            "model name",
            "model id",
            "model path",
            "model name or path",
            "model name path",
            "base model",
            "base model name",
            "base model path",
            "base model id",
            "base model name or path",
            "pretrained model",
            "pretrained model name",
            "pretrained model path",
            "pretrained model name or path",
            "pretrained name or path",
            "llm name",
            "llm path",
            "llm id",
            "llm model",
            "llm model name",
            "llm name or path",
        ],
        C::Model,
        Form::Name,
        Around::Any,
    ),
    group(&["model", "llm", "pretrained"], C::Model, Form::Name, Around::Training),
    group(&["name", "path", "id", "name or path", "base"], C::Model, Form::Name, Around::Model),
    group(&["optimizer", "optimizer name", "optimizer type"], C::Optimizer, Form::Name, Around::Training),
    group(&["name", "type"], C::Optimizer, Form::Name, Around::Optimizer),
    group(&["use 8bit adam", "8bit adam", "adam 8bit"], C::Optimizer, Form::Switch("adamw_8bit"), Around::Any),
    group(
        &[
            "gradient checkpointing",
            "use gradient checkpointing",
            "gradient checkpoint",
            "use gradient checkpoint",
            "activation checkpointing",
            "use activation checkpointing",
        ],
        C::GradientCheckpointing,
        Form::OnlyTruth,
        Around::Any,
    ),
    group(&["checkpointing", "use checkpoint", "use checkpointing"], C::GradientCheckpointing, Form::OnlyTruth, Around::Training),
    group(
        &[
            "flash attention",
            "use flash attention",
            "flash attention 2",
            "use flash attention 2",
            "attention implementation",
            "attention type",
        ],
        C::Attention,
        Form::Attention,
        Around::Any,
    ),
    group(&["use packing", "packing", "sample packing", "use sample packing"], C::Packing, Form::OnlyTruth, Around::Any),
    group(&["pack"], C::Packing, Form::OnlyTruth, Around::Training),
    group(&["zero stage", "deepspeed stage", "deepspeed zero stage"], C::ZeroStage, Form::Count(0, 3), Around::Any),
    group(&["offload optimizer device"], C::OffloadOptimizer, Form::Name, Around::Any),
    group(&["offload param device"], C::OffloadParam, Form::Name, Around::Any),
    group(
        &["num workers", "n workers", "dataloader workers", "dataloader num workers"],
        C::DataloaderWorkers,
        Form::Count(0, 1024),
        Around::Training,
    ),
    group(&["task"], C::Task, Form::Task, Around::Training),
    group(
        &[
            "reference model",
            "reference model path",
            "reference model name",
            "reference model name or path",
            "reference model id",
        ],
        C::ReferenceModel,
        Form::Name,
        Around::Any,
    ),
    group(
        &[
            "reward model",
            "reward model path",
            "reward model name",
            "reward model name or path",
            "reward model id",
            "rm",
            "rm path",
            "rm name",
            "rm model",
            "judge model",
            "judge model name",
            "judge model path",
        ],
        C::RewardModel,
        Form::Names,
        Around::Any,
    ),
];

/// Phrase to its groups: the same phrase may mean another thing in other surroundings.
static PHRASES: LazyLock<HashMap<&'static str, Vec<&'static Group>>> = LazyLock::new(|| {
    let mut phrases: HashMap<_, Vec<_>> = HashMap::new();
    for group in GROUPS {
        for phrase in group.phrases {
            phrases.entry(*phrase).or_default().push(group);
        }
    }
    phrases
});

/// What a name that somebody chose means.
pub(super) fn meaning(path: &[&str], value: &Value) -> Option<Meaning> {
    let (name, parents) = path.split_last()?;
    if matches!(value, Value::Null | Value::Map(_)) {
        return None;
    }
    // A dotted name is a path: `training.batch_size`.
    if let Some((parent, last)) = name.rsplit_once('.') {
        let mut longer = parents.to_vec();
        longer.extend(parent.split('.'));
        longer.push(last);
        return meaning(&longer, value);
    }
    let around = Surroundings::of(parents);
    if around.elsewhere {
        return None;
    }
    let mut found = words(name)?;
    if found.contains(&"eval") {
        return None;
    }
    // The name as a whole first: `reward_model` is no stage, `train_type` no role.
    if let Some(group) = lookup(&found, &around, None) {
        return build(group, around.stage, value);
    }
    let stage = take_stage(&mut found);
    if let Some(group) = lookup(&found, &around, stage) {
        return build(group, stage.or(around.stage), value);
    }
    found.retain(|word| *word != "train");
    loop {
        if let Some(group) = lookup(&found, &around, stage) {
            return build(group, stage.or(around.stage), value);
        }
        // What it belongs to, where the rest says enough: `model_max_length`, `data_batch_size`, `llm_dtype`.
        match found.first() {
            Some(&("model" | "llm" | "data" | "dataloader" | "loader" | "optimizer" | "tokenizer")) if found.len() > 1 => {
                found.remove(0);
            }
            _ => return None,
        }
    }
}

fn build(group: &Group, stage: Option<&'static str>, value: &Value) -> Option<Meaning> {
    let value = canonical(group.form, value)?;
    Some(Meaning { concept: group.concept, confidence: Confidence::Guess, stage, value })
}

fn lookup(found: &[&'static str], around: &Surroundings, stage: Option<&'static str>) -> Option<&'static Group> {
    let phrase = found.join(" ");
    let exact = PHRASES.get(phrase.as_str());
    // An abbreviation is as good as its name where no phrase of its own asks for more.
    let spelled_out =
        || phrase.contains("short").then(|| phrase.replace(" short", "")).and_then(|full| PHRASES.get(full.as_str()));
    exact.or_else(spelled_out)?.iter().copied().find(|group| around.suit(group.around, stage))
}

/// The stage at either end of the name, taken off.
fn take_stage(found: &mut Vec<&'static str>) -> Option<&'static str> {
    if found.len() < 2 {
        return None;
    }
    if let Some(stage) = found.first().and_then(|word| stage(word)) {
        found.remove(0);
        return Some(stage);
    }
    let last = found.last().and_then(|word| stage(word))?;
    found.pop();
    Some(last)
}

fn stage(word: &'static str) -> Option<&'static str> {
    match word {
        "rm" => Some("reward"),
        "sft" | "grpo" | "dpo" | "ppo" | "kto" | "rloo" | "orpo" | "reward" | "pretrain" => Some(word),
        _ => None,
    }
}

/// What the blocks around a name say.
struct Surroundings {
    /// The stage that a block is named after.
    stage: Option<&'static str>,
    /// All blocks speak of training, or there are none.
    training: bool,
    adapters: bool,
    optimizer: bool,
    model: bool,
    rollouts: bool,
    /// A block speaks of something that is not training.
    elsewhere: bool,
}

impl Surroundings {
    fn of(parents: &[&str]) -> Self {
        let mut around = Self {
            stage: None,
            training: true,
            adapters: false,
            optimizer: false,
            model: false,
            rollouts: false,
            elsewhere: false,
        };
        for (depth, parent) in parents.iter().enumerate() {
            let lower = parent.to_ascii_lowercase();
            let found = known_words(parent);
            let has = |word: &str| found.contains(&word);
            around.elsewhere |= has("eval") || OTHER_BLOCKS.iter().any(|other| part_of(&lower, other));
            around.training &=
                found.iter().any(|word| TRAINING_WORDS.contains(word)) || TRAINING_BLOCKS.contains(&lower.as_str());
            around.adapters |= has("lora") || has("qlora") || has("peft") || has("adapter");
            around.rollouts |= has("grpo") || has("rloo") || has("rollout") || has("rollouts");
            around.stage = found.iter().find_map(|word| stage(word)).or(around.stage);
            if depth + 1 == parents.len() {
                around.optimizer = found == ["optimizer"];
                around.model = matches!(found.as_slice(), ["model" | "llm"] | ["base", "model"] | ["model", "config"]);
            }
        }
        around
    }

    fn suit(&self, needs: Around, stage: Option<&'static str>) -> bool {
        match needs {
            Around::Any => true,
            Around::Training => self.training,
            Around::Adapters => self.adapters,
            Around::Optimizer => self.optimizer,
            Around::Model => self.model,
            Around::Rollouts => self.rollouts || matches!(stage.or(self.stage), Some("grpo" | "rloo")),
        }
    }
}

/// Words of blocks that hold settings of training.
const TRAINING_WORDS: &[&str] = &[
    "train",
    "tuning",
    "sft",
    "grpo",
    "dpo",
    "ppo",
    "kto",
    "rloo",
    "orpo",
    "rm",
    "reward",
    "pretrain",
    "data",
    "dataset",
    "dataloader",
    "loader",
    "model",
    "llm",
    "optimizer",
    "lora",
    "qlora",
    "peft",
    "adapter",
    "batch",
    "learning",
    "config",
    "param",
    "task",
    "base",
    "rollout",
    "global",
    "precision",
    "deepspeed",
    "tokenizer",
];

/// Names of such blocks as a whole.
const TRAINING_BLOCKS: &[&str] = &[
    "args",
    "arguments",
    "hparams",
    "hyperparameters",
    "hyper_parameters",
    "hp",
    "settings",
    "options",
    "experiment",
    "exp",
    "run",
    "default",
    "defaults",
    "common",
    "shared",
    "hardware",
    "compute",
    "system",
    "distributed",
    "resources",
    "finetune",
    "fine_tune",
    "fine_tuning",
    "optimization",
    "parameters",
    "memory",
    "setup",
    "agent",
    "policy",
    "actor",
    "main",
];

/// Blocks whose batch sizes, lengths and names are not those of training.
const OTHER_BLOCKS: &[&str] = &[
    "preprocessing",
    "preprocess",
    "preprocessor",
    "preparation",
    "embedding",
    "embeddings",
    "embedder",
    "encoder",
    "encoding",
    "retriever",
    "retrieval",
    "rerank",
    "reranker",
    "index",
    "indexing",
    "milvus",
    "faiss",
    "redis",
    "database",
    "db",
    "sql",
    "kafka",
    "queue",
    "cache",
    "server",
    "serving",
    "serve",
    "deploy",
    "deployment",
    "vllm",
    "sglang",
    "api",
    "client",
    "openai",
    "http",
    "logging",
    "logger",
    "log",
    "wandb",
    "tracking",
    "mlflow",
    "scheduler",
    "callbacks",
    "callback",
    "saving",
    "export",
    "metrics",
    "benchmark",
    "bench",
    "profiler",
    "discriminator",
    "critic",
    "teacher",
    "draft",
    "augmentation",
    "crawler",
    "scraper",
    "writer",
    "upload",
    "demo",
    "ui",
    "app",
    "web",
];

/// Whether `other` is one of the words of a block's name.
fn part_of(block: &str, other: &str) -> bool {
    block.split(['_', '-', '.', ' ']).any(|word| word == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_made_of_known_words() {
        for group in GROUPS {
            for phrase in group.phrases {
                let plain: Vec<_> = phrase.split(' ').filter(|word| *word != "short").collect();
                let found = words(&plain.join("_")).map(|found| found.join(" "));
                assert_eq!(found.as_deref(), Some(plain.join(" ").as_str()), "{phrase} can never match");
            }
        }
    }

    #[test]
    fn a_phrase_means_one_thing_in_one_place() {
        for (phrase, groups) in PHRASES.iter() {
            let mut around: Vec<_> = groups.iter().map(|group| group.around as u8).collect();
            around.sort_unstable();
            around.dedup();
            assert_eq!(around.len(), groups.len(), "{phrase}");
        }
    }
}
