//! DoRA (peft 0.21.2, `tuners/lora/dora.py`): each forward recomputes the norm of the adapted weight, and with dropout it repeats the
//! base product from a copy of the weight in the adapter's type.

use super::modules::Adapter;
use crate::tape::{Linear, Operand, ParamId, Tape, Tensor};

/// What is added to the result of the base layer. `x` is in the adapter's type.
pub(super) fn delta(t: &Tape, x: &Tensor, base: &Linear, result: &Tensor, adapter: &Adapter, magnitude: ParamId) -> Tensor {
    // Without dropout the result of the base layer is used again.
    let (x, again) = if adapter.dropout { (t.dropout(x), true) } else { (x.clone(), false) };
    let numel = base.input * base.output;
    // The norm is treated as a constant, so its graph is not recorded.
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
    let scale = t.mul(t.weight(magnitude), Operand::Same(&norm));
    let adapted = t.linear_module(t.linear_module(&x, &adapter.down), &adapter.up);
    let base_result = if again { t.matmul(x.clone(), weight.clone(), None, base.output) } else { result.clone() };
    let own = {
        let shifted = t.add_broadcast(&scale, Operand::Scalar);
        t.mul(&base_result, Operand::Rows(&shifted))
    };
    let turned = t.mul(adapted, Operand::Rows(&scale));
    let turned = t.mul(turned, Operand::Scalar);
    let out = t.add(own, turned);
    drop((product, weight, norm, base_result));
    out
}
