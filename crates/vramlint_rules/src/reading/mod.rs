//! `VL0`: what the readers stumble over, and what a loader makes of it.

pub(crate) mod duplicate_key;
pub(crate) mod file_too_large;
pub(crate) mod internal_error;
pub(crate) mod invalid_suppression;
mod loads;
pub(crate) mod syntax_error;
pub(crate) mod unknown_key;
pub(crate) mod unknown_model;
pub(crate) mod unreadable_file;
pub(crate) mod unused_suppression;
pub(crate) mod yaml_boolean_trap;
pub(crate) mod yaml_number_is_text;
