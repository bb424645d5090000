//! Mixtures of experts. All experts of a block are two matrices in three dimensions; the tokens are sorted by expert and multiplied
//! in groups (transformers 5.23, `integrations/moe.py`, `grouped_mm_experts_forward`, the default).

use super::gated_mlp::gated_mlp;
use super::linear::linear;
use super::modules::{ExpertsModule, LoraFactors, MlpModule};
use super::parametrized_adapters::ParametrizedWeight;
use super::router::route;
use crate::arch::{Activation, Experts, Router};
use crate::tape::{Operand, ParamId, Tape, Tensor, Weight};

/// The experts of a block over normed hidden states.
pub(super) fn experts(t: &Tape, x: &Tensor, module: &ExpertsModule, shape: &Experts, hidden: u64) -> Tensor {
    let shared_expert = |t: &Tape| match module.shared.as_deref() {
        Some(MlpModule::Gated { gate, up: Some(up), down }) => Some(gated_mlp(t, x, (gate, up, down), Activation::Kernel)),
        _ => None,
    };
    if shape.router == Router::AllExperts {
        return every(t, x, module, shape, hidden, &shared_expert);
    }
    let early = shape.shared.filter(|shared| shared.runs_first).and_then(|_| shared_expert(t));
    let routed = route(t, x, module, shape, hidden);
    let out = grouped(t, x, module, shape, hidden, (&routed.weights, &routed.places));
    match early {
        Some(early) => {
            let early = match &module.shared_gate {
                Some(gate) => {
                    let gate = t.unary_saving_output(linear(t, x, gate));
                    t.mul(&early, Operand::Columns(&gate))
                }
                None => early,
            };
            t.add(&out, &early)
        }
        None => match shared_expert(t) {
            Some(late) => t.add(&out, late),
            None => out,
        },
    }
}

/// The matrices of all experts, as their product takes them.
enum Matrices {
    /// One matrix in three dimensions.
    Whole(ParametrizedWeight),
    /// Quantized ones, dequantized one at a time; adapters have products of their own.
    OneByOne(Weight, Option<LoraFactors>),
}

impl Matrices {
    /// The rows of each expert times its matrix: `numel` elements.
    fn product(&self, t: &Tape, x: &Tensor, offsets: &Tensor, numel: u64, count: u64) -> Tensor {
        let (weight, factors) = match self {
            Self::Whole(whole) => return t.grouped_mm(x, &whole.materialize(t), offsets, numel),
            Self::OneByOne(weight, factors) => (weight, factors),
        };
        let out = t.product_one_by_one(x, *weight, numel, count);
        let Some(factors) = factors else { return out };
        let ranks = t.with_param(factors.down, |param| param.shape[0]) / count.max(1);
        let columns = t.with_param(factors.down, |param| param.shape[1]).max(1);
        let cast = |id| t.cast(t.weight(id), x.width);
        let low = t.grouped_mm(x, &cast(factors.down), offsets, x.numel / columns * ranks);
        let added = t.grouped_mm(&low, &cast(factors.up), offsets, numel);
        t.add(&out, added)
    }
}

