//! `VL4`: precision, quantization, adapters.

mod batch_finder_refused;
mod best_model_out_of_step;
mod checkpointing_keys_disagree;
mod checkpointing_option_unknown;
mod fsdp_and_deepspeed;
mod fsdp_config_without_fsdp;
mod half_precision_twice;
mod needs_evaluation;
mod trainer_loader_without_workers;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &batch_finder_refused::RULE,
    &best_model_out_of_step::RULE,
    &checkpointing_keys_disagree::RULE,
    &checkpointing_option_unknown::RULE,
    &fsdp_and_deepspeed::RULE,
    &fsdp_config_without_fsdp::RULE,
    &half_precision_twice::RULE,
    &needs_evaluation::RULE,
    &trainer_loader_without_workers::RULE,
];
