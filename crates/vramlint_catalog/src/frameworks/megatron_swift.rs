//! Megatron-SWIFT: `megatron sft` of ms-swift and its YAML, whose trainer is Megatron's.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{
    Accumulation, BatchArithmetic, COMMON, ConfigFiles, EstimateTraits, FILES, Framework, Loss, MegatronDefaults, RayWorkers,
};
use super::evidence::{Evidence, KeyTest::Has};
use crate::Concept as C;
use crate::dialect::{Dialect, Form::*, Row};
use crate::flag::Flag;
use crate::launchers::spec::{FRAMEWORK as COMMAND, LauncherSpec, ProcessCount, command};

/// Megatron-SWIFT. Experts are divided over ranks that hold rows of their own, so they multiply the batch.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "megatron-swift",
    name: "Megatron-SWIFT",
    package: "ms-swift",
    keys: &[KEYS],
    second: SECOND,
    files: Some(ConfigFiles {
        evidence: &[Evidence {
            is_certain: false,
            key: Some("global_batch_size"),
            all: &[Has("model"), Has("micro_batch_size"), Has("global_batch_size")],
            any: &[Has("tuner_type"), Has("rlhf_type"), Has("recompute_granularity"), Has("cross_entropy_loss_fusion")],
        }],
        ..FILES
    }),
    tasks: &[(&["sft", "pt"], "sft")],
    batch: BatchArithmetic {
        accumulation: Accumulation::OfWhole,
        counts_completions: true,
        whole: &["global_batch_size"],
        source: "ms-swift 4.6.0.dev0 swift/megatron/arguments/megatron_args.py",
    },
    is_standalone: true,
    divides_ranks: true,
    ray_workers: Some(RayWorkers { key: Some("use_ray"), variable: None, number: "train.gpus" }),
    estimate: EstimateTraits { megatron: Some(&DEFAULTS), loss: Loss::Whole, ..COMMON.estimate },
    ..COMMON
};

/// `megatron sft` and the other commands that train.
pub(crate) static LAUNCHER: LauncherSpec = LauncherSpec {
    name: "megatron",
    commands: &[command(&["megatron"]).starting(&[&["sft", "pt", "rlhf"]])],
    flags: FLAGS,
    dialect: Some(Dialect::MegatronSwift),
    is_enough: true,
    processes: ProcessCount::VariablesElseOne,
    ..COMMAND
};

/// ms-swift 4.6.0.dev0 swift/megatron/arguments/megatron_args.py and swift/arguments/base_args/*.py.
const KEYS: &[Row] = &[
    ("model", C::Model, Name),
    ("max_length", C::SequenceLength, GivenOrNull),
    ("tuner_type", C::Method, Method),
    ("train_type", C::Method, Method),
    ("lora_rank", C::LoraR, Given),
    ("lora_alpha", C::LoraAlpha, Given),
    ("lora_dropout", C::LoraDropout, Given),
    ("target_modules", C::LoraTargets, Names),
    ("modules_to_save", C::LoraModulesToSave, Names),
    ("torch_dtype", C::WeightsDtype, Dtype),
    ("bf16", C::MixedPrecision, Switch("bf16")),
    ("fp16", C::MixedPrecision, Switch("fp16")),
    ("micro_batch_size", C::MicroBatch, Given),
    ("global_batch_size", C::EffectiveBatch, Given),
    ("num_train_epochs", C::Epochs, Given),
    ("train_iters", C::MaxSteps, Positive),
    ("lr", C::LearningRate, Given),
    ("optimizer", C::Optimizer, Given),
    ("recompute_granularity", C::GradientCheckpointing, Word("full")),
    ("packing", C::Packing, Truth),
    ("padding_free", C::PaddingFree, Truth),
    ("rlhf_type", C::Task, Task),
    ("task_type", C::Task, OtherTask),
    ("num_generations", C::NumGenerations, Given),
    ("steps_per_generation", C::StepsPerGeneration, Given),
    ("generation_batch_size", C::GenerationBatch, Given),
    ("max_completion_length", C::MaxCompletionLength, Given),
    ("ref_model", C::ReferenceModel, Name),
    ("beta", C::KlBeta, Given),
    ("vllm_mode", C::VllmMode, Given),
    ("vllm_gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("sleep_level", C::VllmSleep, Level),
    ("tensor_model_parallel_size", C::TensorParallelSize, Given),
    ("context_parallel_size", C::ContextParallelSize, Given),
    ("NPROC_PER_NODE", C::NumProcesses, Given),
    ("NNODES", C::NumMachines, Given),
    // Under Ray the processes that train have a block of their own (swift/ray/megatron/driver_utils.py).
    ("train.tuner_type", C::Method, Method),
    ("train.lora_rank", C::LoraR, Given),
    ("train.lora_alpha", C::LoraAlpha, Given),
    ("train.target_modules", C::LoraTargets, Names),
    ("train.micro_batch_size", C::MicroBatch, Given),
    ("train.recompute_granularity", C::GradientCheckpointing, Word("full")),
    ("train.tensor_model_parallel_size", C::TensorParallelSize, Given),
    ("train.context_parallel_size", C::ContextParallelSize, Given),
];

static DEFAULTS: MegatronDefaults = MegatronDefaults {
    distributed_optimizer: true,
    recompute_granularity: "selective",
    fused_rotary: false,
    padding_free: true,
    source: "ms-swift 4.6.0.dev0 swift/megatron/arguments/megatron_args.py",
};

/// The precision that follows from the type of the weights (ms-swift 4.6.0.dev0 swift/arguments/base_args/model_args.py:130).
const SECOND: &[Row] = &[("torch_dtype", C::MixedPrecision, AutocastOfDtype)];

/// `megatron sft` and the other commands.
static FLAGS: &[Flag] = &[
    Flag::switch(&["-h", "--help"]),
    Flag::with_value(&["--config"]),
    Flag::many(&["--dataset"]),
    Flag::many(&["--val_dataset", "--val-dataset"]),
    Flag::many(&["--target_modules", "--target-modules"]),
    Flag::many(&["--modules_to_save", "--modules-to-save"]),
    Flag::many(&["--adapters"]),
    Flag::many(&["--reward_funcs", "--reward-funcs"]),
    Flag::many(&["--reward_weights", "--reward-weights"]),
    Flag::many(&["--external_plugins", "--external-plugins"]),
    Flag::many(&["--recompute_modules", "--recompute-modules"]),
    Flag::many(&["--report_to", "--report-to"]),
    Flag::many(&["--finetune"]),
    Flag::many(&["--packing"]),
    Flag::many(&["--padding_free", "--padding-free"]),
    Flag::many(&["--no_save_optim", "--no-save-optim"]),
    Flag::many(&["--no_save_rng", "--no-save-rng"]),
];
