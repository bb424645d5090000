//! `VL1`: processes and devices.

mod device_map_auto_in_training;
mod gpu_ids_not_text;
mod multi_gpu_one_process;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[&multi_gpu_one_process::RULE, &gpu_ids_not_text::RULE, &device_map_auto_in_training::RULE];
