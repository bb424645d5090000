//! OpenRLHF: the command lines of its modules.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{
    Accumulation, ArgumentClasses, BatchArithmetic, COMMON, EntryModule, EstimateTraits, FILES, Framework, Processes, RayActors, Unknown,
    UnknownKeys, TokenBatches, VllmShare, Weights,
};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// OpenRLHF.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "openrlhf",
    name: "OpenRLHF",
    package: "openrlhf",
    keys: &[KEYS, KEYS_OF_MEMORY],
    second: SECOND,
    files: Some(FILES),
    classes: ArgumentClasses { by_module: true, complete: true, ..COMMON.classes },
    tasks: &[
        (&["train_sft"], "sft"),
        (&["train_dpo"], "dpo"),
        (&["train_kto"], "kto"),
        (&["train_rm"], "reward"),
        (&["train_ppo", "train_ppo_ray"], "ppo"),
    ],
    modules: &[EntryModule { path: "openrlhf.", takes_file: false }],
    unknown_keys: UnknownKeys { on_command_line: Unknown::Stops, ..COMMON.unknown_keys },
    vllm_shares: &[
        VllmShare { key: "vllm.gpu_memory_utilization", if_on: "vllm.num_engines", if_text: None },
        VllmShare { key: "vllm_gpu_memory_utilization", if_on: "vllm_num_engines", if_text: None },
    ],
    // OpenRLHF 0.11.0 openrlhf/trainer/ray/ppo_actor.py: as many samples as `train.max_tokens_per_gpu` holds.
    token_batches: &[TokenBatches { option: "train.dynamic_batch_enable", on_by_default_in: &[] }],
    // It floors silently, and then trains other than what is written.
    batch: BatchArithmetic {
        accumulation: Accumulation::OfWhole,
        // `openrlhf/trainer/ppo_trainer.py:75` divides prompts times samples by it.
        counts_completions: true,
        whole: &["train.batch_size", "train_batch_size"],
        source: "OpenRLHF 0.11.0 openrlhf/utils/deepspeed/deepspeed.py:110",
    },
    is_standalone: true,
    is_deepspeed: true,
    divides_ranks: true,
    processes: Processes::Ray(&RayActors {
        modules: &["openrlhf.cli.train_ppo_ray"],
        nodes: &["actor_num_nodes", "actor.num_nodes"],
        gpus: &["actor_num_gpus_per_node", "actor.num_gpus_per_node"],
        gpus_by_default: 8,
        source: "OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py",
    }),
    // OpenRLHF 0.11.0 openrlhf/models/actor.py:154 loads in `param_dtype`.
    estimate: EstimateTraits { no_dropout: true, weights: Weights::Computing, ..COMMON.estimate },
    ..COMMON
};

/// OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py and train_sft.py, then the spellings before the dotted command line.
/// `rollout.batch_size` counts prompts of a round that may serve several steps: no concept.
const KEYS: &[Row] = &[
    ("train.micro_batch_size", C::MicroBatch, Given),
    ("micro_train_batch_size", C::MicroBatch, Given),
    ("train.batch_size", C::EffectiveBatch, Given),
    ("train_batch_size", C::EffectiveBatch, Given),
    ("train.max_epochs", C::Epochs, Given),
    ("max_epochs", C::Epochs, Given),
    ("data.max_len", C::SequenceLength, Given),
    ("max_len", C::SequenceLength, Given),
    ("prompt_max_len", C::MaxPromptLength, Given),
    ("rollout.max_new_tokens", C::MaxCompletionLength, Given),
    ("generate_max_len", C::MaxCompletionLength, Given),
    ("rollout.n_samples_per_prompt", C::NumGenerations, Given),
    ("n_samples_per_prompt", C::NumGenerations, Given),
    ("ds.zero_stage", C::ZeroStage, Given),
    ("zero_stage", C::ZeroStage, Given),
    ("ds.param_dtype", C::MixedPrecision, Precision),
    ("bf16", C::MixedPrecision, Switch("bf16")),
    ("ds.adam_offload", C::OffloadOptimizer, Switch("cpu")),
    ("adam_offload", C::OffloadOptimizer, Switch("cpu")),
    ("ds.load_in_4bit", C::Quantization, Switch("nf4-double")),
    ("load_in_4bit", C::Quantization, Switch("nf4-double")),
    ("ds.lora.rank", C::LoraR, Given),
    ("lora_rank", C::LoraR, Given),
    ("ds.lora.alpha", C::LoraAlpha, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("ds.lora.target_modules", C::LoraTargets, Names),
    ("target_modules", C::LoraTargets, Names),
    ("ds.attn_implementation", C::Attention, Attention),
    ("attn_implementation", C::Attention, Attention),
    ("flash_attn", C::Attention, Switch("flash_attention_2")),
    ("ds.packing_samples", C::Packing, Truth),
    ("packing_samples", C::Packing, Truth),
    // OpenRLHF 0.11.0 openrlhf/utils/deepspeed/deepspeed.py: both are AdamW there.
    ("actor.optim", C::Optimizer, Renamed("adam", "AdamW")),
    ("optim", C::Optimizer, Renamed("adam", "AdamW")),
    ("actor.adam.lr", C::LearningRate, Given),
    ("adam.lr", C::LearningRate, Given),
    ("actor_learning_rate", C::LearningRate, Given),
    ("learning_rate", C::LearningRate, Given),
    ("actor.gradient_checkpointing_enable", C::GradientCheckpointing, Truth),
    ("model.gradient_checkpointing_enable", C::GradientCheckpointing, Truth),
    ("gradient_checkpointing", C::GradientCheckpointing, Truth),
    ("actor.model_name_or_path", C::Model, Name),
    ("model.model_name_or_path", C::Model, Name),
    ("pretrain", C::Model, Name),
    ("reward.model_name_or_path", C::RewardModel, Name),
    ("reward_pretrain", C::RewardModel, Name),
    ("actor.num_nodes", C::NumMachines, Given),
    ("actor_num_nodes", C::NumMachines, Given),
];

/// OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py and train_sft.py, then the spellings before the dotted command line.
const KEYS_OF_MEMORY: &[Row] = &[
    ("ds.use_liger_kernel", C::FusedLoss, Either("liger", "none")),
    ("use_liger_kernel", C::FusedLoss, Either("liger", "none")),
    ("ds.lora.dropout", C::LoraDropout, Given),
    ("lora_dropout", C::LoraDropout, Given),
    ("actor.gradient_checkpointing_reentrant", C::CheckpointingReentrant, Truth),
    ("model.gradient_checkpointing_reentrant", C::CheckpointingReentrant, Truth),
    ("gradient_checkpointing_use_reentrant", C::CheckpointingReentrant, Truth),
    ("max_norm", C::MaxGradNorm, Given),
    ("ds.zpg", C::ZeroHpzPartitionSize, Given),
    ("zpg", C::ZeroHpzPartitionSize, Given),
    ("ds.overlap_comm", C::OverlapComm, Truth),
    ("overlap_comm", C::OverlapComm, Truth),
    ("ds.tensor_parallel_size", C::TensorParallelSize, Given),
    ("ds_tensor_parallel_size", C::TensorParallelSize, Given),
    ("ds.ring_attn_size", C::ContextParallelSize, Given),
    ("ring_attn_size", C::ContextParallelSize, Given),
    // Its engines get GPUs of their own, whatever else shares them (OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py:75).
    ("train.async_enable", C::VllmMode, Switch("apart")),
    ("async_train", C::VllmMode, Switch("apart")),
    ("train.colocate_all", C::VllmMode, Switch("colocate")),
    ("colocate_all_models", C::VllmMode, Switch("colocate")),
    ("vllm.gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("vllm_gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("vllm.enable_sleep", C::VllmSleep, Truth),
    ("vllm_enable_sleep", C::VllmSleep, Truth),
    ("algo.kl.init_coef", C::KlBeta, Given),
    ("init_kl_coef", C::KlBeta, Given),
];

/// A rank above 0 adds adapters.
const SECOND: &[Row] = &[("ds.lora.rank", C::Method, Fixed("lora")), ("lora_rank", C::Method, Fixed("lora"))];
