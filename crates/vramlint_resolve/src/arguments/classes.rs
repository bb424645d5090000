//! Names of argument classes.

use crate::code::library;

/// Classes of training arguments of transformers and of libraries that build on it.
const TRANSFORMERS_CLASSES: &[&str] = &["TrainingArguments", "Seq2SeqTrainingArguments"];
/// TRL's classes that derive from `TrainingArguments` (trl 1.16 trainer/, experimental/; older: trainer/).
const TRL_TRAINING_CLASSES: &[&str] = &[
    "SFTConfig",
    "DPOConfig",
    "GRPOConfig",
    "RLOOConfig",
    "KTOConfig",
    "RewardConfig",
    "PRMConfig",
    "ORPOConfig",
    "CPOConfig",
    "PPOConfig",
    "OnlineDPOConfig",
    "NashMDConfig",
    "XPOConfig",
    "GKDConfig",
    "BCOConfig",
    "DistillationConfig",
];
/// TRL's other classes that a parser fills.
const TRL_OTHER_CLASSES: &[&str] = &["ModelConfig", "ScriptArguments", "DatasetMixtureConfig"];

/// The short name of an argument class: `trl.SFTConfig` for `trl.trainer.sft_config.SFTConfig`. `None` for unknown classes.
pub fn class_name(path: &str) -> Option<String> {
    let leaf = path.rsplit('.').next().unwrap_or(path);
    let known = match library(path) {
        Some("transformers") => TRANSFORMERS_CLASSES.contains(&leaf).then_some("transformers"),
        Some("trl") => (TRL_TRAINING_CLASSES.contains(&leaf) || TRL_OTHER_CLASSES.contains(&leaf)).then_some("trl"),
        // Several star imports may have brought the name in.
        None if TRANSFORMERS_CLASSES.contains(&leaf) => Some("transformers"),
        None if TRL_TRAINING_CLASSES.contains(&leaf) => Some("trl"),
        _ => None,
    };
    known.map(|library| format!("{library}.{leaf}"))
}

/// Whether a class, by its short name, holds training arguments.
pub fn is_training_class(name: &str) -> bool {
    let leaf = name.rsplit('.').next().unwrap_or(name);
    TRANSFORMERS_CLASSES.contains(&leaf) || TRL_TRAINING_CLASSES.contains(&leaf)
}

/// Keys of the other classes that a subcommand of `trl` fills: `DatasetMixtureConfig`, and the script arguments of GRPO and RLOO
/// (trl 1.16 scripts/utils.py, scripts/grpo.py).
pub(super) const TRL_COMMAND_KEYS: &[&str] =
    &["datasets", "streaming", "test_split_size", "reward_model_name_or_path", "reward_funcs", "mixtures"];

/// The classes that a subcommand of `trl` fills (trl 1.16 cli.py, scripts/).
pub(super) fn classes_of_trl_command(command: &str) -> Option<[&'static str; 3]> {
    let config = match command {
        "sft" => "trl.SFTConfig",
        "dpo" => "trl.DPOConfig",
        "grpo" => "trl.GRPOConfig",
        "kto" => "trl.KTOConfig",
        "reward" => "trl.RewardConfig",
        "rloo" => "trl.RLOOConfig",
        _ => return None,
    };
    Some(["trl.ScriptArguments", config, "trl.ModelConfig"])
}
