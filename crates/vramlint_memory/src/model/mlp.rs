//! The MLP of a block.

use super::activation::{activate, xielu};
use super::experts::experts;
use super::gated_mlp::gated_mlp;
use super::linear::linear;
use super::modules::MlpModule;
use crate::arch::Mlp;
use crate::tape::{Operand, Tape, Tensor};

/// The MLP of a block over normed hidden states.
pub(crate) fn mlp(t: &Tape, x: &Tensor, module: &MlpModule, shape: &Mlp, hidden: u64) -> Tensor {
    match (module, shape) {
        (MlpModule::Gated { gate, up: Some(up), down }, Mlp::Gated { activation, .. }) => {
            gated_mlp(t, x, (gate, up, down), *activation)
        }
        (MlpModule::Gated { gate, up: None, down }, Mlp::Gated { activation, .. }) => {
            let both = linear(t, x, gate);
            let half = both.numel / 2;
            let mut parts = t.split(&both, &[half, half]).into_iter();
            drop(both);
            let (Some(first), Some(second)) = (parts.next(), parts.next()) else { unreachable!("two sizes give two parts") };
            let product = {
                let gated = activate(t, first, *activation);
                t.mul(gated, Operand::Same(&second))
            };
            drop(second);
            linear(t, &product, down)
        }
        (MlpModule::Plain { up, down, own }, Mlp::Plain { activation, .. }) => {
            let inner = match own {
                Some(own) => xielu(t, &linear(t, x, up), own),
                None => activate(t, linear(t, x, up), *activation),
            };
            linear(t, &inner, down)
        }
        (MlpModule::Experts(module), Mlp::Experts(shape)) => experts(t, x, module, shape, hidden),
        _ => unreachable!("a module is loaded from its shape"),
    }
}
