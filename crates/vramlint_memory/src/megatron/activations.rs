//! What one block keeps for its backward, bytes on one rank.
//!
//! Transformer Engine's modules keep their inputs, a norm that is fused with a matrix its own input and its output, flash attention
//! queries, keys, values and its result, SwiGLU its input. Matrices that are frozen keep nothing, their adapters a copy of the input
//! after dropout with its mask (mcore-bridge 1.3 `tuners/lora.py`).

use super::local::{Division, Heads, heads, is_adapted};
use crate::arch::{Attention, Experts, Layer, Mlp, Projection};
use crate::setup::{Lora, RecomputedParts, Setup};

/// Bytes of a number of the residual stream.
const WIDTH: u64 = 2;
/// Bytes of a number of routers and of statistics of attention.
const WIDE: u64 = 4;

/// What one rank computes with.
pub(super) struct Rows<'a> {
    /// Tokens of a micro-batch.
    pub(super) tokens: u64,
    /// Tokens outside of matrices, which tensor ranks may share.
    pub(super) shared: u64,
    /// Positions with a cosine and a sine of their own.
    pub(super) positions: u64,
    pub(super) hidden: u64,
    pub(super) by: Division,
    pub(super) fused_rotary: bool,
    /// Numbers of the scores of one head, if they are written out.
    pub(super) scores: u64,
    pub(super) lora: Option<&'a Lora>,
}

impl<'a> Rows<'a> {
    pub(super) fn of(setup: &'a Setup, hidden: u64) -> Self {
        let own = &setup.parallel.megatron;
        let by = Division::of(setup);
        let length = setup.sequence_length.div_ceil(setup.parallel.context.max(1));
        let tokens = setup.rows().saturating_mul(length);
        let shared = if own.sequence_parallel { tokens.div_ceil(by.tensor) } else { tokens };
        let positions = if own.joins_rows { tokens } else { length };
        let scores = if own.writes_scores { tokens.saturating_mul(setup.sequence_length) } else { 0 };
        let (fused_rotary, lora) = (own.fused_rotary, setup.lora.as_ref());
        Self { tokens, shared, positions, hidden, by, fused_rotary, scores, lora }
    }

    /// The input of a block.
    pub(super) fn input(&self) -> u64 {
        product(&[WIDTH, self.shared, self.hidden])
    }

    /// What a matrix with `columns` input columns keeps of its input, if nothing else does: the input, or its copy for the adapter.
    fn matrix(&self, name: &str, tokens: u64, columns: u64) -> u64 {
        let input = product(&[WIDTH, tokens, columns]);
        match self.lora {
            None => input,
            Some(lora) if is_adapted(lora, name) => input.saturating_add(self.mask(name, tokens, columns)),
            Some(_) => 0,
        }
    }

    /// The mask of an adapter's dropout, one byte for each number.
    fn mask(&self, name: &str, tokens: u64, columns: u64) -> u64 {
        let drops = self.lora.is_some_and(|lora| lora.dropout && is_adapted(lora, name));
        if drops { tokens.saturating_mul(columns) } else { 0 }
    }

    /// The copy that an adapter keeps of an input that something else keeps too.
    fn copy(&self, name: &str, tokens: u64, columns: u64) -> u64 {
        let mask = self.mask(name, tokens, columns);
        if mask > 0 { mask.saturating_add(product(&[WIDTH, tokens, columns])) } else { 0 }
    }
}

/// What a block keeps, and what its backward needs besides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    /// Kept from forward to backward.
    pub(super) kept: u64,
    /// Of it, what experts keep of the tokens that they get.
    pub(super) routed: u64,
    /// Temporaries of backward.
    pub(super) backward: u64,
}

/// A block; `again` is computed again in backward and not kept.
pub(super) fn block(rows: &Rows, layer: &Layer, again: RecomputedParts) -> Block {
    let attention = attention(rows, &layer.attention, again);
    let mut mlp = match layer.mlp {
        Mlp::Experts(experts) => routed(rows, &experts, again),
        Mlp::Gated { inner, .. } => dense(rows, inner, 2, again.mlp),
        Mlp::Plain { inner, .. } => dense(rows, inner, 1, again.mlp),
    };
    if let Some(experts) = layer.beside {
        let beside = routed(rows, &experts, again);
        mlp.kept = mlp.kept.saturating_add(beside.kept);
        mlp.routed = mlp.routed.saturating_add(beside.routed);
        mlp.backward = mlp.backward.max(beside.backward);
    }
    // The residual stream before attention and before the MLP.
    let streams = rows.input().saturating_mul(2);
    Block { kept: sum(&[streams, attention.kept, mlp.kept]), routed: mlp.routed, backward: attention.backward.max(mlp.backward) }
}

