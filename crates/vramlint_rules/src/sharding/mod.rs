//! `VL5`: DeepSpeed and FSDP.

mod accumulation_overruled;
mod activation_checkpointing_block_inert;
mod argument_not_read;
mod bucket_auto_without_hidden_size;
mod bucket_larger_than_gpu;
mod deepspeed_auto_unresolved;
mod deepspeed_clipping_off;
mod deepspeed_file_and_accelerate_key;
mod deepspeed_file_not_found;
mod deepspeed_json_and_prepare;
mod deepspeed_one_process;
mod deepspeed_optimizer_params;
mod deepspeed_optimizer_unknown;
pub(crate) mod deepspeed_parallel_sizes;
mod deepspeed_precision_conflict;
mod deepspeed_schedule;
mod deepspeed_trainer_mismatch;
mod fp32_gradients_unsharded;
mod fsdp_settings_clash;
mod fsdp_without_gpu;
mod fsdp_without_wrap_policy;
mod legacy_zero_key;
mod micro_batch_differs_from_loader;
mod nvme_without_path;
mod offload_with_own_optimizer;
mod parallelism_sizes_clash;
mod precision_and_deepspeed_json;
mod prepare_under_fsdp2;
mod trainer_without_zero_block;
mod vocabulary_size_unaligned;
mod zero_key_without_its_stage;
mod zero_optimizer_untested;
mod zero_options_conflict;
mod zero_without_optimizer;
mod zero_without_stage;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &accumulation_overruled::RULE,
    &activation_checkpointing_block_inert::RULE,
    &argument_not_read::RULE,
    &bucket_auto_without_hidden_size::RULE,
    &bucket_larger_than_gpu::RULE,
    &deepspeed_auto_unresolved::RULE,
    &deepspeed_clipping_off::RULE,
    &deepspeed_file_and_accelerate_key::RULE,
    &deepspeed_file_not_found::RULE,
    &deepspeed_json_and_prepare::RULE,
    &deepspeed_one_process::RULE,
    &deepspeed_optimizer_params::RULE,
    &deepspeed_optimizer_unknown::RULE,
    &deepspeed_parallel_sizes::RULE,
    &deepspeed_precision_conflict::RULE,
    &deepspeed_schedule::RULE,
    &deepspeed_trainer_mismatch::RULE,
    &fp32_gradients_unsharded::RULE,
    &fsdp_settings_clash::RULE,
    &fsdp_without_gpu::RULE,
    &fsdp_without_wrap_policy::RULE,
    &legacy_zero_key::RULE,
    &micro_batch_differs_from_loader::RULE,
    &nvme_without_path::RULE,
    &offload_with_own_optimizer::RULE,
    &parallelism_sizes_clash::RULE,
    &precision_and_deepspeed_json::RULE,
    &prepare_under_fsdp2::RULE,
    &trainer_without_zero_block::RULE,
    &vocabulary_size_unaligned::RULE,
    &zero_key_without_its_stage::RULE,
    &zero_optimizer_untested::RULE,
    &zero_options_conflict::RULE,
    &zero_without_optimizer::RULE,
    &zero_without_stage::RULE,
];
