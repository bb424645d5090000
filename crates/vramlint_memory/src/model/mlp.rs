//! Linear layers with their adapters, MLPs and experts.

use super::dora;
use super::experts::experts;
use super::layers::{LinearModule, MlpModule};
use crate::arch::{Activation, Mlp};
use crate::tape::{Linear, Module, Other, ParamId, Tape, Tensor, Weight};

/// A linear layer, and beside it the adapter: `base(x) + up(down(dropout(x))) * scale`.
pub(crate) fn linear(t: &Tape, x: &Tensor, module: &LinearModule) -> Tensor {
    let result = plain(t, x, &module.base);
    let Some(adapter) = &module.adapter else { return result };
    let width = result.width;
    // PEFT casts the input to the adapter's type; autocast casts what comes out of the dropout back.
    let x = match adapter.down.weight {
        Weight::Plain(weight) => t.cast(x, t.with_param(weight, |param| param.width())),
        _ => x.clone(),
    };
    let delta = if let Some(magnitude) = adapter.magnitude {
        dora::delta(t, &x, &module.base, &result, adapter, magnitude)
    } else {
        let dropped = if adapter.dropout { t.dropout(&x) } else { x.clone() };
        let low = plain(t, dropped, &adapter.down);
        let high = plain(t, low, &adapter.up);
        t.mul(high, Other::Scalar)
    };
    let sum = t.add(result, delta);
    t.cast(sum, width)
}

/// A linear layer as a module.
pub(super) fn plain(t: &Tape, x: impl std::borrow::Borrow<Tensor>, layer: &Linear) -> Tensor {
    let (Weight::Plain(weight) | Weight::FourBit { id: weight, .. } | Weight::Int8(weight)) = layer.weight;
    t.module(Module::leaf([Some(weight), layer.bias]), x, |t, x| t.linear(x, layer))
}

/// An activation function.
pub(crate) fn activate(t: &Tape, x: Tensor, activation: Activation) -> Tensor {
    match activation {
        Activation::Kernel | Activation::Xielu => t.keeping_input(x),
        Activation::Relu => t.keeping_result(x),
        Activation::GeluNew => gelu_new(t, x),
        Activation::ReluSquared => {
            // Autocast runs the power in fp32.
            let positive = t.keeping_result(x);
            if t.autocast_width().is_some() { t.square(t.cast(positive, 4)) } else { t.square(positive) }
        }
        Activation::QuickGelu => {
            let gate = t.keeping_result(t.mul(&x, Other::Scalar));
            t.mul(&x, Other::Same(&gate))
        }
        Activation::BloomGelu => t.bloom_gelu(&x),
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
    let gate = t.add_broadcast(t.keeping_result(inner), Other::Scalar);
    let out = t.mul(half, Other::Same(&gate));
    drop(x);
    out
}

/// `XIELUActivation` as Python: both branches are made everywhere.
fn xielu(t: &Tape, x: &Tensor, own: &[ParamId; 2]) -> Tensor {
    let number = |id: ParamId| t.keeping_input(t.weight(id));
    let (positive, negative) = (number(own[0]), t.add_broadcast(number(own[1]), Other::Scalar));
    let above = t.empty(x.numel, 1);
    let right = {
        let squared = {
            let scaled = t.mul(x, Other::Rows(&positive));
            t.mul(scaled, Other::Same(x))
        };
        let line = t.mul(x, Other::Scalar);
        t.add(squared, line)
    };
    let left = {
        let grown = {
            let curve = {
                let least = t.keeping_input(x);
                // Autocast runs `expm1` in fp32.
                t.keeping_result(if t.autocast_width().is_some() { t.cast(least, 4) } else { least })
            };
            let shifted = t.add(curve, x);
            t.mul(shifted, Other::Rows(&negative))
        };
        let line = t.mul(x, Other::Scalar);
        t.add(grown, line)
    };
    t.choose(above, right, left)
}

/// The MLP of a block over normed hidden states.
pub(crate) fn mlp(t: &Tape, x: &Tensor, module: &MlpModule, shape: &Mlp, hidden: u64) -> Tensor {
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
