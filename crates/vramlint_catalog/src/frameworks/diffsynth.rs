//! DiffSynth-Studio: the options that the scripts of its examples share.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{BatchArithmetic, COMMON, EstimateTraits, Framework};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// DiffSynth-Studio.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "diffsynth",
    name: "DiffSynth-Studio",
    package: "diffsynth",
    keys: &[KEYS],
    second: SECOND,
    options: &[&["dataset_base_path", "model_paths"], &["dataset_base_path", "model_id_with_origin_paths"]],
    batch: BatchArithmetic { source: "DiffSynth-Studio 2.0 diffsynth/diffusion/runner.py:67", ..COMMON.batch },
    estimate: EstimateTraits { is_played: false, ..COMMON.estimate },
    ..COMMON
};

/// DiffSynth-Studio 2.0 diffsynth/diffusion/parsers.py. Its scripts turn checkpointing on whatever the switch says in some examples:
/// without the switch nothing is known.
const KEYS: &[Row] = &[
    ("model_id_with_origin_paths", C::Model, RepoOfPaths),
    ("lora_base_model", C::Method, Fixed("lora")),
    ("trainable_models", C::Method, Fixed("full")),
    ("lora_rank", C::LoraR, Given),
    ("lora_target_modules", C::LoraTargets, Names),
    ("learning_rate", C::LearningRate, Given),
    ("num_epochs", C::Epochs, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("use_gradient_checkpointing", C::GradientCheckpointing, Truth),
    ("customized_optimizer", C::Optimizer, Name),
    ("quant_options", C::Quantization, QuantizationOfModel),
    ("dataset_num_workers", C::DataloaderWorkers, Given),
];

/// Recomputing with what is kept in host memory is recomputing, too.
const SECOND: &[Row] = &[("use_gradient_checkpointing_offload", C::GradientCheckpointing, OnlyTrue)];
