//! Adapters of experts. PEFT 0.21 cannot add a layer to a three-dimensional weight: it adds the low-rank product to the full weight
//! in every forward (`tuners/lora/layer.py`, `ParamWrapper`), and the sum lives until backward has used it.

use super::modules::LoraFactors;
use crate::tape::{Operand, ParamId, Tape, Tensor, Weight};

/// The weight of all experts with prepared factors; the sum is computed at first use.
pub(super) struct ParametrizedWeight {
    weight: Tensor,
    factors: Option<(Tensor, Tensor)>,
}

impl ParametrizedWeight {
    /// Casts the factors to the type of the weight, and computes the sum once (torch 2.15, `parametrize.py` validates a new
    /// parametrization by running it).
    pub(super) fn prepare(t: &Tape, weight: Weight, factors: Option<LoraFactors>) -> Self {
        let weight = t.dequantized(weight);
        let factors = factors.map(|LoraFactors { down, up }| {
            let left = t.cast(t.view_with_grad_copy(t.weight(up)), weight.width);
            (left, t.cast(t.weight(down), weight.width))
        });
        let folded = Self { weight, factors };
        drop(t.no_grad(|t| folded.materialize(t)));
        folded
    }

    /// The matrix, or the sum of it and the product of its factors (`baddbmm`).
    pub(super) fn materialize(&self, t: &Tape) -> Tensor {
        match &self.factors {
            None => self.weight.clone(),
            Some((left, right)) => t.baddbmm(&self.weight, left, right),
        }
    }
}

/// The weight of a router with its adapter: product, scale, cast and sum, after one validation run.
pub(super) fn adapted_router(t: &Tape, id: ParamId, factors: LoraFactors) -> (Tensor, Tensor) {
    let weight = t.weight(id);
    let delta = {
        let (up, down) = (t.weight(factors.up), t.weight(factors.down));
        let product = t.bmm(&up, &down, weight.numel);
        let scaled = t.mul(product, Operand::Scalar);
        t.cast(scaled, weight.width)
    };
    drop(t.no_grad(|t| t.add(&weight, &delta)));
    (t.add(&weight, &delta), delta)
}
