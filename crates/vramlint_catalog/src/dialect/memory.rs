//! The keys of the tools that only decide about memory.
#![allow(clippy::enum_glob_use)] // a table of nothing else

use super::Dialect;
use super::tools::Row;
use super::value::Form::*;
use crate::Concept as C;

/// What a key says of a second concept.
pub(super) fn also(dialect: Dialect) -> &'static [Row] {
    match dialect {
        Dialect::HfTrainer | Dialect::Trl | Dialect::Unsloth | Dialect::MsSwift | Dialect::LlamaFactory => FSDP_WORDS,
        Dialect::Axolotl => AXOLOTL_ALSO,
        Dialect::Torchtune => TORCHTUNE_ALSO,
        _ => &[],
    }
}

/// The words of `fsdp`: transformers 5.23.0 training_args.py `_process_fsdp_args`.
const FSDP_WORDS: &[Row] =
    &[("fsdp", C::FsdpOffload, Word("offload")), ("fsdp", C::FsdpWrap, WordIs("auto_wrap", "TRANSFORMER_BASED_WRAP"))];

const AXOLOTL_ALSO: &[Row] = &[
    ("fsdp", C::FsdpOffload, Word("offload")),
    ("fsdp", C::FsdpWrap, WordIs("auto_wrap", "TRANSFORMER_BASED_WRAP")),
    ("plugins", C::FusedLoss, Plugins),
];

const TORCHTUNE_ALSO: &[Row] = &[("model._component_", C::UseDora, DoraBuilder)];

/// transformers 5.23.0 training_args.py. `fsdp_config` takes its keys with and without `fsdp_`.
pub(super) const ARGUMENTS: &[Row] = &[
    ("max_grad_norm", C::MaxGradNorm, Given),
    ("use_liger_kernel", C::FusedLoss, Either("liger", "none")),
    ("use_cache", C::UseCache, Truth),
    ("gradient_checkpointing_kwargs.use_reentrant", C::CheckpointingReentrant, Truth),
    ("activation_checkpointing_kwargs.use_reentrant", C::CheckpointingReentrant, Truth),
    ("dataloader_prefetch_factor", C::DataloaderPrefetchFactor, Given),
    ("torch_empty_cache_steps", C::EmptyCacheSteps, Given),
    ("fsdp", C::FsdpSharding, Sharding),
    ("fsdp_config.version", C::FsdpVersion, Given),
    ("fsdp_config.fsdp_version", C::FsdpVersion, Given),
    ("fsdp_config.reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.fsdp_reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.transformer_layer_cls_to_wrap", C::FsdpWrap, Fixed("TRANSFORMER_BASED_WRAP")),
    ("fsdp_config.fsdp_transformer_layer_cls_to_wrap", C::FsdpWrap, Fixed("TRANSFORMER_BASED_WRAP")),
    ("fsdp_config.min_num_params", C::FsdpWrap, Fixed("SIZE_BASED_WRAP")),
    ("fsdp_config.fsdp_min_num_params", C::FsdpWrap, Fixed("SIZE_BASED_WRAP")),
    ("fsdp_config.cpu_offload", C::FsdpOffload, Truth),
    ("fsdp_config.activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.fsdp_activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.state_dict_type", C::FsdpStateDict, Given),
    ("fsdp_config.fsdp_state_dict_type", C::FsdpStateDict, Given),
];

/// peft 0.21.2 `LoraConfig`, alone and as the block of a file.
pub(super) const LOADING: &[Row] = &[
    ("lora_dropout", C::LoraDropout, Given),
    ("use_dora", C::UseDora, Truth),
    ("modules_to_save", C::LoraModulesToSave, Names),
    ("peft_config.lora_dropout", C::LoraDropout, Given),
    ("peft_config.use_dora", C::UseDora, Truth),
    ("peft_config.modules_to_save", C::LoraModulesToSave, Names),
    ("lora_config.lora_dropout", C::LoraDropout, Given),
    ("lora_config.use_dora", C::UseDora, Truth),
    ("lora_config.modules_to_save", C::LoraModulesToSave, Names),
];

