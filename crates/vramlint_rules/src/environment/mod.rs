//! `VL8`: environment.

mod allocator_setting_invalid;
mod allocator_setting_shadowed;
mod allocator_setting_unsupported;
mod environment_set_too_late;
mod environment_value_not_text;
mod rank_variables_left_over;
mod variable_not_exported;
mod visible_devices_misread;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &allocator_setting_invalid::RULE,
    &allocator_setting_shadowed::RULE,
    &allocator_setting_unsupported::RULE,
    &environment_set_too_late::RULE,
    &environment_value_not_text::RULE,
    &rank_variables_left_over::RULE,
    &variable_not_exported::RULE,
    &visible_devices_misread::RULE,
];
