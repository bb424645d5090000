//! VL3: memory.

mod card_mostly_empty;
mod checkpointing_absent;
mod does_not_fit;
mod figures;
mod fixes;
mod gather_at_save;
mod held;
mod host_memory_too_small;
mod insert;
mod little_headroom;
mod logits_dominate;
mod model_loaded_twice;
mod places;
mod weights_in_fp32;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[
    &does_not_fit::RULE,
    &little_headroom::RULE,
    &card_mostly_empty::RULE,
    &host_memory_too_small::RULE,
    &model_loaded_twice::RULE,
    &logits_dominate::RULE,
    &weights_in_fp32::RULE,
    &checkpointing_absent::RULE,
    &gather_at_save::RULE,
];
