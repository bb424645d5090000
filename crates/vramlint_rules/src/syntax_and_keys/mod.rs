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
mod yaml_number_read_otherwise;

use crate::Rule;
use vramlint_base::{FileRange, Finding};
use vramlint_resolve::SourceFile;
use vramlint_semantic::schema::{self, Effect, KnownEntry, Violation};

/// Rules that the project layer reports: they are about reading a project, not about its content.
pub mod engine {
    pub use super::file_too_large::RULE as FILE_TOO_LARGE;
    pub use super::internal_error::RULE as INTERNAL_ERROR;
    pub use super::invalid_suppression::RULE as INVALID_SUPPRESSION;
    pub use super::unreadable_file::RULE as UNREADABLE_FILE;
    pub use super::unused_suppression::RULE as UNUSED_SUPPRESSION;
    use crate::Rule;

    /// All of them.
    pub static RULES: [&Rule; 5] =
        [&INTERNAL_ERROR, &UNUSED_SUPPRESSION, &UNREADABLE_FILE, &FILE_TOO_LARGE, &INVALID_SUPPRESSION];
}

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &duplicate_key::RULE,
    &file_too_large::RULE,
    &inert_key::RULE,
    &internal_error::RULE,
    &invalid_suppression::RULE,
    &invalid_value::RULE,
    &missing_key::RULE,
    &removed_key::RULE,
    &syntax_error::RULE,
    &unknown_key::RULE,
    &unknown_model::RULE,
    &unreadable_file::RULE,
    &unused_suppression::RULE,
    &wrong_type::RULE,
    &yaml_boolean_trap::RULE,
    &yaml_number_is_text::RULE,
    &yaml_number_read_otherwise::RULE,
];

/// The finding for an entry of a file whose value the program that reads it rejects.
fn violation_finding(rule: &Rule, file: &SourceFile, entry: &KnownEntry<'_>, by: &str, violation: &Violation) -> Finding {
    let written = entry.value.range().slice(&file.text);
    let message = schema::violation_message(by, Effect::Refused, &entry.row.path, written, violation);
    rule.finding(FileRange::new(file.id, entry.key.range().cover(entry.value.range())), message)
}
