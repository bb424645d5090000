//! Linear layers with their adapters, MLPs and experts.

use super::layers::{LinearModule, MlpModule};
use crate::arch::{Activation, Mlp};
use crate::tape::{Linear, Module, Other, Tape, Tensor, Weight};

/// A linear layer, and beside it the adapter: `base(x) + up(down(dropout(x))) * scale`.
pub(crate) fn linear(t: &Tape, x: &Tensor, module: &LinearModule) -> Tensor {
    let result = plain(t, x, &module.base);
    let Some(adapter) = &module.adapter else { return result };
    let width = result.width;
    // PEFT casts the input to the adapter's type, except under autocast.
    let x = match (t.autocast_width(), adapter.down.weight) {
        (None, Weight::Plain(weight)) => t.cast(x, t.with_param(weight, |param| param.width())),
        _ => x.clone(),
    };
    let delta = {
        let dropped = if adapter.dropout { t.dropout(&x) } else { x.clone() };
        let low = plain(t, dropped, &adapter.down);
        let high = plain(t, low, &adapter.up);
        t.mul(high, Other::Scalar)
    };
    let sum = t.add(result, delta);
    t.cast(sum, width)
}

/// A linear layer as a module.
fn plain(t: &Tape, x: impl std::borrow::Borrow<Tensor>, layer: &Linear) -> Tensor {
    let (Weight::Plain(weight) | Weight::FourBit(weight) | Weight::Int8(weight)) = layer.weight;
    t.module(Module::leaf([Some(weight), layer.bias]), x, |t, x| t.linear(x, layer))
}

fn activate(t: &Tape, x: Tensor, activation: Activation) -> Tensor {
    match activation {
        Activation::Kernel => t.from_input(x),
        Activation::Relu => t.from_result(x),
        Activation::GeluNew => gelu_new(t, x),
        Activation::ReluSquared => t.square(t.from_result(x)),
        Activation::QuickGelu => {
            let gate = t.from_result(t.mul(&x, Other::Scalar));
            t.mul(&x, Other::Same(&gate))
        }
        Activation::BloomGelu => t.from_input(x),
    }
}

/// `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))`; autocast runs the power in fp32.
fn gelu_new(t: &Tape, x: Tensor) -> Tensor {
    let half = t.mul(&x, Other::Scalar);
    let inner = {
        let cubed = if t.autocast_width().is_some() { t.power(t.cast(&x, 4)) } else { t.power(&x) };
        let scaled = t.mul(cubed, Other::Scalar);
        let sum = t.add(&x, scaled);
        t.mul(sum, Other::Scalar)
    };
    let gate = t.add_broadcast(t.from_result(inner), Other::Scalar);
    t.mul(half, Other::Same(&gate))
}

/// The MLP of a block over normed hidden states.
pub(crate) fn mlp(t: &Tape, x: &Tensor, module: &MlpModule, shape: &Mlp) -> Tensor {
    match (module, shape) {
        (MlpModule::Gated { gate, up: Some(up), down }, Mlp::Gated { activation, .. }) => {
            let product = {
                let gated = activate(t, linear(t, x, gate), *activation);
                let up = linear(t, x, up);
                t.mul(gated, Other::Same(&up))
            };
            linear(t, &product, down)
        }
        (MlpModule::Gated { gate, up: None, down }, Mlp::Gated { activation, .. }) => {
            let both = linear(t, x, gate);
            let half = both.numel / 2;
            let mut parts = t.split(&both, &[half, half]).into_iter();
            drop(both);
            let (Some(first), Some(second)) = (parts.next(), parts.next()) else { unreachable!("two sizes give two parts") };
            let product = {
                let gated = activate(t, first, *activation);
                t.mul(gated, Other::Same(&second))
            };
            drop(second);
            linear(t, &product, down)
        }
        (MlpModule::Plain { up, down }, Mlp::Plain { activation, .. }) => {
            let inner = activate(t, linear(t, x, up), *activation);
            linear(t, &inner, down)
        }
        _ => todo!("experts"),
    }
}
