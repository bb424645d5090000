//! Activation functions.

use crate::arch::Activation;
use crate::tape::{Operand, ParamId, Tape, Tensor};

/// An activation function.
pub(crate) fn activate(t: &Tape, x: Tensor, activation: Activation) -> Tensor {
    match activation {
        Activation::Kernel | Activation::Xielu => t.unary_saving_input(x),
        Activation::Relu => t.unary_saving_output(x),
        Activation::GeluNew => gelu_new(t, x),
        Activation::ReluSquared => {
            // Autocast runs the power in fp32.
            let positive = t.unary_saving_output(x);
            if t.autocast_width().is_some() { t.square(t.cast(positive, 4)) } else { t.square(positive) }
        }
        Activation::QuickGelu => {
            let gate = t.unary_saving_output(t.mul(&x, Operand::Scalar));
            t.mul(&x, Operand::Same(&gate))
        }
        Activation::GaussianTopK => t.unary_saving_input(highest(t, &x)),
        Activation::BloomGelu => t.bloom_gelu(&x),
        Activation::EsmGelu => esm_gelu(t, x),
    }
}

/// What exceeds a quantile of a normal distribution of each row (`_gaussian_topk`). Rows are as long as they are wide in any model: one
/// number each counts as nothing.
fn highest(t: &Tape, x: &Tensor) -> Tensor {
    let mean = t.mean_last(x, 1);
    let deviation = t.deviation(x);
    let cutoff = t.add(mean, deviation);
    let above = t.add_broadcast(x, Operand::Columns(&cutoff));
    t.unary_saving_output(above)
}

/// `x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0)))`.
fn esm_gelu(t: &Tape, x: Tensor) -> Tensor {
    let half = t.mul(&x, Operand::Scalar);
    let gate = {
        let scaled = t.div_scalar(&x);
        t.add_broadcast(t.erf(scaled), Operand::Scalar)
    };
    let out = t.mul(half, Operand::Same(&gate));
    drop(x);
    out
}

/// `0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3)))`; autocast runs the power in fp32.
fn gelu_new(t: &Tape, x: Tensor) -> Tensor {
    let half = t.mul(&x, Operand::Scalar);
    let inner = {
        let cubed = if t.autocast_width().is_some() { t.power(t.cast(&x, 4)) } else { t.power(&x) };
        let scaled = t.mul(cubed, Operand::Scalar);
        let sum = t.add(&x, scaled);
        t.mul(sum, Operand::Scalar)
    };
    let gate = t.add_broadcast(t.unary_saving_output(inner), Operand::Scalar);
    let out = t.mul(half, Operand::Same(&gate));
    drop(x);
    out
}

/// `XIELUActivation` in Python: both branches are computed for every element.
pub(super) fn xielu(t: &Tape, x: &Tensor, own: &[ParamId; 2]) -> Tensor {
    let number = |id: ParamId| t.unary_saving_input(t.weight(id));
    let (positive, negative) = (number(own[0]), t.add_broadcast(number(own[1]), Operand::Scalar));
    let above = t.empty(x.numel, 1);
    let right = {
        let squared = {
            let scaled = t.mul(x, Operand::Rows(&positive));
            t.mul(scaled, Operand::Same(x))
        };
        let line = t.mul(x, Operand::Scalar);
        t.add(squared, line)
    };
    let left = {
        let grown = {
            let curve = {
                let least = t.unary_saving_input(x);
                // Autocast runs `expm1` in fp32.
                t.unary_saving_output(if t.autocast_width().is_some() { t.cast(least, 4) } else { least })
            };
            let shifted = t.add(curve, x);
            t.mul(shifted, Operand::Rows(&negative))
        };
        let line = t.mul(x, Operand::Scalar);
        t.add(grown, line)
    };
    t.select_where(above, right, left)
}
