//! `VL1`: processes and devices.

mod device_map_auto_in_training;
mod fewer_visible_devices_than_processes;
mod gpu_ids_not_text;
mod multi_gpu_one_process;
mod visible_devices_ignored;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[
    &fewer_visible_devices_than_processes::RULE,
    &visible_devices_ignored::RULE,
    &multi_gpu_one_process::RULE,
    &gpu_ids_not_text::RULE,
    &device_map_auto_in_training::RULE,
];
