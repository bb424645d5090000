//! verl: the overrides on the command line of its trainers.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{BatchArithmetic, COMMON, EntryModule, EstimateTraits, Framework, Processes, RayActors, TokenBatches, UnreadFile};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// verl.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "verl",
    name: "verl",
    package: "verl",
    keys: &[KEYS],
    second: SECOND,
    modules: &[
        EntryModule { path: "verl.trainer.main_ppo", takes_file: false },
        EntryModule { path: "verl.trainer.fsdp_sft_trainer", takes_file: false },
        EntryModule { path: "verl.trainer.sft_trainer", takes_file: false },
    ],
    tasks: &[(&["main_ppo"], "ppo"), (&["fsdp_sft_trainer", "sft_trainer"], "sft")],
    unread_files: &[
        UnreadFile { option: "config-name", sets: None },
        UnreadFile { option: "config-path", sets: None },
        UnreadFile { option: "config-dir", sets: None },
    ],
    // verl 0.6 verl/workers/actor/dp_actor.py, verl/trainer/config/actor/actor.yaml and sft_trainer_engine.yaml.
    token_batches: &[
        TokenBatches { option: "actor_rollout_ref.actor.use_dynamic_bsz", on_by_default_in: &[] },
        TokenBatches { option: "data.use_dynamic_bsz", on_by_default_in: &["verl.trainer.sft_trainer"] },
    ],
    batch: BatchArithmetic {
        counts_completions: true,
        source: "verl 0.6 verl/workers/fsdp_workers.py, verl/trainer/config/actor/actor.yaml",
        ..COMMON.batch
    },
    divides_ranks: true,
    processes: Processes::Ray(&RayActors {
        modules: &["verl.trainer.main_ppo"],
        nodes: &["trainer.nnodes"],
        gpus: &["trainer.n_gpus_per_node"],
        gpus_by_default: 8,
        source: "verl 0.6 verl/trainer/config/ppo_trainer.yaml",
    }),
    estimate: EstimateTraits { is_played: false, ..COMMON.estimate },
    ..COMMON
};

/// verl 0.6 verl/trainer/config/ppo_trainer.yaml and sft_trainer.yaml, with the files that they include.
/// `data.train_batch_size` and `ppo_mini_batch_size` of `main_ppo` count prompts: no concept.
const KEYS: &[Row] = &[
    ("actor_rollout_ref.model.path", C::Model, Name),
    ("model.partial_pretrain", C::Model, Name),
    ("model.path", C::Model, Name),
    ("actor_rollout_ref.model.lora_rank", C::LoraR, Positive),
    ("model.lora_rank", C::LoraR, Positive),
    ("actor_rollout_ref.model.lora_alpha", C::LoraAlpha, Given),
    ("model.lora_alpha", C::LoraAlpha, Given),
    ("actor_rollout_ref.model.target_modules", C::LoraTargets, Names),
    ("model.target_modules", C::LoraTargets, Names),
    ("actor_rollout_ref.model.enable_gradient_checkpointing", C::GradientCheckpointing, Truth),
    ("model.enable_gradient_checkpointing", C::GradientCheckpointing, Truth),
    ("actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu", C::MicroBatch, Given),
    ("data.micro_batch_size_per_gpu", C::MicroBatch, Given),
    ("actor_rollout_ref.actor.optim.lr", C::LearningRate, Given),
    ("optim.lr", C::LearningRate, Given),
    ("actor_rollout_ref.actor.optim.optimizer", C::Optimizer, Name),
    ("actor_rollout_ref.actor.grad_clip", C::MaxGradNorm, Given),
    ("optim.clip_grad", C::MaxGradNorm, Given),
    ("actor_rollout_ref.actor.fsdp_config.dtype", C::MixedPrecision, Precision),
    ("actor_rollout_ref.rollout.n", C::NumGenerations, Given),
    ("actor_rollout_ref.rollout.gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("data.max_prompt_length", C::MaxPromptLength, Given),
    ("data.max_response_length", C::MaxCompletionLength, Given),
    ("data.max_length", C::SequenceLength, Given),
    ("algorithm.adv_estimator", C::Task, Renamed("gae", "ppo")),
    ("reward_model.model.path", C::RewardModel, Name),
    ("trainer.total_epochs", C::Epochs, Given),
    ("trainer.total_training_steps", C::MaxSteps, Positive),
    ("trainer.nnodes", C::NumMachines, Given),
];

/// A rank above 0 adds adapters.
const SECOND: &[Row] =
    &[("actor_rollout_ref.model.lora_rank", C::Method, Fixed("lora")), ("model.lora_rank", C::Method, Fixed("lora"))];
