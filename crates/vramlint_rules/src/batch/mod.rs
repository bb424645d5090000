//! `VL2`: batch arithmetic.

mod claim;
pub(crate) mod effective_batch_claim;
pub(crate) mod effective_batch_declared;
mod stated;
