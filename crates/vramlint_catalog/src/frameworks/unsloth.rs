//! unsloth, which is called from Python.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{BatchArithmetic, COMMON, EstimateTraits, Framework, Loss};
use super::transformers::{ARGUMENTS, ARGUMENTS_OF_MEMORY, FSDP_WORDS, LOADING, LOADING_OF_MEMORY};
use super::trl;
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// unsloth, on top of TRL.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "unsloth",
    name: "unsloth",
    package: "unsloth",
    keys: &[ARGUMENTS, LOADING, trl::KEYS, KEYS, ARGUMENTS_OF_MEMORY, LOADING_OF_MEMORY, trl::KEYS_OF_MEMORY, KEYS_OF_MEMORY],
    second: FSDP_WORDS,
    batch: BatchArithmetic { source: "trl 1.16.0 trainer/grpo_config.py", ..COMMON.batch },
    is_hf_trainer: true,
    has_vllm_mode_of_trl: true,
    estimate: EstimateTraits {
        is_language_modelling: true,
        no_dropout: true,
        may_be_launched: false,
        loss: Loss::Chunked,
        ..COMMON.estimate
    },
    ..COMMON
};

/// unsloth 2026.8.19 models/loader.py and llama.py; its 4 bits are nf4 with nested constants.
const KEYS: &[Row] = &[
    ("model_name", C::Model, Name),
    ("max_seq_length", C::SequenceLength, Given),
    ("load_in_4bit", C::Quantization, Either("nf4-double", "none")),
    ("full_finetuning", C::Method, Switch("full")),
    ("use_gradient_checkpointing", C::GradientCheckpointing, Checkpointing),
];

/// unsloth 2026.8.19 models/loader.py and llama.py: `fast_inference` generates with vLLM on the same GPU.
const KEYS_OF_MEMORY: &[Row] = &[("fast_inference", C::VllmMode, Switch("in process")), ("gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given)];
