//! DoRA (peft 0.21.2, `tuners/lora/dora.py`): the norm of the adapted weight is made anew in every forward, and with dropout the base
//! product is made again from a copy of the weight in the adapter's type.

use super::layers::Adapter;
use super::mlp::plain;
use crate::tape::{Linear, Other, ParamId, Tape, Tensor};

/// What is added to the result of the base layer. `x` is in the adapter's type.
pub(super) fn delta(t: &Tape, x: &Tensor, base: &Linear, result: &Tensor, adapter: &Adapter, magnitude: ParamId) -> Tensor {
    // Without dropout the result of the base layer is used again.
    let (x, again) = if adapter.dropout { (t.dropout(x), true) } else { (x.clone(), false) };
    let numel = base.input * base.output;
    // Its graph goes unused: the norm counts as a constant.
    let product = t.no_grad(|t| {
        let unit = t.empty(base.input * base.input, x.width);
        let low = t.empty(base.input * adapter.up.input, x.width);
        let product = t.empty(numel, x.width);
        (unit, low, product)
    });
    let weight = t.weight_as(base, x.width);
    let norm = t.no_grad(|t| {
        let scaled = t.empty(numel, x.width);
        let sum = t.empty(numel, x.width);
        drop(scaled);
        let norm = t.empty(base.output, x.width);
        drop(sum);
        norm
    });
    let scale = t.mul(t.weight(magnitude), Other::Same(&norm));
    let adapted = plain(t, plain(t, &x, &adapter.down), &adapter.up);
    let base_result = if again { t.product(x.clone(), weight.clone(), None, base.output) } else { result.clone() };
    let own = {
        let shifted = t.add_broadcast(&scale, Other::Scalar);
        t.mul(&base_result, Other::Rows(&shifted))
    };
    let turned = t.mul(adapted, Other::Rows(&scale));
    let turned = t.mul(turned, Other::Scalar);
    let out = t.add(own, turned);
    drop((product, weight, norm, base_result));
    out
}
