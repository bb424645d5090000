//! `VL5`: DeepSpeed and FSDP.

pub(crate) mod deepspeed_file_and_accelerate_key;