/// trl 1.16.0 trainer/*_config.py and model_config.py; `use_liger_loss` was there from 0.19 to 0.24.
pub(super) const TRL: &[Row] = &[
    ("use_liger_loss", C::FusedLoss, Either("liger", "none")),
    ("loss_type", C::FusedLoss, Loss),
    ("padding_free", C::PaddingFree, Truth),
    ("lora_modules_to_save", C::LoraModulesToSave, Names),
    ("beta", C::KlBeta, Given),
    ("precompute_ref_log_probs", C::PrecomputeRefLogProbs, Truth),
    ("use_vllm", C::VllmMode, Either("in use", "none")),
    ("vllm_mode", C::VllmMode, Given),
    ("vllm_gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("vllm_enable_sleep_mode", C::VllmSleep, Truth),
    ("model_init_kwargs.use_cache", C::UseCache, Truth),
];

/// LLaMA-Factory 0.9.6.dev0 src/llamafactory/hparams/*_args.py.
pub(super) const LLAMA_FACTORY: &[Row] = &[
    ("enable_liger_kernel", C::FusedLoss, Either("liger", "none")),
    ("lora_dropout", C::LoraDropout, Given),
    ("use_dora", C::UseDora, Truth),
    ("additional_target", C::LoraModulesToSave, Names),
    ("use_reentrant_gc", C::CheckpointingReentrant, Truth),
    ("freeze_trainable_layers", C::Freeze, FreezeLayers),
    ("pref_beta", C::KlBeta, Given),
];

/// Axolotl 0.18.0 src/axolotl/utils/schemas/*.py and integrations/*/args.py. The liger plugin alone does not fuse the loss.
pub(super) const AXOLOTL: &[Row] = &[
    ("liger_fused_linear_cross_entropy", C::FusedLoss, Switch("liger")),
    ("cut_cross_entropy", C::FusedLoss, Either("cut-cross-entropy", "none")),
    ("chunked_cross_entropy", C::FusedLoss, Switch("chunked")),
    ("lora_dropout", C::LoraDropout, Given),
    ("peft_use_dora", C::UseDora, Truth),
    ("lora_modules_to_save", C::LoraModulesToSave, Names),
    ("unfrozen_parameters", C::Freeze, Fixed("all-but-listed")),
    ("gradient_checkpointing_kwargs.use_reentrant", C::CheckpointingReentrant, Truth),
    ("max_grad_norm", C::MaxGradNorm, Given),
    ("dataloader_prefetch_factor", C::DataloaderPrefetchFactor, Given),
    ("rl_beta", C::KlBeta, Given),
    ("trl.beta", C::KlBeta, Given),
    ("precompute_ref_log_probs", C::PrecomputeRefLogProbs, Truth),
    ("trl.use_vllm", C::VllmMode, Either("in use", "none")),
    ("trl.vllm_mode", C::VllmMode, Given),
    ("trl.vllm_enable_sleep_mode", C::VllmSleep, Truth),
    ("vllm.gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("tensor_parallel_size", C::TensorParallelSize, Given),
    ("context_parallel_size", C::ContextParallelSize, Given),
    ("fsdp", C::FsdpSharding, Sharding),
    ("fsdp_version", C::FsdpVersion, Given),
    ("fsdp_config.fsdp_version", C::FsdpVersion, Given),
    ("fsdp_config.sharding_strategy", C::FsdpSharding, Sharding),
    ("fsdp_config.fsdp_sharding_strategy", C::FsdpSharding, Sharding),
    ("fsdp_config.reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.fsdp_reshard_after_forward", C::FsdpReshard, Truth),
    ("fsdp_config.auto_wrap_policy", C::FsdpWrap, Given),
    ("fsdp_config.fsdp_auto_wrap_policy", C::FsdpWrap, Given),
    ("fsdp_config.offload_params", C::FsdpOffload, Truth),
    ("fsdp_config.fsdp_offload_params", C::FsdpOffload, Truth),
    ("fsdp_config.activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.fsdp_activation_checkpointing", C::FsdpActivationCheckpointing, Truth),
    ("fsdp_config.state_dict_type", C::FsdpStateDict, Given),
    ("fsdp_config.fsdp_state_dict_type", C::FsdpStateDict, Given),
];

/// ms-swift 4.6.0.dev0 swift/arguments/**. Its sequence parallelism divides rows as context parallelism does.
pub(super) const MS_SWIFT: &[Row] = &[
    ("lora_dropout", C::LoraDropout, Given),
    ("use_dora", C::UseDora, Truth),
    ("modules_to_save", C::LoraModulesToSave, Names),
    ("freeze_llm", C::Freeze, Switch("llm")),
    ("padding_free", C::PaddingFree, Truth),
    ("beta", C::KlBeta, Given),
    ("use_vllm", C::VllmMode, Either("in use", "none")),
    ("vllm_mode", C::VllmMode, Given),
    ("vllm_gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("sleep_level", C::VllmSleep, Level),
    ("sequence_parallel_size", C::ContextParallelSize, Given),
];

/// torchtune 0.7.0 recipes/configs and recipes/*.py.
pub(super) const TORCHTUNE: &[Row] = &[
    ("loss._component_", C::FusedLoss, Loss),
    ("model.lora_dropout", C::LoraDropout, Given),
    ("model.use_dora", C::UseDora, Truth),
    ("clip_grad_norm", C::MaxGradNorm, Given),
    ("fsdp_cpu_offload", C::FsdpOffload, Truth),
    ("fsdp_reshard_after_forward", C::FsdpReshard, Truth),
    ("tensor_parallel_dim", C::TensorParallelSize, Given),
    ("context_parallel_dim", C::ContextParallelSize, Given),
];

/// OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py and train_sft.py, then the spellings before the dotted command line.
pub(super) const OPEN_RLHF: &[Row] = &[
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
    ("train.colocate_all", C::VllmMode, Switch("colocate")),
    ("colocate_all_models", C::VllmMode, Switch("colocate")),
    ("vllm.gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("vllm_gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given),
    ("vllm.enable_sleep", C::VllmSleep, Truth),
    ("vllm_enable_sleep", C::VllmSleep, Truth),
    ("init_kl_coef", C::KlBeta, Given),
];

/// unsloth 2026.8.19 models/loader.py and llama.py: `fast_inference` generates with vLLM on the same GPU.
pub(super) const UNSLOTH: &[Row] =
    &[("fast_inference", C::VllmMode, Switch("in process")), ("gpu_memory_utilization", C::VllmGpuMemoryUtilization, Given)];

/// pytorch-lightning 2.6.6 trainer/trainer.py.
pub(super) const LIGHTNING: &[Row] =
    &[("gradient_clip_val", C::MaxGradNorm, Given), ("trainer.gradient_clip_val", C::MaxGradNorm, Given)];

/// accelerate 1.15.0 commands/config/config_args.py. The prefix `fsdp_` may be missing (commands/launch.py:1270).
pub(super) const ACCELERATE: &[Row] = &[
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

/// deepspeed 0.19.8 runtime/config.py and runtime/zero/config.py.
pub(super) const DEEPSPEED: &[Row] = &[
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
