//! `VL9`: reinforcement learning and generation.

mod generation_batch_twice;
mod group_batch;
mod kto_batch_of_one;
mod packing_without_length;
mod reference_beside_adapters;
mod reference_is_policy;
mod reference_sync;
mod single_generation;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &generation_batch_twice::RULE,
    &group_batch::RULE,
    &kto_batch_of_one::RULE,
    &packing_without_length::RULE,
    &reference_beside_adapters::RULE,
    &reference_is_policy::RULE,
    &reference_sync::RULE,
    &single_generation::RULE,
];
