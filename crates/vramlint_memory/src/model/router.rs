//! Routers: which experts see a token, and with which weight (transformers 5.23, the routers of the modeling files).

use super::linear::linear;
use super::modules::ExpertsModule;
use super::parametrized_adapters;
use crate::arch::{Experts, Router};
use crate::tape::{Operand, Tape, Tensor, Weight};

/// The result of routing.
pub(super) struct Routed {
    /// Weights of the chosen experts, a row per token.
    pub(super) weights: Tensor,
    /// Which were chosen.
    pub(super) places: Tensor,
    /// What lives as long as the block's experts.
    _logits: Tensor,
}

/// `F.linear` with the router's weight, to which an adapter has been added.
fn score(t: &Tape, x: &Tensor, module: &ExpertsModule) -> Tensor {
    let base = &module.router.base;
    match (module.adapters.router, base.weight) {
        (Some(factors), Weight::Plain(id)) => {
            let (weight, _delta) = parametrized_adapters::adapted_router(t, id, factors);
            let width = t.autocast_width().unwrap_or(weight.width);
            t.matmul(t.cast(x, width), t.cast(weight, width), None, base.output)
        }
        _ => linear(t, x, &module.router),
    }
}

/// Routes the tokens of `x`.
pub(super) fn route(t: &Tape, x: &Tensor, module: &ExpertsModule, shape: &Experts, hidden: u64) -> Routed {
    let tokens = x.numel / hidden.max(1);
    let chosen = tokens * shape.active;
    match shape.router {
        Router::Softmax { normalized, cast } => {
            let logits = score(t, x, module);
            let scores = t.softmax(t.cast(&logits, 4), 4);
            let (weights, places) = t.topk(scores, chosen);
            let weights = if normalized { norm_in_place(t, &weights, tokens) } else { weights };
            let weights = if cast { t.cast(weights, logits.width) } else { weights };
            Routed { weights, places, _logits: logits }
        }
        Router::TopSoftmax { fp32 } => {
            let logits = score(t, x, module);
            let logits = if fp32 { t.cast(logits, 4) } else { logits };
            let (highest, places) = t.topk(&logits, chosen);
            let width = highest.width;
            let weights = t.softmax(highest, width);
            let weights = if fp32 { t.cast(weights, x.width) } else { weights };
            Routed { weights, places, _logits: logits }
        }
        Router::Fp32 { sigmoid, normalized, grouped } => {
            let logits = wide(t, x, module);
            let scores = if sigmoid { t.unary_saving_output(&logits) } else { t.softmax(t.cast(&logits, 4), 4) };
            let (weights, places) = if sigmoid {
                let places = t.no_grad(|t| among_groups(t, &scores, chosen));
                (t.gather_by_index(scores, &places), places)
            } else if grouped {
                let (mask, masked) = (t.empty(scores.numel, 1), t.contiguous(&scores));
                drop((mask, scores));
                t.topk(masked, chosen)
            } else {
                t.topk(scores, chosen)
            };
            let weights = if normalized { norm_in_place(t, &weights, tokens) } else { weights };
            let weights = t.mul(weights, Operand::Scalar);
            Routed { weights, places, _logits: logits }
        }
        Router::Sigmoid { normalized, corrected } => {
            let logits = score(t, x, module);
            let scores = t.unary_saving_output(&logits);
            let (weights, places) = if corrected {
                let choice = t.empty(scores.numel, 4);
                let places = (t.empty(chosen, 4), t.empty(chosen, 8)).1;
                drop(choice);
                (t.gather_by_index(scores, &places), places)
            } else {
                t.topk(scores, chosen)
            };
            let weights = if normalized {
                let sum = t.add_broadcast(t.sum_last(&weights, tokens), Operand::Scalar);
                t.divide(&weights, &sum)
            } else {
                weights
            };
            let weights = t.mul(weights, Operand::Scalar);
            Routed { weights, places, _logits: logits }
        }
        Router::BiasCorrected => corrected(t, x, module, chosen, tokens),
        Router::SparseMixer => mixer(t, x, module, chosen, tokens),
        Router::AllExperts => {
            let logits = score(t, x, module);
            let weights = {
                let (highest, places) = t.topk(&logits, chosen);
                let spread = t.gather_by_index(t.empty(logits.numel, logits.width), &t.empty(0, 8));
                drop((spread, places));
                let scattered = scatter(t, highest, logits.numel);
                let open = t.unary_saving_output(t.cast(scattered, 4));
                t.cast(open, logits.width)
            };
            Routed { weights, places: t.empty_tensor(), _logits: logits }
        }
    }
}

