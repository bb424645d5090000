//! `VL7`: data loading and throughput.

mod dataloader_refused;
mod dataloader_without_workers;
mod keys_exclude_each_other;
mod packing_not_possible;

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
    &dataloader_refused::RULE,
    &dataloader_without_workers::RULE,
    &keys_exclude_each_other::RULE,
    &packing_not_possible::RULE,
];
