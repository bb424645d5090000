//! `VL1`: processes and devices.

pub(crate) mod device_map_auto_in_training;
pub(crate) mod gpu_ids_not_text;
pub(crate) mod multi_gpu_one_process;
