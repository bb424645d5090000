//! Attention.

use super::deberta::{self, Distances};
use super::decoder::Batch;
use super::latent;
use super::layers::{AttentionModule, NormModule, Projections};
use super::mlp::linear;
use super::norm::norm;
use super::project;
use super::rotary::{self, Angles};
use super::{sinks, written};
use crate::arch::{Attention, Form, Rotary};
use crate::setup::Attention as Kernel;
use crate::tape::ops::attention::Extents;
use crate::tape::{Other, Tape, Tensor};

/// What all blocks of a forward share.
pub(crate) struct Shared {
    /// Tables of cosines and sines, for each kind that blocks use.
    pub(crate) angles: Vec<(Rotary, Angles)>,
    /// Masks that go to the kernel, by window.
    pub(crate) masks: Vec<(Option<u64>, Option<Tensor>)>,
    pub(crate) kernel: Kernel,
    /// Embeddings of distances, which of them each pair of tokens has, and who is seen.
    pub(crate) distances: Option<Distances>,
}

impl Shared {
    /// The tables that an attention turns with.
    pub(super) fn angles(&self, a: &Attention) -> Option<&Angles> {
        self.angles.iter().find(|(kind, _)| Some(*kind) == a.rotary).map(|(_, angles)| angles)
    }

    fn mask(&self, a: &Attention) -> Option<&Tensor> {
        self.masks.iter().find(|(window, _)| *window == a.window).and_then(|(_, mask)| mask.as_ref())
    }
}

/// Attention over normed hidden states.
pub(crate) fn attention(t: &Tape, x: &Tensor, module: &AttentionModule, a: &Attention, batch: Batch, shared: &Shared) -> Tensor {
    let shape = Extents {
        batch: batch.rows,
        queries: batch.seq,
        keys: batch.seq,
        heads: a.heads,
        kv_heads: a.kv_heads,
        head_dim: a.head_dim,
        value_dim: a.value_dim,
    };
    if let Projections::Latent(latent) = &module.projections {
        return latent::latent(t, x, (latent, &module.out), a, batch, shared);
    }
    if let (Some(relative), Some(distances)) = (a.relative, &shared.distances) {
        let out = deberta::attend(t, x, module, relative, distances, shape, a.dropout);
        return linear(t, &out, &module.out);
    }
    let (mut q, mut k, v) = project::project(t, x, module, a, batch);
    if let Some((rotary, angles)) = a.rotary.zip(shared.angles(a)) {
        (q, k) = rotary::turn(t, (&q, &k), rotary, angles, a.head_dim, batch);
    }
    if a.qk_norm.is_some_and(|kind| kind.late) {
        let normed = |x: &Tensor, module: &Option<NormModule>| module.map_or_else(|| x.clone(), |module| norm(t, x, &module));
        q = normed(&q, &module.q_norm);
        k = normed(&k, &module.k_norm);
    }
    if a.scaled_queries {
        let scale = t.empty(batch.seq, q.width);
        q = t.mul(&q, Other::Columns(&scale));
    }
    let spread = project::spread(&module.projections, a, shape);
    let out = match module.sinks {
        Some(id) => sinks::sinks(t, (&q, &k, &v), id, a.dropout, spread, shared.mask(a)),
        None if a.form != Form::Usual || a.fp32_scores => written::attend(t, [q, k, v], a, spread, shared.mask(a)),
        None => attend(t, (&q, &k, &v), a, spread, shared),
    };
    linear(t, &out, &module.out)
}

/// Queries, keys and values through the kernel that was asked for, or through the only one that can.
pub(super) fn attend(t: &Tape, (q, k, v): (&Tensor, &Tensor, &Tensor), a: &Attention, shape: Extents, shared: &Shared) -> Tensor {
    let mask = shared.mask(a);
    match shared.kernel {
        Kernel::Eager => eager(t, q, k, v, a, shape, mask),
        Kernel::Sdpa if a.softcap || a.fp32_scores => eager(t, q, k, v, a, shape, mask),
        Kernel::Sdpa | Kernel::Flash => kernel(t, q, k, v, a, shape, mask),
    }
}

/// A kernel of torch: flash for half types without a mask, memory-efficient otherwise.
fn kernel(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, a: &Attention, shape: Extents, mask: Option<&Tensor>) -> Tensor {
    let half = match t.autocast_width() {
        Some(width) => width,
        None => q.width,
    };
    if half == 2 && mask.is_none() && shape.head_dim <= 256 && shape.head_dim == shape.value_dim {
        let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
        let out = flash(t, &q, &k, &v, shape);
        // The result lies as the queries do, and the output projection wants the heads behind.
        return if project::heads_first(a) { t.contiguous(out) } else { out };
    }
    // A mask rules grouped heads out, wide heads too: transformers repeats keys and values to every head.
    // Falcon gives torch its single head as it is.
    let (k, v, shape) = if (mask.is_some() || shape.head_dim > 256) && !a.masked {
        let (times, single) = (shape.heads / shape.kv_heads.max(1), shape.kv_heads == 1);
        (t.repeat(k, times, single), t.repeat(v, times, single), Extents { kv_heads: shape.heads, ..shape })
    } else {
        (k.clone(), v.clone(), shape)
    };
    let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
    // Rows of a head have to fill 16 bytes.
    if !(shape.head_dim * half).is_multiple_of(16) {
        return math(t, &q, &k, &v, shape);
    }
    t.efficient(&q, &k, &v, shape, mask)
}

