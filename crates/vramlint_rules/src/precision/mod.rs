//! `VL4`: precision, quantization, adapters.

use crate::Rule;

/// The rules of this family, in any order.
pub(crate) const RULES: &[&Rule] = &[];
