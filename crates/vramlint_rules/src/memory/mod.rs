//! VL3: memory.

mod adapter_edits;
mod card_mostly_empty;
mod checkpointing_absent;
mod does_not_fit;
mod evaluation_logits_kept;
mod fixes;
mod format;
mod gather_at_save;
mod host_memory_too_small;
mod insert_setting;
mod little_headroom;
mod locations;
mod logits_dominate;
mod model_loaded_twice;
mod plan_edits;
mod repair_fix;
mod weights_in_fp32;

use crate::Rule;

pub use plan_edits::{edits_to_verify, joined_edits, plan_edits};
pub use repair_fix::repair_fix;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &card_mostly_empty::RULE,
    &checkpointing_absent::RULE,
    &does_not_fit::RULE,
    &evaluation_logits_kept::RULE,
    &gather_at_save::RULE,
    &host_memory_too_small::RULE,
    &little_headroom::RULE,
    &logits_dominate::RULE,
    &model_loaded_twice::RULE,
    &weights_in_fp32::RULE,
];
