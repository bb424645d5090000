//! `VL5`: DeepSpeed and FSDP.

mod accumulation_overruled;
mod deepspeed_file_and_accelerate_key;
mod deepspeed_file_not_found;
mod deepspeed_json_and_prepare;
mod deepspeed_one_process;
mod fsdp_settings_clash;
mod fsdp_without_gpu;
mod fsdp_without_wrap_policy;
mod micro_batch_differs_from_loader;
mod parallelism_sizes_clash;
mod precision_and_deepspeed_json;
mod prepare_under_fsdp2;
pub(crate) mod config;
mod deepspeed_clipping_off;
mod deepspeed_file_and_accelerate_key;
mod deepspeed_optimizer_params;
mod deepspeed_optimizer_unknown;
mod deepspeed_precision_conflict;
mod deepspeed_schedule;
mod initialize;
mod legacy_zero_key;
mod nvme_without_path;
mod optimizers;
pub(crate) mod reader;
mod vocabulary_size_unaligned;
mod zero_key_without_its_stage;
mod zero_options_conflict;
mod zero_without_stage;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[
    &prepare_under_fsdp2::RULE,
    &accumulation_overruled::RULE,
    &micro_batch_differs_from_loader::RULE,
    &deepspeed_json_and_prepare::RULE,
    &precision_and_deepspeed_json::RULE,
    &deepspeed_one_process::RULE,
    &deepspeed_file_not_found::RULE,
    &parallelism_sizes_clash::RULE,
    &fsdp_without_gpu::RULE,
    &fsdp_without_wrap_policy::RULE,
    &fsdp_settings_clash::RULE,
    &deepspeed_schedule::RULE,
    &deepspeed_optimizer_params::RULE,
    &deepspeed_optimizer_unknown::RULE,
    &nvme_without_path::RULE,
    &vocabulary_size_unaligned::RULE,
    &deepspeed_clipping_off::RULE,
    &legacy_zero_key::RULE,
    &deepspeed_precision_conflict::RULE,
    &zero_without_stage::RULE,
    &zero_key_without_its_stage::RULE,
    &zero_options_conflict::RULE,
    &deepspeed_file_and_accelerate_key::RULE,
];
