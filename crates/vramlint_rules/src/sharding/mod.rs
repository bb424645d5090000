//! `VL5`: DeepSpeed and FSDP.

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
