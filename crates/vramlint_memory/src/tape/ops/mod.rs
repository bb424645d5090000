//! Operations of torch: what each allocates in forward, saves, and allocates in backward.
//!
//! Operands are passed by value if Python would drop a temporary after the call, and by reference if a name keeps it alive.

pub(crate) mod attention;
mod bloom;
mod convolution;
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
