//! `VL0`: what the readers stumble over, and what a loader makes of it.

mod duplicate_key;
mod file_too_large;
mod inert_key;
mod internal_error;
mod invalid_suppression;
mod invalid_value;
mod loads;
mod missing_key;
mod removed_key;
mod syntax_error;
mod unknown_key;
mod unknown_model;
mod unreadable_file;
mod unused_suppression;
mod wrong_type;
mod yaml_boolean_trap;
mod yaml_number_is_text;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[
    &internal_error::RULE,
    &syntax_error::RULE,
    &unused_suppression::RULE,
    &unreadable_file::RULE,
    &unknown_key::RULE,
    &yaml_boolean_trap::RULE,
    &duplicate_key::RULE,
    &yaml_number_is_text::RULE,
    &unknown_model::RULE,
    &file_too_large::RULE,
    &invalid_suppression::RULE,
    &wrong_type::RULE,
    &invalid_value::RULE,
    &removed_key::RULE,
    &missing_key::RULE,
    &inert_key::RULE,
];
