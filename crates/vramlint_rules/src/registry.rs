//! The list of all rules.

use crate::Rule;

/// Every rule, by code.
pub static RULES: &[&Rule] = &[];

/// The rule with this name or code.
pub fn find(name_or_code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name_or_code || rule.code.eq_ignore_ascii_case(name_or_code))
}
