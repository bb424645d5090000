//! `VL5`: DeepSpeed and FSDP.

mod deepspeed_file_and_accelerate_key;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[&deepspeed_file_and_accelerate_key::RULE];