/// Flash wants heads of a multiple of 8 columns: torch pads what is given and cuts what comes out.
fn flash(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, shape: Extents) -> Tensor {
    let columns = shape.head_dim.next_multiple_of(8);
    if columns == shape.head_dim {
        return t.flash(q, k, v, shape);
    }
    let pad = |x: &Tensor| t.pad(x, x.numel / shape.head_dim.max(1) * columns);
    let padded = Extents { head_dim: columns, value_dim: columns, ..shape };
    let out = {
        let (q, k, v) = (pad(q), pad(k), pad(v));
        t.flash(&q, &k, &v, padded)
    };
    t.contiguous(t.slice(&out, out.numel / columns * shape.value_dim))
}

/// What is left where no fused kernel takes the heads (torch 2.15, `_scaled_dot_product_attention_math`): everything in fp32.
fn math(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, shape: Extents) -> Tensor {
    let (wide_q, wide_k, wide_v) = (t.cast(q, 4), t.cast(k, 4), t.cast(v, 4));
    let weights = {
        let (q, k) = (t.mul(&wide_q, Other::Scalar), t.mul(&wide_k, Other::Scalar));
        let scores = shape.batch * shape.heads * shape.queries * shape.keys;
        t.softmax(t.bmm(t.contiguous(q), t.contiguous(k), scores), 4)
    };
    let out = t.bmm(weights, t.contiguous(wide_v), shape.batch * shape.queries * shape.heads * shape.value_dim);
    t.contiguous(t.cast(out, q.width))
}

/// `eager_attention_forward`: scores, mask, softmax, dropout, all written out.
fn eager(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, a: &Attention, shape: Extents, mask: Option<&Tensor>) -> Tensor {
    let times = shape.heads / shape.kv_heads.max(1);
    // What was not turned goes back as it was projected, and the product's gradient lies with the heads in front.
    let back = |x: &Tensor| if a.rotary.is_none() && times == 1 { t.view_copied_back(x) } else { x.clone() };
    let (q, v) = (&back(q), &back(v));
    // A single head that is seen as many is copied by the product unless the batch has one row; so is what lies tokens first.
    let many = shape.batch > 1;
    let lies = |x: &Tensor, first: bool| if many && !first { t.contiguous(x) } else { x.clone() };
    let heads =
        |x: &Tensor, first: bool| if times > 1 { t.repeat(x, times, shape.kv_heads == 1 && !many) } else { lies(x, first) };
    let first = project::heads_first(a);
    let scores = shape.batch * shape.heads * shape.queries * shape.keys;
    let width = t.autocast_width().unwrap_or(q.width);
    let wide = |x: Tensor| if a.fp32_scores { t.cast(x, 4) } else { x };
    let (k, v) = (heads(&wide(k.clone()), first), heads(v, false));
    let weights = {
        let (q, k) = (t.cast(lies(&wide(q.clone()), first), width), t.cast(&k, width));
        let (q, k) = if t.autocast_width().is_none() { (wide(q), wide(k)) } else { (q, k) };
        let raw = t.bmm(q, k, scores);
        // Falcon divides in place.
        if a.masked { raw } else { t.mul(raw, Other::Scalar) }
    };
    let weights = if a.softcap {
        let divided = t.div_scalar(weights);
        let capped = t.keeping_result(divided);
        t.mul(capped, Other::Scalar)
    } else {
        weights
    };
    let weights = match mask {
        Some(_) => t.add_broadcast(weights, Other::Scalar),
        None => weights,
    };
    let weights = if a.softmax_fp32 || a.fp32_scores {
        let wide = t.softmax(t.cast(weights, 4), 4);
        t.cast(wide, q.width)
    } else {
        let width = if t.autocast_width().is_some() { 4 } else { weights.width };
        t.softmax(t.cast(weights, width), width)
    };
    let weights = if a.dropout { t.dropout(weights) } else { weights };
    let out = {
        let (weights, v) = (t.cast(&weights, width), t.cast(&v, width));
        t.bmm(weights, v, shape.batch * shape.queries * shape.heads * shape.value_dim)
    };
    let out = t.transposed(out);
    drop(weights);
    out
}
