//! DeepSpeed: its JSON.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::descriptor::{Accumulation, BatchArithmetic, COMMON, EstimateTraits, Framework, Loss};
use crate::Concept as C;
use crate::dialect::{Form::*, Row};

/// DeepSpeed.
pub(super) static FRAMEWORK: Framework = Framework {
    id: "deepspeed",
    name: "DeepSpeed",
    package: "deepspeed",
    keys: &[KEYS, KEYS_OF_MEMORY],
    batch: BatchArithmetic {
        accumulation: Accumulation::Stated,
        whole: &["train_batch_size"],
        source: "deepspeed 0.19.8 deepspeed/runtime/config.py:588-655",
        ..COMMON.batch
    },
    estimate: EstimateTraits { loss: Loss::Whole, ..COMMON.estimate },
    ..COMMON
};

/// deepspeed 0.19.8. `auto` stays: whoever reads the JSON replaces it.
const KEYS: &[Row] = &[
    ("train_micro_batch_size_per_gpu", C::MicroBatch, Given),
    ("gradient_accumulation_steps", C::GradientAccumulationSteps, Given),
    ("train_batch_size", C::EffectiveBatch, Given),
    ("zero_optimization", C::ZeroStage, TruthStage),
    ("zero_optimization.stage", C::ZeroStage, Given),
    ("zero_optimization.offload_optimizer.device", C::OffloadOptimizer, Given),
    ("zero_optimization.offload_param.device", C::OffloadParam, Given),
    ("zero_optimization.cpu_offload", C::OffloadOptimizer, Switch("cpu")),
    ("zero_optimization.cpu_offload_param", C::OffloadParam, Switch("cpu")),
    ("bf16.enabled", C::MixedPrecision, Switch("bf16")),
    ("bfloat16.enabled", C::MixedPrecision, Switch("bf16")),
    ("fp16.enabled", C::MixedPrecision, Switch("fp16")),
    ("optimizer.type", C::Optimizer, Given),
    ("optimizer.params.lr", C::LearningRate, Given),
];

/// deepspeed 0.19.8 runtime/config.py and runtime/zero/config.py.
const KEYS_OF_MEMORY: &[Row] = &[
    ("gradient_clipping", C::MaxGradNorm, Given),
    ("zero_optimization.reduce_bucket_size", C::ReduceBucketSize, Given),
    ("zero_optimization.allgather_bucket_size", C::AllgatherBucketSize, Given),
    ("zero_optimization.stage3_prefetch_bucket_size", C::Stage3PrefetchBucketSize, Given),
    ("zero_optimization.stage3_max_live_parameters", C::Stage3MaxLiveParameters, Given),
    ("zero_optimization.stage3_param_persistence_threshold", C::Stage3ParamPersistenceThreshold, Given),
    ("zero_optimization.sub_group_size", C::SubGroupSize, Given),
    ("zero_optimization.overlap_comm", C::OverlapComm, Truth),
    ("zero_optimization.contiguous_gradients", C::ContiguousGradients, Truth),
    ("zero_optimization.zero_hpz_partition_size", C::ZeroHpzPartitionSize, Given),
    ("zero_optimization.zero_quantized_weights", C::ZeroQuantizedWeights, Truth),
    ("zero_optimization.stage3_gather_16bit_weights_on_model_save", C::Gather16bitOnSave, Truth),
    ("zero_optimization.stage3_gather_fp16_weights_on_model_save", C::Gather16bitOnSave, Truth),
];
