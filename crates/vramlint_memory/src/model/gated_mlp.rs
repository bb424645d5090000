//! The gated MLP with separate gate and up projections.

use super::activation::activate;
use super::linear::linear;
use super::modules::LinearModule;
use crate::arch::Activation;
use crate::tape::{Operand, Tape, Tensor};

/// `down(act(gate(x)) * up(x))`.
pub(super) fn gated_mlp(
    t: &Tape,
    x: &Tensor,
    (gate, up, down): (&LinearModule, &LinearModule, &LinearModule),
    activation: Activation,
) -> Tensor {
    let product = {
        let gated = activate(t, linear(t, x, gate), activation);
        let up = linear(t, x, up);
        t.mul(gated, Operand::Same(&up))
    };
    linear(t, &product, down)
}
