//! VL3: memory.

pub(crate) mod card_mostly_empty;
pub(crate) mod checkpointing_absent;
pub(crate) mod does_not_fit;
mod figures;
mod fixes;
pub(crate) mod gather_at_save;
mod held;
pub(crate) mod host_memory_too_small;
mod insert;
pub(crate) mod little_headroom;
pub(crate) mod logits_dominate;
pub(crate) mod model_loaded_twice;
mod places;
pub(crate) mod weights_in_fp32;
