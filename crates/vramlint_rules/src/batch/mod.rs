//! `VL2`: batch arithmetic.

mod claim;
mod claimed;
mod compare;
mod effective_batch_claim;
mod effective_batch_declared;
mod stated;

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[&effective_batch_claim::RULE, &effective_batch_declared::RULE];
