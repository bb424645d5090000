//! From hidden states to queries, keys and values.

use super::batch::Batch;
use super::linear::linear;
use super::modules::{AttentionModule, LinearModule, NormModule, Projections};
use super::norm::norm;
use crate::arch::{Attention, Projection, RotaryJoin, RotaryTables};
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, Tape, Tensor};

/// Queries, keys and values, including the norms that run before the rotary embedding.
pub(super) fn project_qkv(
    t: &Tape,
    x: &Tensor,
    module: &AttentionModule,
    a: &Attention,
    batch: Batch,
) -> (Tensor, Tensor, Tensor) {
    match &module.projections {
        Projections::Separate { q, k, v } => separate(t, x, module, a, [q, k, v]),
        Projections::Fused(all) => fused(t, x, all, a, batch),
        Projections::Latent(_) | Projections::Convolution(_) | Projections::Lent(_) | Projections::Segments(_) => {
            unreachable!("what stands in for attention projects by itself")
        }
    }
}

/// The heads that the kernel sees: those of keys and values may have been copied to every head.
pub(super) fn kernel_heads(projections: &Projections, a: &Attention, shape: AttentionShape) -> AttentionShape {
    match (projections, a.projection) {
        (Projections::Fused(_), Projection::FusedPicked { repeat_kv: true }) => AttentionShape { kv_heads: shape.heads, ..shape },
        _ => shape,
    }
}

fn separate(t: &Tape, x: &Tensor, module: &AttentionModule, a: &Attention, of: [&LinearModule; 3]) -> (Tensor, Tensor, Tensor) {
    let early = a.qk_norm.is_some_and(|kind| !kind.after_rotary);
    let over_all = a.qk_norm.is_some_and(|kind| !kind.per_head);
    // The gradient of rotated queries has the heads first, and the reshape copies it. GPT-J rotates them in the projected
    // layout.
    let turned = a.rotary.is_some_and(|rotary| !matches!(rotary.tables, RotaryTables::Stored { .. }));
    let one = |projection: &LinearModule, norm_of: Option<&NormModule>| {
        let out = linear(t, x, projection);
        let heads = |out: Tensor| if turned { t.view_with_grad_copy(out) } else { out };
        match norm_of.filter(|_| early) {
            Some(module) if over_all => heads(norm(t, &out, module)),
            Some(module) => {
                let out = heads(out);
                norm(t, &out, module)
            }
            None => heads(out),
        }
    };
    let [q, k, v] = of;
    let q = one(q, module.q_norm.as_ref());
    let q = if a.scales_queries_first { t.mul(q, Operand::Scalar) } else { q };
    let k = one(k, module.k_norm.as_ref());
    (q, k, linear(t, x, v))
}

fn fused(t: &Tape, x: &Tensor, all: &LinearModule, a: &Attention, batch: Batch) -> (Tensor, Tensor, Tensor) {
    let all = linear(t, x, all);
    let tokens = batch.tokens();
    let sizes = [tokens * a.heads * a.head_dim, tokens * a.kv_heads * a.head_dim, tokens * a.kv_heads * a.value_dim];
    match a.projection {
        Projection::FusedSlices => {
            let (q, k, v) = (t.slice(&all, sizes[0]), t.slice(&all, sizes[1]), t.slice(&all, sizes[2]));
            // The gradient of rotated queries and keys has the heads before the tokens.
            if a.rotary.is_some() { (t.view_with_grad_copy(q), t.view_with_grad_copy(k), v) } else { (q, k, v) }
        }
        Projection::FusedByHead => split_qkv(t, &t.view_with_grad_copy(all), &sizes),
        Projection::FusedByGroup => {
            let (q, v, k) = split_qkv(t, &all, &sizes);
            (t.contiguous(q), t.contiguous(k), t.contiguous(v))
        }
        Projection::FusedSelected => (t.slice(&all, sizes[0]), t.slice(&all, sizes[1]), t.slice(&all, sizes[2])),
        Projection::FusedPicked { repeat_kv } => falcon_qkv(t, &all, &sizes, repeat_kv.then_some(sizes[0])),
        _ => split_qkv(t, &all, &sizes),
    }
}

fn split_qkv(t: &Tape, all: &Tensor, sizes: &[u64; 3]) -> (Tensor, Tensor, Tensor) {
    let mut parts = t.split(all, sizes).into_iter();
    match (parts.next(), parts.next(), parts.next()) {
        (Some(q), Some(k), Some(v)) => (q, k, v),
        _ => unreachable!("three sizes give three parts"),
    }
}

/// Falcon: queries are a slice; indexing copies keys and values, `each` elements if they are expanded to every head.
fn falcon_qkv(t: &Tape, all: &Tensor, sizes: &[u64; 3], each: Option<u64>) -> (Tensor, Tensor, Tensor) {
    let q = t.slice(all, sizes[0]);
    let (k, v) = (t.index_copy(all, sizes[1]), t.index_copy(all, sizes[2]));
    match each {
        Some(numel) => {
            let (k, v) = (t.repeat_kv(&k, numel / sizes[1].max(1), false), t.repeat_kv(&v, numel / sizes[2].max(1), false));
            (t.contiguous(q), k, v)
        }
        None => (q, k, v),
    }
}

/// Whether queries and keys have the heads before the tokens in memory: so it is if a family concatenates rotated and unrotated
/// columns after moving the heads to the front. Otherwise they keep the projected layout.
pub(super) fn heads_first(a: &Attention) -> bool {
    a.rotary.is_some_and(|rotary| rotary.parts != RotaryJoin::Whole && !matches!(rotary.tables, RotaryTables::Stored { .. }))
}
