//! `VL2`: batch arithmetic.

mod claim;
mod claimed;
mod compare;
pub(crate) mod effective_batch_claim;
pub(crate) mod effective_batch_declared;
mod stated;