fn attention(rows: &Rows, a: &Attention, again: RecomputedParts) -> Block {
    let tokens = rows.tokens;
    let Heads { queries, keys, values, out } = heads(a, rows.by.tensor);
    let input = |name| rows.matrix(name, rows.shared, rows.hidden);
    let (input, latent) = match a.projection {
        Projection::Latent { query_rank, kv_rank, rope_dim } => {
            // Both ranks before and after their norms.
            let ranks = query_rank.unwrap_or(0) + kv_rank + rope_dim;
            let name = if query_rank.is_some() { "linear_q_down_proj" } else { "linear_q_proj" };
            (if again.norms { 0 } else { input(name) }, product(&[WIDTH, rows.shared, 2, ranks]))
        }
        _ => (input("linear_qkv"), 0),
    };
    let normed = a.qk_norm.map_or(0, |_| product(&[WIDTH, tokens, queries + keys]));
    let tables = match a.rotary {
        // A cosine and a sine for queries, and for keys.
        Some(rotary) if !rows.fused_rotary => product(&[WIDTH, rows.positions, 4, rotary.columns]),
        _ => 0,
    };
    let kernel = product(&[WIDTH, tokens, if again.latent { out } else { queries + keys + values + out }]);
    let statistics = product(&[WIDE, tokens, a.heads.div_ceil(rows.by.tensor)]);
    let heads = a.heads.div_ceil(rows.by.tensor);
    // The softmax is kept; scores and softmax in fp32 come and go.
    let scores = if again.scores { 0 } else { product(&[WIDTH, heads, rows.scores]) };
    let kept = sum(&[input, latent, normed, tables, kernel, statistics, scores, rows.copy("linear_proj", tokens, out)]);
    // Gradients of queries, keys, values and of the result; flash attention sums those of queries in fp32. The gathered input of the
    // first matrix is needed for its gradient.
    let backward = sum(&[
        product(&[WIDTH, tokens, queries + keys + values + out]),
        product(&[WIDE, tokens, queries]),
        product(&[WIDTH, tokens, rows.hidden]),
        product(&[WIDTH + WIDE, heads, rows.scores]),
    ]);
    Block { kept, routed: 0, backward }
}

/// A dense MLP whose way up is `times` as wide as its way down.
fn dense(rows: &Rows, inner: u64, times: u64, again: bool) -> Block {
    let inner = inner.div_ceil(rows.by.tensor);
    let up = product(&[WIDTH, rows.tokens, times, inner]);
    let input = rows.matrix("linear_fc1", rows.shared, rows.hidden);
    let kept = if again { input } else { sum(&[input, up, rows.matrix("linear_fc2", rows.tokens, inner)]) };
    // The gathered gradient of the result and the gathered input, and gradients on both sides of the activation function.
    let backward = sum(&[product(&[WIDTH, rows.tokens, 2, rows.hidden]), product(&[WIDTH, rows.tokens, times + 1, inner])]);
    Block { kept, routed: 0, backward }
}

/// Experts. Every token is sent to the ranks of its experts and back (`transformer/moe/token_dispatcher.py`, all to all).
fn routed(rows: &Rows, experts: &Experts, again: RecomputedParts) -> Block {
    let inner = experts.inner.div_ceil(rows.by.expert_tensor);
    let sent = product(&[rows.shared, experts.active, rows.by.expert_tensor]);
    let input = if again.norms { 0 } else { rows.input() };
    // Logits, probabilities and chosen probabilities of the router in fp32, and which experts are chosen.
    let router = product(&[3 * WIDE + 1, rows.shared, experts.count]);
    let down = if again.expert_activation { 0 } else { rows.matrix("linear_fc2", sent, inner) };
    let of_experts = sum(&[rows.matrix("linear_fc1", sent, rows.hidden), product(&[WIDTH, sent, 2, inner]), down]);
    let shared = experts.shared.map_or(0, |expert| {
        let inner = expert.inner.div_ceil(rows.by.tensor);
        let up = product(&[WIDTH, rows.tokens, 2, inner]);
        sum(&[up, rows.matrix("linear_fc2", rows.tokens, inner), rows.matrix("linear_fc1", rows.shared, rows.hidden)])
    });
    // Gradients of what was sent and of its result, and on both sides of the activation function.
    let backward = sum(&[product(&[WIDTH, sent, 3, rows.hidden]), product(&[WIDTH, sent, 3, inner])]);
    if again.experts {
        return Block { kept: input, routed: 0, backward };
    }
    Block { kept: sum(&[input, router, of_experts, shared]), routed: of_experts, backward }
}

/// The product, as long as it fits.
pub(super) fn product(factors: &[u64]) -> u64 {
    factors.iter().fold(1, |product: u64, factor| product.saturating_mul(*factor))
}

/// The sum, as long as it fits.
pub(super) fn sum(terms: &[u64]) -> u64 {
    terms.iter().fold(0, |sum: u64, term| sum.saturating_add(*term))
}
