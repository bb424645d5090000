//! Library classes that hold training arguments, train, optimize or load models.

use super::qualified_name::{leaf, library};
use vramlint_catalog::Dialect;

/// The vocabulary of a class of arguments, and its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArgumentClassKind {
    pub(super) dialect: Dialect,
    pub(super) task: Option<&'static str>,
}

/// Names of TRL's trainers and configs start with their task: trl 1.16 trainer/*_config.py, trl/experimental.
const TRL_TASKS: &[(&str, &str)] = &[
    ("SFT", "sft"),
    ("DPO", "dpo"),
    ("GRPO", "grpo"),
    ("KTO", "kto"),
    ("RLOO", "rloo"),
    ("Reward", "reward"),
    ("PRM", "prm"),
    ("ORPO", "orpo"),
    ("CPO", "cpo"),
    ("PPO", "ppo"),
    ("OnlineDPO", "online-dpo"),
    ("NashMD", "nash-md"),
    ("XPO", "xpo"),
    ("TPO", "tpo"),
    ("GKD", "gkd"),
    ("GOLD", "gold"),
    ("Distillation", "distillation"),
    ("ServerDistillation", "distillation"),
    ("AsyncDistillation", "distillation"),
    ("MiniLLM", "distillation"),
    ("SDFT", "self-distillation"),
    ("SDPO", "self-distillation"),
    ("SSD", "self-distillation"),
    ("AsyncGRPO", "async-grpo"),
    ("GMPO", "grpo"),
    ("GFPO", "grpo"),
    ("A2PO", "a2po"),
    ("BCO", "bco"),
];

/// Configs of TRL that are no `TrainingArguments`: trl 0.24 `trainer/ddpo_config.py`, `alignprop_config.py`, `model_config.py`.
const OWN_ARGUMENTS: &[&str] = &["DDPO", "AlignProp", "Model"];

/// What the trainers and arguments of sentence-transformers 5.1 train (`CrossEncoderTrainer`, `CrossEncoderTrainingArguments`), with their
/// tasks. A cross encoder is a classifier of pairs.
const SENTENCE_CLASSES: &[(&str, &str)] =
    &[("SentenceTransformer", "sentence-embedding"), ("CrossEncoder", "seq-cls"), ("SparseEncoder", "sparse-embedding")];

/// The task of a class of sentence-transformers by what its name starts with.
pub(super) fn sentence_task(prefix: Option<&str>) -> Option<&'static str> {
    SENTENCE_CLASSES.iter().find(|(class, _)| prefix == Some(class)).map(|(_, task)| *task)
}

/// The vocabulary of a class of arguments, if it is one.
pub(super) fn argument_class(path: &str) -> Option<ArgumentClassKind> {
    let name = leaf(path);
    match library(path) {
        Some("transformers" | "sentence_transformers") | None
            if matches!(name, "TrainingArguments" | "Seq2SeqTrainingArguments") =>
        {
            Some(ArgumentClassKind { dialect: Dialect::HfTrainer, task: None })
        }
        Some("sentence_transformers") | None if sentence_task(name.strip_suffix("TrainingArguments")).is_some() => {
            let task = sentence_task(name.strip_suffix("TrainingArguments"));
            Some(ArgumentClassKind { dialect: Dialect::HfTrainer, task })
        }
        Some("trl") | None if name == "ModelConfig" && library(path) == Some("trl") => {
            Some(ArgumentClassKind { dialect: Dialect::Trl, task: None })
        }
        library @ (Some("trl") | None) => {
            let prefix = name.strip_suffix("Config")?;
            let task = trl_task(prefix);
            let is_known = task.is_some() || library.is_some() && !OWN_ARGUMENTS.contains(&prefix);
            is_known.then_some(ArgumentClassKind { dialect: Dialect::Trl, task })
        }
        Some("unsloth") if name == "UnslothTrainingArguments" => {
            Some(ArgumentClassKind { dialect: Dialect::Trl, task: Some("sft") })
        }
        _ => None,
    }
}

pub(super) fn trl_task(prefix: &str) -> Option<&'static str> {
    TRL_TASKS.iter().find(|(name, _)| *name == prefix).map(|(_, task)| *task)
}

/// Whether a class is a trainer.
pub(super) fn is_trainer(path: &str) -> bool {
    let name = leaf(path);
    match library(path) {
        Some("transformers" | "sentence_transformers") => {
            matches!(name, "Trainer" | "Seq2SeqTrainer") || sentence_task(name.strip_suffix("Trainer")).is_some()
        }
        Some("trl") => name.ends_with("Trainer"),
        Some("unsloth") => name == "UnslothTrainer",
        Some("pytorch_lightning" | "lightning" | "lightning_fabric") => name == "Trainer",
        None => name == "Seq2SeqTrainer" || name.strip_suffix("Trainer").and_then(trl_task).is_some(),
        _ => false,
    }
}

/// Whether a class is an optimizer.
pub(super) fn is_optimizer(path: &str) -> bool {
    let name = leaf(path);
    match library(path) {
        Some("torch") => path.contains(".optim.") && !path.contains("lr_scheduler") && name.starts_with(char::is_uppercase),
        Some(
            "bitsandbytes" | "deepspeed" | "apex" | "torchao" | "lion_pytorch" | "adam_mini" | "galore_torch" | "transformers",
        )
        | None => {
            let lower = name.to_lowercase();
            (lower.contains("adam")
                || lower.contains("lion")
                || lower.contains("sgd")
                || lower.contains("adafactor")
                || lower.contains("lamb"))
                && name.starts_with(char::is_uppercase)
        }
        // Packages of optimizers.
        Some(
            "torch_optimizer" | "pytorch_optimizer" | "prodigyopt" | "schedulefree" | "dadaptation" | "came_pytorch"
            | "heavyball",
        ) => name.starts_with(char::is_uppercase) && !path.contains("lr_scheduler"),
        Some("timm") => path.contains(".optim.") && name.starts_with(char::is_uppercase) && !name.contains("Scheduler"),
        _ => false,
    }
}

/// Whether a call loads a model with its weights.
pub(super) fn loads_model(path: &str) -> bool {
    let Some(class) = path.strip_suffix(".from_pretrained").map(leaf) else {
        // sentence-transformers loads where the class is called.
        let name = leaf(path);
        return library(path) == Some("sentence_transformers") && (sentence_task(Some(name)).is_some() || name == "Transformer");
    };
    let known = matches!(
        library(path),
        Some("transformers" | "unsloth" | "trl" | "peft" | "optimum" | "modelscope" | "ipex_llm" | "liger_kernel") | None
    );
    let is_model = class.contains("Model") && !class.contains("Tokenizer") && !class.contains("Config");
    // A head by its purpose: `BertForMaskedLM`, `ViTForImageClassification`.
    let has_head = class.split_once("For").is_some_and(|(stem, task)| !stem.is_empty() && task.starts_with(char::is_uppercase));
    // PeftModel adds adapters to an existing model; AutoPeftModel loads one.
    let adapters_only = class == "PeftModel" || library(path) == Some("peft") && !class.starts_with("AutoPeftModel");
    known && (is_model || has_head) && !adapters_only || loads_sentence_transformer(path)
}

/// Whether a call loads a sentence transformer through Unsloth, with defaults of its own (unsloth 2026.10.9
/// `models/sentence_transformer.py`).
pub(super) fn loads_sentence_transformer(path: &str) -> bool {
    library(path) == Some("unsloth") && path.ends_with("FastSentenceTransformer.from_pretrained")
}
