//! The list of all rules.

use crate::{Rule, batch, code, launch, memory, reading, sharding};

/// Every rule, by code.
pub static RULES: &[&Rule] = &[
    &reading::internal_error::RULE,
    &reading::syntax_error::RULE,
    &reading::unused_suppression::RULE,
    &reading::unreadable_file::RULE,
    &reading::unknown_key::RULE,
    &reading::yaml_boolean_trap::RULE,
    &reading::duplicate_key::RULE,
    &reading::yaml_number_is_text::RULE,
    &reading::unknown_model::RULE,
    &reading::file_too_large::RULE,
    &reading::invalid_suppression::RULE,
    &launch::multi_gpu_one_process::RULE,
    &launch::gpu_ids_not_text::RULE,
    &launch::device_map_auto_in_training::RULE,
    &batch::effective_batch_claim::RULE,
    &batch::effective_batch_declared::RULE,
    &memory::does_not_fit::RULE,
    &memory::little_headroom::RULE,
    &memory::card_mostly_empty::RULE,
    &memory::host_memory_too_small::RULE,
    &memory::model_loaded_twice::RULE,
    &memory::logits_dominate::RULE,
    &memory::weights_in_fp32::RULE,
    &memory::checkpointing_absent::RULE,
    &memory::gather_at_save::RULE,
    &sharding::deepspeed_file_and_accelerate_key::RULE,
    &code::identical_branches::RULE,
];

/// The rule with this name or code.
pub fn find(name_or_code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name_or_code || rule.code.eq_ignore_ascii_case(name_or_code))
}
