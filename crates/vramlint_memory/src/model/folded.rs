//! Adapters of experts. PEFT 0.21 cannot put a layer beside a matrix in three dimensions: it adds the low-rank product to the whole
//! of it in every forward (`tuners/lora/layer.py`, `ParamWrapper`), and the sum lives until backward has used it.

use crate::tape::{Other, ParamId, Tape, Tensor};

/// The two factors beside a matrix, or beside one for each expert.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    /// `lora_A`.
    pub(crate) down: ParamId,
    /// `lora_B`.
    pub(crate) up: ParamId,
}

/// Adapters of the experts of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ExpertAdapters {
    /// Of the router.
    pub(crate) router: Option<Factors>,
    /// Of gate and up.
    pub(crate) gate_up: Option<Factors>,
    /// Of the way down.
    pub(crate) down: Option<Factors>,
}

/// A matrix of all experts whose factors have been made ready; it is summed up where it is first used.
pub(super) struct Folded {
    weight: Tensor,
    factors: Option<(Tensor, Tensor)>,
}

impl Folded {
    /// Casts the factors to the type of the matrix, and tries the sum once (torch 2.15, `parametrize.py` checks a new
    /// parametrization by running it).
    pub(super) fn ready(t: &Tape, id: ParamId, factors: Option<Factors>) -> Self {
        let weight = t.weight(id);
        let factors = factors.map(|Factors { down, up }| {
            let left = t.cast(t.view_copied_back(t.weight(up)), weight.width);
            (left, t.cast(t.weight(down), weight.width))
        });
        let folded = Self { weight, factors };
        drop(t.no_grad(|t| folded.sum(t)));
        folded
    }

    /// The matrix, or the sum of it and the product of its factors (`baddbmm`).
    pub(super) fn sum(&self, t: &Tape) -> Tensor {
        match &self.factors {
            None => self.weight.clone(),
            Some((left, right)) => t.baddbmm(&self.weight, left, right),
        }
    }
}

/// The weight of a router with its adapter: product, scale, cast and sum, tried once before.
pub(super) fn router(t: &Tape, id: ParamId, factors: Factors) -> (Tensor, Tensor) {
    let weight = t.weight(id);
    let delta = {
        let (up, down) = (t.weight(factors.up), t.weight(factors.down));
        let product = t.bmm(&up, &down, weight.numel);
        let scaled = t.mul(product, Other::Scalar);
        t.cast(scaled, weight.width)
    };
    drop(t.no_grad(|t| t.add(&weight, &delta)));
    (t.add(&weight, &delta), delta)
}
