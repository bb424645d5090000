//! Attention.

use super::deberta::{self, Distances};
use super::decoder::Batch;
use super::layers::{AttentionModule, NormModule};
use super::mlp::linear;
use super::norm::norm;
use super::project;
use super::rotary::{self, Angles};
use super::written;
use crate::arch::{Attention, Form, Rotary};
use crate::setup::Attention as Kernel;
use crate::tape::ops::attention::Heads;
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
    fn mask(&self, a: &Attention) -> Option<&Tensor> {
        self.masks.iter().find(|(window, _)| *window == a.window).and_then(|(_, mask)| mask.as_ref())
    }
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
    if let (Some(relative), Some(distances)) = (a.relative, &shared.distances) {
        let out = deberta::attend(t, x, module, relative, distances, shape, a.dropout);
        return linear(t, &out, &module.out);
    }
    let (mut q, mut k, v) = project::project(t, x, module, a, batch);
    if let Some(rotary) = a.rotary
        && let Some((_, angles)) = shared.angles.iter().find(|(kind, _)| *kind == rotary)
    {
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
    let mask = shared.mask(a);
    let spread = project::spread(&module.projections, a, shape);
    let out = match shared.kernel {
        _ if a.form != Form::Usual || a.fp32_scores => written::attend(t, [q, k, v], a, spread, mask),
        Kernel::Eager => eager(t, &q, &k, &v, a, spread, mask),
        Kernel::Sdpa if a.softcap => eager(t, &q, &k, &v, a, spread, mask),
        Kernel::Sdpa | Kernel::Flash => kernel(t, &q, &k, &v, a, spread, mask),
    };
    linear(t, &out, &module.out)
}

/// A kernel of torch: flash for half types without a mask, memory-efficient otherwise.
fn kernel(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, a: &Attention, shape: Heads, mask: Option<&Tensor>) -> Tensor {
    let half = match t.autocast_width() {
        Some(width) => width,
        None => q.width,
    };
    if half == 2 && mask.is_none() && shape.head_dim <= 256 {
        let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
        let out = flash(t, &q, &k, &v, shape);
        // The result lies as the queries do, and the output projection wants the heads behind.
        return if project::heads_first(a) { t.contiguous(out) } else { out };
    }
    // A mask rules grouped heads out, wide heads too: transformers repeats keys and values to every head.
    // Falcon gives torch its single head as it is.
    let (k, v, shape) = if (mask.is_some() || shape.head_dim > 256) && !a.masked {
        let (times, single) = (shape.heads / shape.kv_heads.max(1), shape.kv_heads == 1);
        (t.repeat(k, times, single), t.repeat(v, times, single), Heads { kv_heads: shape.heads, ..shape })
    } else {
        (k.clone(), v.clone(), shape)
    };
    let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
    t.efficient(&q, &k, &v, shape, mask)
}

/// Flash wants heads of a multiple of 8 columns: torch pads what is given and cuts what comes out.
fn flash(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, shape: Heads) -> Tensor {
    let columns = shape.head_dim.next_multiple_of(8);
    if columns == shape.head_dim {
        return t.flash(q, k, v, shape);
    }
    let pad = |x: &Tensor| t.pad(x, x.numel / shape.head_dim.max(1) * columns);
    let padded = Heads { head_dim: columns, value_dim: columns, ..shape };
    let out = {
        let (q, k, v) = (pad(q), pad(k), pad(v));
        t.flash(&q, &k, &v, padded)
    };
    t.contiguous(t.slice(&out, out.numel / columns * shape.value_dim))
}

/// `eager_attention_forward`: scores, mask, softmax, dropout, all written out.
fn eager(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, a: &Attention, shape: Heads, mask: Option<&Tensor>) -> Tensor {
    let times = shape.heads / shape.kv_heads.max(1);
    // What was not turned goes back as it was projected, and the product's gradient lies with the heads in front.
    let back = |x: &Tensor| if a.rotary.is_none() && times == 1 { t.view_copied_back(x) } else { x.clone() };
    let (q, v) = (&back(q), &back(v));
    // A single head that is seen as many is copied by the product unless the batch has one row.
    let single = shape.kv_heads == 1 && shape.batch == 1;
    let (k, v) = (t.repeat(k, times, single), t.repeat(v, times, single));
    let scores = shape.batch * shape.heads * shape.queries * shape.keys;
    let width = t.autocast_width().unwrap_or(q.width);
    // A batched product takes rows and heads as one dimension: what is laid out by tokens is copied, unless there is one row.
    let fold = |x: Tensor| if shape.batch > 1 { t.contiguous(x) } else { x };
    let weights = {
        let first = project::heads_first(a);
        let (q, k) = (t.cast(q, width), t.cast(&k, width));
        let q = if first { q } else { fold(q) };
        let k = if times == 1 && !first { fold(k) } else { k };
        let raw = t.bmm(q, k, scores);
        t.mul(raw, Other::Scalar)
    };
    let weights = if a.softcap {
        let divided = t.div_scalar(weights);
        let capped = t.from_result(divided);
        t.mul(capped, Other::Scalar)
    } else {
        weights
    };
    let weights = match mask {
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
