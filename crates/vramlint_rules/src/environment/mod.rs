//! `VL8`: environment.

use crate::Rule;

/// The rules of this family, in any order.
#[rustfmt::skip]
pub(crate) const RULES: &[&Rule] = &[
];