/// `full_like(...).scatter_(1, places, values)`: backward picks the gradients of the values.
fn scatter(t: &Tape, values: Tensor, numel: u64) -> Tensor {
    t.pad(values, numel)
}

/// `F.linear(x.float(), weight.float())`; autocast casts both back.
fn wide(t: &Tape, x: &Tensor, module: &ExpertsModule) -> Tensor {
    let base = &module.router.base;
    let Weight::Plain(id) = base.weight else { return linear(t, x, &module.router) };
    let (stored, _delta) = match module.adapters.router {
        Some(factors) => parametrized_adapters::adapted_router(t, id, factors),
        None => (t.weight(id), t.empty_tensor()),
    };
    let (x, weight) = (t.cast(x, 4), t.cast(&stored, 4));
    match t.autocast_width() {
        Some(width) => {
            let weight =
                if stored.width == 4 && module.adapters.router.is_none() { t.compute_weight(id) } else { t.cast(weight, width) };
            t.matmul(t.cast(x, width), weight, None, base.output)
        }
        None => t.matmul(x, weight, None, base.output),
    }
}

/// `weights /= weights.sum(-1)`.
pub(super) fn norm_in_place(t: &Tape, weights: &Tensor, tokens: u64) -> Tensor {
    let sums = t.sum_last(weights, tokens);
    t.divide_in_place(weights, &sums)
}

/// The best experts of the best groups (DeepSeek-V3): outside the graph.
fn among_groups(t: &Tape, scores: &Tensor, chosen: u64) -> Tensor {
    let choice = t.empty(scores.numel, 4);
    let mask = t.empty(scores.numel, scores.width);
    let hidden = t.empty(scores.numel, 1);
    let masked = t.empty(scores.numel, 4);
    drop(choice);
    let values = t.empty(chosen, 4);
    let places = t.empty(chosen, 8);
    drop((values, masked, hidden, mask));
    places
}

/// ERNIE 4.5: a softmax in fp32 without autocast, a correction for the choice, weights divided by their sum.
fn corrected(t: &Tape, x: &Tensor, module: &ExpertsModule, chosen: u64, tokens: u64) -> Routed {
    let (logits, weights, places) = t.autocast(None, |t| {
        let logits = wide(t, x, module);
        let scores = t.softmax(&logits, 4);
        let places = t.no_grad(|t| {
            let choice = t.empty(scores.numel, 4);
            let places = (t.empty(chosen, 4), t.empty(chosen, 8)).1;
            drop(choice);
            places
        });
        let weights = t.gather_by_index(scores, &places);
        let least = t.unary_saving_input(t.sum_last(&weights, tokens));
        let weights = t.divide(&weights, &least);
        (logits, weights, places)
    });
    let weights = t.cast(weights, x.width);
    Routed { weights, places, _logits: logits }
}

/// Phi-3.5-MoE: `sparsemixer` chooses the two experts one after the other, each by a masked softmax.
fn mixer(t: &Tape, x: &Tensor, module: &ExpertsModule, chosen: u64, tokens: u64) -> Routed {
    let logits = score(t, x, module);
    let one = |scores: &Tensor| {
        let mask = t.no_grad(|t| {
            let difference = (t.empty(scores.numel, scores.width), t.empty(scores.numel, scores.width));
            let mask = t.empty(scores.numel, 1);
            drop(difference);
            mask
        });
        let masked = t.contiguous(scores);
        drop(mask);
        let place = t.no_grad(|t| {
            let noise = (t.empty(masked.numel, masked.width), t.empty(masked.numel, masked.width));
            let place = t.empty(tokens, 8);
            drop(noise);
            place
        });
        let width = if t.autocast_width().is_some() { 4 } else { masked.width };
        let gates = t.softmax(t.cast(&masked, width), width);
        let weight = t.gather_by_index(&gates, &place);
        let weight = t.mul(weight, Operand::Scalar);
        (weight, place, masked, gates)
    };
    let first = one(&logits);
    let rest = t.contiguous(&logits);
    let second = one(&rest);
    let weights = t.cat(&[&first.0, &second.0]);
    drop((first, rest, second));
    let places = t.empty(chosen, 8);
    Routed { weights, places, _logits: logits }
}
