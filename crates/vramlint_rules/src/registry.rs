//! The list of all rules.

use crate::{Rule, batch, code, data, environment, generation, launch, memory, precision, sharding, syntax_and_keys};
use std::sync::LazyLock;

/// Every rule, by code.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let families = [
        syntax_and_keys::RULES,
        launch::RULES,
        batch::RULES,
        memory::RULES,
        precision::RULES,
        sharding::RULES,
        code::RULES,
        data::RULES,
        environment::RULES,
        generation::RULES,
    ];
    let mut rules = families.concat();
    rules.sort_by_key(|rule| rule.code);
    rules
});

/// The rule with this name or code.
pub fn find(name_or_code: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.name == name_or_code || rule.code.eq_ignore_ascii_case(name_or_code))
}