/// `grouped_mm_experts_forward`.
pub(super) fn grouped(
    t: &Tape,
    x: &Tensor,
    module: &ExpertsModule,
    shape: &Experts,
    hidden: u64,
    (weights, places): (&Tensor, &Tensor),
) -> Tensor {
    let pairs = places.numel;
    let matrices = |weight: Weight, factors: Option<LoraFactors>| match weight {
        Weight::Plain(_) => Matrices::Whole(ParametrizedWeight::prepare(t, weight, factors)),
        _ if module.one_by_one => Matrices::OneByOne(weight, factors),
        _ => Matrices::Whole(ParametrizedWeight::prepare(t, weight, factors)),
    };
    let down = matrices(module.down, module.adapters.down);
    let gate_up = matrices(module.gate_up, module.adapters.gate_up);
    let (sorted, order) = t.sort(places);
    let selected = {
        let tokens = t.empty(pairs, 8);
        t.index_rows(x, &tokens, pairs * hidden)
    };
    let weights = t.index_rows(weights, &order, pairs);
    let counted = (t.empty(pairs, 4), t.empty(shape.count, 4));
    let offsets = t.empty(shape.count, 4);
    t.workspace(1023);
    let bias = |id: ParamId, columns: u64| t.index_rows(t.weight(id), &sorted, pairs * columns);
    let first = module.biases.map(|ids| bias(ids[0], 2 * shape.inner));
    let both = gate_up.product(t, &selected, &offsets, pairs * 2 * shape.inner, shape.count);
    let both = add_bias(t, both, first.as_ref());
    let inner = gate(t, &both, shape);
    drop(both);
    let second = module.biases.map(|ids| bias(ids[1], hidden));
    drop(first);
    let out = down.product(t, &inner, &offsets, pairs * hidden, shape.count);
    let out = add_bias(t, out, second.as_ref());
    drop(inner);
    let weighted = t.mul(&out, Operand::Columns(&weights));
    let back = t.empty(pairs, 8);
    drop(t.empty(pairs, 8));
    let weighted = t.index_rows(weighted, &back, pairs * hidden);
    let sum = t.sum_dim(&weighted, x.numel);
    let result = t.cast(sum, x.width);
    drop((weighted, second, out, counted, selected));
    result
}

/// `out.add_(bias)`.
fn add_bias(t: &Tape, out: Tensor, bias: Option<&Tensor>) -> Tensor {
    match bias {
        Some(bias) => t.add_in_place(out, bias),
        None => out,
    }
}

/// `act(gate) * up`, or what gpt-oss does: both clamped, a gate of its own.
fn gate(t: &Tape, both: &Tensor, shape: &Experts) -> Tensor {
    let half = both.numel / 2;
    if shape.clamped {
        let gate = t.clamp(t.slice(both, half), 1);
        let up = t.clamp(t.slice(both, half), 2);
        let opened = {
            let curve = {
                let scaled = t.mul(&gate, Operand::Scalar);
                t.unary_saving_output(scaled)
            };
            t.mul(&gate, Operand::Same(&curve))
        };
        let lifted = t.add_broadcast(up, Operand::Scalar);
        return t.mul(lifted, Operand::Same(&opened));
    }
    let parts = t.split(both, &[half, half]);
    let gated = t.unary_saving_input(&parts[0]);
    t.mul(gated, Operand::Same(&parts[1]))
}

/// `torch.bmm` with the matrices of all experts, with the casts of autocast.
fn product(t: &Tape, x: &Tensor, weight: ParamId, numel: u64) -> Tensor {
    let weight = t.compute_weight(weight);
    let x = t.autocast_width().map_or_else(|| x.clone(), |width| t.cast(x, width));
    t.bmm(x, weight, numel)
}

/// Llama 4: every expert sees every token, weighted by a score that is zero for all but the chosen ones.
fn every(
    t: &Tape,
    x: &Tensor,
    module: &ExpertsModule,
    shape: &Experts,
    hidden: u64,
    shared_expert: &dyn Fn(&Tape) -> Option<Tensor>,
) -> Tensor {
    let routed = route(t, x, module, shape, hidden);
    let all = shape.count * x.numel;
    let tokens = x.numel / hidden.max(1);
    let inputs = {
        let repeated = t.repeat(x, shape.count);
        let scores = t.contiguous(&routed.weights);
        t.mul(repeated, Operand::Columns(&scores))
    };
    let out = {
        let both = product(t, &inputs, module.gate_up.id(), shape.count * tokens * 2 * shape.inner);
        let half = both.numel / 2;
        let parts = t.split(&both, &[half, half]);
        let inner = {
            let gated = t.unary_saving_input(&parts[0]);
            t.mul(&parts[1], Operand::Same(&gated))
        };
        product(t, &inner, module.down.id(), all)
    };
    let sum_of = |t: &Tape| t.sum_dim(&out, x.numel);
    match shared_expert(t) {
        Some(shared) => {
            let sum = sum_of(t);
            t.add_in_place(shared, &sum)
        }
        None => sum_of(t),
    }
}
