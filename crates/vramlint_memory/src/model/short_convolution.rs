//! The short convolution that stands in the place of attention (transformers 5.23, `Lfm2ShortConv`).

use super::batch::Batch;
use super::linear::linear;
use super::modules::{ConvolutionModule, LinearModule};
use crate::tape::{Operand, Tape, Tensor};

/// `out(C * conv(B * x))` of one projection to `B`, `C` and `x`.
pub(super) fn short_convolution(
    t: &Tape,
    x: &Tensor,
    (module, out): (&ConvolutionModule, &LinearModule),
    batch: Batch,
    padded: bool,
) -> Tensor {
    let masked = padded.then(|| {
        let mask = t.empty(batch.tokens(), x.width);
        t.mul(x, Operand::Columns(&mask))
    });
    let joined = t.view_with_grad_copy(linear(t, masked.as_ref().unwrap_or(x), &module.input));
    let part = joined.numel / 3;
    let mut parts = t.split(&joined, &[part; 3]).into_iter();
    drop((joined, masked));
    let (Some(before), Some(behind), Some(inner)) = (parts.next(), parts.next(), parts.next()) else {
        unreachable!("three sizes give three parts")
    };
    let product = t.mul(before, Operand::Same(&inner));
    drop(inner);
    let rows = part / batch.seq_len.max(1);
    let mixed = t.causal_convolution(&product, (module.filter, module.bias), rows, module.taps);
    drop(product);
    let gated = t.mul(behind, Operand::Same(&mixed));
    drop(mixed);
    linear(t, &gated, out)
}
