//! What holds where a file says nothing.

use super::{Concept, Dialect};
use crate::Concept as C;
use vramlint_base::Value;

#[derive(Clone, Copy)]
enum Literal {
    Int(i64),
    Float(f64),
    Bool(bool),
    Text(&'static str),
}

use Literal::{Bool, Float, Int, Text};

impl Literal {
    fn value(self) -> Value {
        match self {
            Int(number) => Value::Int(number),
            Float(number) => Value::Float(number),
            Bool(on) => Value::Bool(on),
            Text(text) => Value::Text(text.to_owned()),
        }
    }
}

/// A default: for these tasks (all where empty).
type Row = (Concept, &'static [&'static str], Literal, &'static str);

const ARGUMENTS: &str = "transformers 5.23.0 training_args.py";
const LORA: &str = "peft 0.21.2 tuners/lora/config.py";
const SFT: &str = "trl 1.16.0 trainer/sft_config.py";
const DPO: &str = "trl 1.16.0 trainer/dpo_config.py";
const KTO: &str = "trl 1.16.0 trainer/kto_config.py";
const REWARD: &str = "trl 1.16.0 trainer/reward_config.py";
const GRPO: &str = "trl 1.16.0 trainer/grpo_config.py";
const RLOO: &str = "trl 1.16.0 trainer/rloo_config.py";
const TRL_BASE: &str = "trl 1.16.0 trainer/base_config.py";
const MODEL_CONFIG: &str = "trl 1.16.0 trainer/model_config.py";
const LF_DATA: &str = "LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/data_args.py";
const LF_MODEL: &str = "LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/model_args.py";
const LF_TUNING: &str = "LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/finetuning_args.py";
const AX: &str = "axolotl 0.18.0 src/axolotl/utils/schemas/config.py";
const SWIFT: &str = "ms-swift 4.6.0.dev0 swift/trainers/arguments.py";
const SWIFT_ARGS: &str = "ms-swift 4.6.0.dev0 swift/arguments/sft_args.py";
const OR_PPO: &str = "OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py";
const OR_SFT: &str = "OpenRLHF 0.11.0 openrlhf/cli/train_sft.py";
const UN: &str = "unsloth 2026.8.19 unsloth/models/loader.py";
const UN_LORA: &str = "unsloth 2026.8.19 unsloth/models/llama.py";
const PL: &str = "pytorch-lightning 2.6.6 trainer/trainer.py";
const TUNE: &str = "torchtune 0.7.0 recipes/configs/llama3_1/8B_lora.yaml";

const AC_FSDP: &str = "accelerate 1.15.0 accelerate/utils/dataclasses.py FullyShardedDataParallelPlugin";

const SFT_LIKE: &[&str] = &["sft"];
const PREFERENCE: &[&str] = &["dpo"];
const ROLLOUTS: &[&str] = &["grpo"];

/// `TrainingArguments`. That the trainer sees no adapter by itself makes the method full.
const HF: &[Row] = &[
    (C::MicroBatch, &[], Int(8), ARGUMENTS),
    (C::GradientAccumulationSteps, &[], Int(1), ARGUMENTS),
    (C::Epochs, &[], Float(3.0), ARGUMENTS),
    (C::LearningRate, &[], Float(5e-5), ARGUMENTS),
    (C::Optimizer, &[], Text("adamw_torch_fused"), ARGUMENTS),
    (C::MixedPrecision, &[], Text("no"), ARGUMENTS),
    (C::GradientCheckpointing, &[], Bool(false), ARGUMENTS),
    (C::DataloaderWorkers, &[], Int(0), ARGUMENTS),
    (C::Quantization, &[], Text("none"), "transformers 5.23.0 utils/quantization_config.py"),
    (C::Method, &[], Text("full"), "transformers 5.23.0 trainer.py"),
    (C::LoraR, &[], Int(8), LORA),
    (C::LoraAlpha, &[], Int(8), LORA),
    (C::LoraDropout, &[], Float(0.0), LORA),
    (C::UseDora, &[], Bool(false), LORA),
    (C::MaxGradNorm, &[], Float(1.0), ARGUMENTS),
    (C::FusedLoss, &[], Text("none"), ARGUMENTS),
];

/// What TRL changes; the rest is `TrainingArguments`.
const TRL: &[Row] = &[
    (C::GradientCheckpointing, &[], Bool(true), TRL_BASE),
    (C::MixedPrecision, &[], Text("bf16"), TRL_BASE),
    (C::WeightsDtype, &[], Text("fp32"), "trl 1.16.0 trainer/utils.py:1331"),
    (C::LearningRate, SFT_LIKE, Float(2e-5), SFT),
    (C::LearningRate, &["reward"], Float(1e-4), REWARD),
    (C::LearningRate, PREFERENCE, Float(1e-6), DPO),
    (C::LearningRate, &["kto"], Float(1e-6), KTO),
    (C::LearningRate, ROLLOUTS, Float(1e-6), GRPO),
    (C::LearningRate, &["rloo"], Float(1e-6), RLOO),
    (C::SequenceLength, SFT_LIKE, Int(1024), SFT),
    (C::SequenceLength, PREFERENCE, Int(1024), DPO),
    (C::SequenceLength, &["kto"], Int(1024), KTO),
    (C::SequenceLength, &["reward"], Int(1024), REWARD),
    (C::Packing, SFT_LIKE, Bool(false), SFT),
    (C::NumGenerations, ROLLOUTS, Int(8), GRPO),
    (C::NumGenerations, &["rloo"], Int(2), RLOO),
    (C::MaxCompletionLength, ROLLOUTS, Int(512), GRPO),
    (C::MaxCompletionLength, &["rloo"], Int(512), RLOO),
    (C::LoraR, &[], Int(16), MODEL_CONFIG),
    (C::LoraAlpha, &[], Int(32), MODEL_CONFIG),
    (C::FusedLoss, SFT_LIKE, Text("chunked"), "trl 1.16.0 trainer/sft_config.py loss_type nll; whole logits before"),
    (C::FusedLoss, &["dpo", "kto", "grpo", "rloo", "reward"], Text("none"), ARGUMENTS),
    (C::PaddingFree, SFT_LIKE, Bool(false), SFT),
    (C::KlBeta, ROLLOUTS, Float(0.0), "trl 1.16.0 trainer/grpo_config.py; 0.04 in 0.15"),
    (C::KlBeta, &["rloo"], Float(0.05), RLOO),
    (C::PrecomputeRefLogProbs, PREFERENCE, Bool(false), DPO),
    (C::VllmMode, ROLLOUTS, Text("none"), GRPO),
    (C::VllmMode, &["rloo"], Text("none"), RLOO),
];

/// `bf16` and `fp16` unset train in fp32; the learning rate is that of `TrainingArguments`. `lora_alpha` is twice the rank.
const LLAMA_FACTORY: &[Row] = &[
    (C::Method, &[], Text("lora"), LF_TUNING),
    (C::LoraR, &[], Int(8), LF_TUNING),
    (C::LoraTargets, &[], Text("all"), LF_TUNING),
    (C::SequenceLength, &[], Int(2048), LF_DATA),
    (C::Packing, &["causal-lm", "pt"], Bool(true), "LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/parser.py:645"),
    (C::Packing, &["sft", "dpo", "kto", "reward", "ppo"], Bool(false), LF_DATA),
    (C::GradientCheckpointing, &[], Bool(true), LF_MODEL),
    (C::CheckpointingReentrant, &[], Bool(true), LF_MODEL),
    (C::LoraDropout, &[], Float(0.0), LF_TUNING),
    (C::UseDora, &[], Bool(false), LF_TUNING),
    (C::FusedLoss, &[], Text("none"), LF_MODEL),
    (C::MaxGradNorm, &[], Float(1.0), ARGUMENTS),
    (C::MaxCompletionLength, &["ppo"], Int(1024), "LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/generating_args.py"),
];

/// `learning_rate` is required, `bf16` is decided by the machine.
const AXOLOTL: &[Row] = &[
    (C::MicroBatch, &[], Int(1), AX),
    (C::GradientAccumulationSteps, &[], Int(1), AX),
    (C::Epochs, &[], Float(1.0), AX),
    (C::SequenceLength, &[], Int(512), AX),
    (C::Packing, &[], Bool(false), AX),
    (C::Optimizer, &[], Text("adamw_torch_fused"), AX),
    (C::GradientCheckpointing, &[], Bool(false), AX),
    (C::Quantization, &[], Text("none"), AX),
    (C::Method, &[], Text("full"), AX),
    (C::LoraDropout, &[], Float(0.0), AX),
    (C::FusedLoss, &[], Text("none"), AX),
];

/// Accumulation and learning rate are derived, precision comes from the checkpoint, workers depend on the system.
const MS_SWIFT: &[Row] = &[
    (C::MicroBatch, &[], Int(1), SWIFT),
    (C::Epochs, &[], Float(3.0), SWIFT),
    (C::Optimizer, &[], Text("adamw_torch_fused"), ARGUMENTS),
    (C::GradientCheckpointing, &[], Bool(true), SWIFT),
    (C::Method, &[], Text("lora"), SWIFT_ARGS),
    (C::LoraR, &[], Int(8), "ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py"),
    (C::LoraAlpha, &[], Int(32), "ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py"),
    (C::LoraTargets, &[], Text("all-linear"), "ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py"),
    (C::LoraDropout, &[], Float(0.05), "ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py"),
    (C::UseDora, &[], Bool(false), "ms-swift 4.6.0.dev0 swift/arguments/tuner_args.py"),
    (C::FusedLoss, &[], Text("none"), ARGUMENTS),
    (C::MaxGradNorm, &[], Float(1.0), ARGUMENTS),
    (C::Packing, &[], Bool(false), SWIFT_ARGS),
    (C::Quantization, &[], Text("none"), SWIFT_ARGS),
    (C::NumGenerations, ROLLOUTS, Int(8), "ms-swift 4.6.0.dev0 swift/rlhf_trainers/args_mixin.py"),
    (C::MaxCompletionLength, ROLLOUTS, Int(512), "ms-swift 4.6.0.dev0 swift/rlhf_trainers/args_mixin.py"),
];

/// Most of a torchtune recipe has no default: the configuration must say it.
const TORCHTUNE: &[Row] = &[(C::Epochs, &[], Int(1), TUNE), (C::Packing, &[], Bool(false), TUNE)];

const OPEN_RLHF: &[Row] = &[
    (C::MicroBatch, &["ppo", "grpo", "rloo"], Int(1), OR_PPO),
    (C::MicroBatch, SFT_LIKE, Int(8), OR_SFT),
    (C::EffectiveBatch, &["ppo", "grpo", "rloo"], Int(128), OR_PPO),
    (C::Epochs, &["ppo", "grpo", "rloo"], Int(1), OR_PPO),
    (C::Epochs, SFT_LIKE, Int(2), OR_SFT),
    (C::SequenceLength, &[], Int(2048), OR_PPO),
    (C::MixedPrecision, &[], Text("bf16"), OR_PPO),
    (C::Optimizer, &[], Text("adam"), OR_PPO),
    (C::LearningRate, &["ppo", "grpo", "rloo"], Float(1e-6), OR_PPO),
    (C::LearningRate, SFT_LIKE, Float(5e-6), OR_SFT),
    (C::GradientCheckpointing, &[], Bool(false), OR_PPO),
    (C::Attention, &[], Text("flash_attention_2"), OR_PPO),
    (C::Packing, &[], Bool(false), OR_PPO),
    (C::Quantization, &[], Text("none"), OR_PPO),
    (C::Method, &[], Text("full"), OR_PPO),
    (C::LoraAlpha, &[], Int(16), OR_PPO),
    (C::LoraTargets, &[], Text("all-linear"), OR_PPO),
    (C::NumGenerations, &["ppo", "grpo", "rloo"], Int(1), OR_PPO),
    (C::ZeroStage, &[], Int(2), OR_PPO),
    (C::LoraDropout, &[], Float(0.0), OR_PPO),
    (C::FusedLoss, &[], Text("none"), OR_PPO),
];

const UNSLOTH: &[Row] = &[
    (C::SequenceLength, &[], Int(2048), UN),
    (C::Quantization, &[], Text("nf4-double"), UN),
    (C::Method, &[], Text("lora"), UN),
    (C::GradientCheckpointing, &[], Bool(true), UN_LORA),
    (C::LoraR, &[], Int(16), UN_LORA),
    (C::LoraAlpha, &[], Int(16), UN_LORA),
    (C::LoraDropout, &[], Float(0.0), UN_LORA),
    (C::FusedLoss, &[], Text("chunked"), UN_LORA),
    (C::DeviceMap, &[], Text("sequential"), UN),
];

const LIGHTNING: &[Row] = &[
    (C::MicroBatch, &[], Int(1), "torch 2.15 torch/utils/data/dataloader.py"),
    (C::GradientAccumulationSteps, &[], Int(1), PL),
    (C::MixedPrecision, &[], Text("no"), PL),
    (C::NumMachines, &[], Int(1), PL),
    (C::DataloaderWorkers, &[], Int(0), "torch 2.15 torch/utils/data/dataloader.py"),
];

/// The ZeRO settings hold where the type is DEEPSPEED.
const ACCELERATE: &[Row] = &[
    (C::NumMachines, &[], Int(1), "accelerate 1.15.0 accelerate/commands/config/config_args.py:182"),
    (C::MixedPrecision, &[], Text("no"), "accelerate 1.15.0 accelerate/commands/launch.py:1286"),
    (C::GradientAccumulationSteps, &[], Int(1), "accelerate 1.15.0 accelerate/accelerator.py:546"),
    (C::ZeroStage, &[], Int(2), "accelerate 1.15.0 accelerate/commands/launch.py:417"),
    (C::OffloadOptimizer, &[], Text("none"), "accelerate 1.15.0 accelerate/commands/launch.py:424"),
    (C::OffloadParam, &[], Text("none"), "accelerate 1.15.0 accelerate/commands/launch.py:431"),
    (C::FsdpVersion, &[], Int(1), AC_FSDP),
    (C::FsdpSharding, &[], Text("FULL_SHARD"), AC_FSDP),
    (C::FsdpReshard, &[], Bool(true), AC_FSDP),
    (C::FsdpWrap, &[], Text("NO_WRAP"), AC_FSDP),
    (C::FsdpOffload, &[], Bool(false), AC_FSDP),
    (C::FsdpActivationCheckpointing, &[], Bool(false), AC_FSDP),
];

const DEEPSPEED: &[Row] = &[
    (C::ZeroStage, &[], Int(0), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:95"),
    (C::OffloadOptimizer, &[], Text("none"), "deepspeed 0.19.8 deepspeed/runtime/zero/offload_config.py:58"),
    (C::OffloadParam, &[], Text("none"), "deepspeed 0.19.8 deepspeed/runtime/zero/offload_config.py:24"),
    (C::MixedPrecision, &[], Text("no"), "deepspeed 0.19.8 deepspeed/runtime/precision_config.py"),
    (C::ReduceBucketSize, &[], Int(500_000_000), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:113"),
    (C::AllgatherBucketSize, &[], Int(500_000_000), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:132"),
    (C::Stage3PrefetchBucketSize, &[], Int(50_000_000), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:222"),
    (C::Stage3MaxLiveParameters, &[], Int(1_000_000_000), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:245"),
    (C::Stage3ParamPersistenceThreshold, &[], Int(100_000), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:228"),
    (C::SubGroupSize, &[], Int(1_000_000_000), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:182"),
    (C::ContiguousGradients, &[], Bool(true), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:102"),
    (C::ZeroHpzPartitionSize, &[], Int(1), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:324"),
    (C::ZeroQuantizedWeights, &[], Bool(false), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:328"),
    (C::Gather16bitOnSave, &[], Bool(false), "deepspeed 0.19.8 deepspeed/runtime/zero/config.py:257"),
];

/// The lists of a dialect, the strongest first.
fn lists(dialect: Dialect) -> &'static [&'static [Row]] {
    match dialect {
        Dialect::HfTrainer => &[HF],
        Dialect::Trl => &[TRL, HF],
        Dialect::LlamaFactory => &[LLAMA_FACTORY, LF_FROM_HF],
        Dialect::Axolotl => &[AXOLOTL],
        Dialect::MsSwift => &[MS_SWIFT],
        Dialect::Torchtune => &[TORCHTUNE],
        Dialect::OpenRlhf => &[OPEN_RLHF],
        Dialect::Unsloth => &[UNSLOTH, TRL, HF],
        Dialect::Lightning => &[LIGHTNING],
        Dialect::Accelerate => &[ACCELERATE],
        Dialect::DeepSpeed => &[DEEPSPEED],
        Dialect::Plain => &[],
    }
}

/// What LLaMA-Factory takes over from `TrainingArguments` unchanged.
const LF_FROM_HF: &[Row] = &[
    (C::MicroBatch, &[], Int(8), ARGUMENTS),
    (C::GradientAccumulationSteps, &[], Int(1), ARGUMENTS),
    (C::Epochs, &[], Float(3.0), ARGUMENTS),
    (C::LearningRate, &[], Float(5e-5), ARGUMENTS),
    (C::Optimizer, &[], Text("adamw_torch_fused"), ARGUMENTS),
    (C::MixedPrecision, &[], Text("no"), ARGUMENTS),
    (C::DataloaderWorkers, &[], Int(0), ARGUMENTS),
    (C::Quantization, &[], Text("none"), LF_MODEL),
];

/// The default of `concept`, with its source.
pub(super) fn default_of(dialect: Dialect, concept: Concept, task: Option<&str>) -> Option<(Value, &'static str)> {
    for list in lists(dialect) {
        let mut by_task = false;
        for (of, tasks, value, source) in *list {
            if *of != concept {
                continue;
            }
            if tasks.is_empty() || task.is_some_and(|task| tasks.iter().any(|known| known.eq_ignore_ascii_case(task))) {
                return Some((value.value(), source));
            }
            by_task = true;
        }
        // Where it depends on the task and the task is not one that is known, the weaker list would be a guess.
        if by_task {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_has_a_source_and_stands_once() {
        let lists = [
            HF,
            TRL,
            LLAMA_FACTORY,
            LF_FROM_HF,
            AXOLOTL,
            MS_SWIFT,
            TORCHTUNE,
            OPEN_RLHF,
            UNSLOTH,
            LIGHTNING,
            ACCELERATE,
            DEEPSPEED,
        ];
        for list in lists {
            let mut seen = std::collections::BTreeSet::new();
            for (concept, tasks, _, source) in list {
                let versioned = source.split(' ').nth(1).is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()));
                assert!(versioned && (source.contains(".py") || source.contains(".yaml")), "{source}");
                if tasks.is_empty() {
                    assert!(seen.insert((*concept, "")), "{concept:?}");
                }
                for task in *tasks {
                    assert!(seen.insert((*concept, task)) && !seen.contains(&(*concept, "")), "{concept:?} {task}");
                }
            }
        }
    }
}
