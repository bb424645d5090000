//! `VL9`: reinforcement learning and generation.

mod generation_batch_set_twice;
mod group_batch_not_divisible;
mod kto_batch_of_one;
mod packing_without_length;
mod reference_is_the_model;
mod reference_model_beside_adapters;
mod reference_sync_without_reference;
mod reward_weights_count;
mod single_generation;
mod trl_needs_a_launcher;
mod vllm_share_too_large;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &generation_batch_set_twice::RULE,
    &group_batch_not_divisible::RULE,
    &kto_batch_of_one::RULE,
    &packing_without_length::RULE,
    &reference_is_the_model::RULE,
    &reference_model_beside_adapters::RULE,
    &reference_sync_without_reference::RULE,
    &reward_weights_count::RULE,
    &single_generation::RULE,
    &trl_needs_a_launcher::RULE,
    &vllm_share_too_large::RULE,
];
