//! accelerate: its configuration.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{BatchArithmetic, COMMON, EstimateTraits, Framework, Loss};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// accelerate.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "accelerate",
    name: "accelerate",
    package: "accelerate",
    keys: &[KEYS, KEYS_OF_MEMORY],
    batch: BatchArithmetic { source: "accelerate 1.15.0 accelerate/accelerator.py:2188", ..COMMON.batch },
    estimate: EstimateTraits { loss: Loss::Whole, ..COMMON.estimate },
    ..COMMON
};

/// accelerate 1.15.0 commands/config/config_args.py and commands/launch.py.
const KEYS: &[Row] = &[
    ("distributed_type", C::DistributedType, DistributedType),
    ("num_processes", C::NumProcesses, Given),
    ("num_machines", C::NumMachines, Given),
    ("gpu_ids", C::GpuIds, Given),
    ("mixed_precision", C::MixedPrecision, AcceleratePrecision),
    ("fp16", C::MixedPrecision, Switch("fp16")),
    ("deepspeed_config.zero_stage", C::ZeroStage, Given),
    ("deepspeed_config.offload_optimizer_device", C::OffloadOptimizer, Given),
    ("deepspeed_config.offload_param_device", C::OffloadParam, Given),
    ("deepspeed_config.gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
];

/// accelerate 1.15.0 commands/config/config_args.py. The prefix `fsdp_` may be missing (commands/launch.py:1270).
const KEYS_OF_MEMORY: &[Row] = &[
    ("deepspeed_config.gradient_clipping", C::MaxGradNorm, Given),
    ("deepspeed_config.zero3_save_16bit_model", C::Gather16bitOnSave, Truth),
    ("fsdp_config.fsdp_version", C::FsdpVersion, Given),
    ("fsdp_config.version", C::FsdpVersion, Given),
    ("fsdp_config.fsdp_sharding_strategy", C::FsdpSharding, Sharding),
    ("fsdp_config.sharding_strategy", C::FsdpSharding, Sharding),
    ("fsdp_config.fsdp_reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.fsdp_auto_wrap_policy", C::FsdpWrap, Given),
    ("fsdp_config.auto_wrap_policy", C::FsdpWrap, Given),
    ("fsdp_config.fsdp_offload_params", C::FsdpOffload, Truth),
    ("fsdp_config.offload_params", C::FsdpOffload, Truth),
    ("fsdp_config.fsdp_activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.fsdp_state_dict_type", C::FsdpStateDict, Given),
    ("fsdp_config.state_dict_type", C::FsdpStateDict, Given),
    ("parallelism_config.parallelism_config_tp_size", C::TensorParallelSize, Given),
    ("parallelism_config.parallelism_config_cp_size", C::ContextParallelSize, Given),
];
