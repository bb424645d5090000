//! Linear layers and their adapters.

use super::dora;
use super::modules::{LinearModule, Scaling};
use crate::tape::{Operand, Tape, Tensor, Weight};

/// A linear layer with its adapter: `base(x) + up(down(dropout(x))) * scale`.
pub(crate) fn linear(t: &Tape, x: &Tensor, module: &LinearModule) -> Tensor {
    if let Some(scaling) = module.scaling {
        return scaled(t, x, module, scaling);
    }
    let result = t.linear_module(x, &module.base);
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
        let low = t.linear_module(dropped, &adapter.down);
        let high = t.linear_module(low, &adapter.up);
        t.mul(high, Operand::Scalar)
    };
    let sum = t.add(result, delta);
    t.cast(sum, width)
}

/// A layer whose input or output a trained vector scales (peft 0.21.2 tuners/ia3/layer.py).
fn scaled(t: &Tape, x: &Tensor, module: &LinearModule, scaling: Scaling) -> Tensor {
    let vector = t.mul(t.weight(scaling.vector), Operand::Scalar);
    if scaling.of_input {
        let wide = t.cast(x, vector.width);
        let product = t.mul(wide, Operand::Rows(&vector));
        return t.linear_module(t.cast(product, x.width), &module.base);
    }
    let result = t.linear_module(x, &module.base);
    let product = t.mul(&result, Operand::Rows(&vector));
    t.cast(product, result.width)
}
