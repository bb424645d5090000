//! `VL7`: data loading and throughput.
mod keys_exclude_each_other;
mod packing_not_possible;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &packing_not_possible::RULE,
    &keys_exclude_each_other::RULE,
];
