//! Linear layers and their adapters.

use super::dora;
use super::modules::LinearModule;
use crate::tape::{Operand, Tape, Tensor, Weight};

/// A linear layer with its adapter: `base(x) + up(down(dropout(x))) * scale`.
pub(crate) fn linear(t: &Tape, x: &Tensor, module: &LinearModule) -> Tensor {
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
