//! `VL1`: processes and devices.

mod accelerate_file_not_read;
mod conflicting_launch_flags;
mod deepspeed_file_unused;
mod device_map_auto_in_training;
mod device_map_invalid;
mod device_map_refused;
mod fewer_visible_devices_than_processes;
mod flag_without_its_mode;
mod fp8_not_available;
mod gpu_ids_not_text;
mod gpu_ids_repeated;
mod launch_flags_after_script;
mod machines_without_address;
mod max_memory_invalid;
mod max_memory_unused;
mod megatron_context_parallel_default;
mod mode_flag_replaces_file;
mod multi_gpu_one_process;
mod processes_and_gpu_ids;
mod processes_not_started;
mod processes_per_machine;
mod sagemaker_cannot_launch;
mod setting_overridden;
mod trainer_takes_every_gpu;
mod unknown_launch_flag;
mod use_cpu_not_passed_on;
mod variable_not_expanded;
mod variable_overwritten_by_launch;
mod visible_devices_ignored;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &accelerate_file_not_read::RULE,
    &conflicting_launch_flags::RULE,
    &deepspeed_file_unused::RULE,
    &device_map_auto_in_training::RULE,
    &device_map_invalid::RULE,
    &device_map_refused::RULE,
    &fewer_visible_devices_than_processes::RULE,
    &flag_without_its_mode::RULE,
    &fp8_not_available::RULE,
    &gpu_ids_not_text::RULE,
    &gpu_ids_repeated::RULE,
    &launch_flags_after_script::RULE,
    &machines_without_address::RULE,
    &max_memory_invalid::RULE,
    &max_memory_unused::RULE,
    &megatron_context_parallel_default::RULE,
    &mode_flag_replaces_file::RULE,
    &multi_gpu_one_process::RULE,
    &processes_and_gpu_ids::RULE,
    &processes_not_started::RULE,
    &processes_per_machine::RULE,
    &sagemaker_cannot_launch::RULE,
    &setting_overridden::RULE,
    &trainer_takes_every_gpu::RULE,
    &unknown_launch_flag::RULE,
    &use_cpu_not_passed_on::RULE,
    &variable_not_expanded::RULE,
    &variable_overwritten_by_launch::RULE,
    &visible_devices_ignored::RULE,
];
