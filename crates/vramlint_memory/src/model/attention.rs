//! Attention.

use super::decoder::Batch;
use super::layers::{AttentionModule, Projections};
use super::mlp::linear;
use super::norm::norm;
use super::rotary::{self, Angles};
use crate::arch::Attention;
use crate::setup::Attention as Kernel;
use crate::tape::ops::attention::Heads;
use crate::tape::{Other, Tape, Tensor};

/// What all blocks of a forward share.
pub(crate) struct Shared {
    pub(crate) angles: Option<Angles>,
    /// The mask that goes to the kernel, if one does.
    pub(crate) mask: Option<Tensor>,
    pub(crate) kernel: Kernel,
}

/// Attention over normed hidden states.
pub(crate) fn attention(t: &Tape, x: &Tensor, module: &AttentionModule, a: &Attention, batch: Batch, shared: &Shared) -> Tensor {
    let shape = Heads {
        batch: batch.rows,
        queries: batch.seq,
        keys: batch.seq,
        heads: a.heads,
        kv_heads: a.kv_heads,
        head_dim: a.head_dim,
        value_dim: a.value_dim,
    };
    let (mut q, mut k, v) = project(t, x, module, a, batch, shared.kernel == Kernel::Eager);
    if let (Some(rotary), Some(angles)) = (a.rotary, &shared.angles) {
        let _ = rotary;
        let turned_q = rotary::turn(t, &q, angles);
        let turned_k = rotary::turn(t, &k, angles);
        (q, k) = (turned_q, turned_k);
    }
    let out = match shared.kernel {
        Kernel::Eager => eager(t, &q, &k, &v, a, shape, shared),
        Kernel::Sdpa | Kernel::Flash => kernel(t, &q, &k, &v, shape, shared),
    };
    linear(t, &out, &module.out)
}

fn project(
    t: &Tape,
    x: &Tensor,
    module: &AttentionModule,
    a: &Attention,
    batch: Batch,
    written_out: bool,
) -> (Tensor, Tensor, Tensor) {
    match &module.projections {
        Projections::Separate { q, k, v } => {
            // Where queries are turned or normed, their gradient comes back with the heads in front, and the reshape copies it.
            let turned = a.rotary.is_some() || written_out;
            let of = |projection, norm_of: Option<&super::layers::NormModule>| {
                let out = linear(t, x, projection);
                let out = if turned { t.view_copied_back(out) } else { out };
                match norm_of {
                    Some(module) => norm(t, &out, module),
                    None => out,
                }
            };
            let q = of(q, module.q_norm.as_ref());
            let k = of(k, module.k_norm.as_ref());
            let v = linear(t, x, v);
            (q, k, if written_out { t.view_copied_back(v) } else { v })
        }
        Projections::Fused(all) => {
            let all = linear(t, x, all);
            let tokens = batch.tokens();
            let parts = t.split(
                &all,
                &[tokens * a.heads * a.head_dim, tokens * a.kv_heads * a.head_dim, tokens * a.kv_heads * a.value_dim],
            );
            let mut parts = parts.into_iter();
            match (parts.next(), parts.next(), parts.next()) {
                (Some(q), Some(k), Some(v)) => (q, k, v),
                _ => unreachable!("three sizes give three parts"),
            }
        }
        Projections::Latent { .. } => todo!("latent attention"),
    }
}

/// A kernel of torch: flash for half types without a mask, memory-efficient otherwise.
fn kernel(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, shape: Heads, shared: &Shared) -> Tensor {
    let half = match t.autocast_width() {
        Some(width) => width,
        None => q.width,
    };
    if half == 2 && shared.mask.is_none() {
        let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
        return t.flash(&q, &k, &v, shape);
    }
    // A mask rules grouped heads out: transformers repeats keys and values to every head.
    let (k, v, shape) = match &shared.mask {
        Some(_) => {
            let times = shape.heads / shape.kv_heads.max(1);
            (t.repeat(k, times), t.repeat(v, times), Heads { kv_heads: shape.heads, ..shape })
        }
        None => (k.clone(), v.clone(), shape),
    };
    let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
    t.efficient(&q, &k, &v, shape, shared.mask.as_ref())
}

/// `eager_attention_forward`: scores, mask, softmax, dropout, all written out.
fn eager(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, a: &Attention, shape: Heads, shared: &Shared) -> Tensor {
    let times = a.heads / a.kv_heads.max(1);
    let (k, v) = (t.repeat(k, times), t.repeat(v, times));
    let scores = shape.batch * shape.heads * shape.queries * shape.keys;
    let width = t.autocast_width().unwrap_or(q.width);
    // A batched product takes rows and heads as one dimension: what is laid out by tokens is copied, unless there is one row.
    let fold = |x: Tensor| if shape.batch > 1 { t.contiguous(x) } else { x };
    let weights = {
        let (q, k) = (t.cast(q, width), t.cast(&k, width));
        let k = if times == 1 { fold(k) } else { k };
        let raw = t.bmm(fold(q), k, scores);
        t.mul(raw, Other::Scalar)
    };
    let weights = match &shared.mask {
        Some(_) => t.add_broadcast(weights, Other::Scalar),
        None => weights,
    };
    let weights = if a.softmax_fp32 {
        let wide = t.softmax(t.cast(weights, 4), 4);
        t.cast(wide, q.width)
    } else {
        let width = if t.autocast_width().is_some() { 4 } else { weights.width };
        t.softmax(t.cast(weights, width), width)
    };
    let weights = if a.dropout { t.dropout(weights) } else { weights };
    let out = {
        let (weights, v) = (t.cast(&weights, width), t.cast(&v, width));
        let v = if times == 1 { fold(v) } else { v };
        t.bmm(weights, v, shape.batch * shape.queries * shape.heads * shape.value_dim)
    };
    let out = t.transposed(out);
    drop(weights);
    out
}
