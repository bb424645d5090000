//! `VL1`: processes and devices.

mod device_map_auto_in_training;
mod device_map_invalid;
mod device_map_refused;
mod gpu_ids_not_text;
mod max_memory_invalid;
mod max_memory_unused;
mod multi_gpu_one_process;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[
    &device_map_auto_in_training::RULE,
    &device_map_invalid::RULE,
    &device_map_refused::RULE,
    &gpu_ids_not_text::RULE,
    &max_memory_invalid::RULE,
    &max_memory_unused::RULE,
    &multi_gpu_one_process::RULE,
];
