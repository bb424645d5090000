//! Operations of torch: what each takes forward, what it keeps, what it takes backward.
//!
//! Operands are given by value where Python would drop a temporary after the call, by reference where a name keeps it.

pub(crate) mod attention;
mod bloom;
mod elementwise;
mod experts;
mod latent;
mod linear;
mod loss;
mod norm;
mod quantized;
mod shape;

pub(crate) use elementwise::Operand;
pub(crate) use linear::{Linear, Weight};
