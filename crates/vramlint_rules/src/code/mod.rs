//! `VL6`: Python code.

mod identical_branches;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &identical_branches::RULE,
];
