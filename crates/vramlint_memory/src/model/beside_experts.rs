//! Experts that run beside the MLP of a block (transformers 5.23, `Gemma4TextDecoderLayer`, `Gemma4TextRouter`).

use super::experts::grouped;
use super::linear::linear;
use super::modules::{BesideModule, NormModule};
use super::norm::norm;
use super::router::norm_in_place;
use crate::arch::{Experts, Norm};
use crate::tape::{Operand, Tape, Tensor};

/// The sum of what the MLP and the experts make of `x`, the residual stream. `dense` is what comes out of the MLP.
pub(super) fn joined(t: &Tape, x: &Tensor, dense: &Tensor, shape: &Experts, module: &BesideModule) -> Tensor {
    let first = norm(t, dense, &module.norms[0]);
    let hidden = module.norms[1].columns;
    let tokens = x.numel / hidden.max(1);
    let (_scores, weights, places) = {
        let plain = NormModule { norm: Norm::RmsNoWeight, columns: hidden, weight: None, bias: None };
        let scaled = t.mul(norm(t, x, &plain), Operand::Rows(&t.weight(module.scales[0])));
        let scaled = t.mul(scaled, Operand::Scalar);
        let scores = t.softmax(t.cast(linear(t, &scaled, &module.experts.router), 4), 4);
        let (weights, places) = t.topk(&scores, tokens * shape.active);
        let weights = norm_in_place(t, &weights, tokens);
        let each = t.index_rows(t.weight(module.scales[1]), &places, places.numel);
        let weights = t.mul(weights, Operand::Same(&each));
        (scores, weights, places)
    };
    let second = norm(t, x, &module.norms[1]);
    let second = grouped(t, &second, &module.experts, shape, hidden, (&weights, &places));
    let second = norm(t, &second, &module.norms[2]);
    t.add(&first, &second)
}
