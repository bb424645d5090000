//! The attention kernels that torch chooses from.

use super::eager_attention::eager;
use super::qkv;
use super::shared::SharedInputs;
use crate::arch::Attention;
use crate::setup::Attention as Kernel;
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, Tape, Tensor};

/// Runs the requested attention kernel, or the only one that supports this attention.
pub(super) fn attend(
    t: &Tape,
    (q, k, v): (&Tensor, &Tensor, &Tensor),
    a: &Attention,
    shape: AttentionShape,
    shared: &SharedInputs,
) -> Tensor {
    let mask = shared.mask(a);
    match shared.kernel {
        Kernel::Eager => eager(t, q, k, v, a, shape, mask),
        Kernel::Sdpa if a.softcap || a.fp32_scores => eager(t, q, k, v, a, shape, mask),
        Kernel::Sdpa | Kernel::Flash => kernel(t, q, k, v, a, shape, mask),
    }
}

/// A kernel of torch: flash for half types without a mask, memory-efficient otherwise.
fn kernel(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, a: &Attention, shape: AttentionShape, mask: Option<&Tensor>) -> Tensor {
    let half = match t.autocast_width() {
        Some(width) => width,
        None => q.width,
    };
    if half == 2 && mask.is_none() && shape.head_dim <= 256 && shape.head_dim == shape.value_dim {
        let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
        let out = flash(t, &q, &k, &v, shape);
        // The result has the memory layout of the queries; the output projection needs the heads last.
        return if qkv::heads_first(a) { t.contiguous(out) } else { out };
    }
    // A mask or wide heads rule out grouped heads: transformers repeats keys and values for every head.
    // Falcon passes its single head on unexpanded.
    let (k, v, shape) = if (mask.is_some() || shape.head_dim > 256) && !a.always_masked {
        let (times, single) = (shape.heads / shape.kv_heads.max(1), shape.kv_heads == 1);
        (t.repeat_kv(k, times, single), t.repeat_kv(v, times, single), AttentionShape { kv_heads: shape.heads, ..shape })
    } else {
        (k.clone(), v.clone(), shape)
    };
    let (v, k, q) = (t.cast(v, half), t.cast(k, half), t.cast(q, half));
    // Rows of a head have to fill 16 bytes.
    if !(shape.head_dim * half).is_multiple_of(16) {
        return math(t, &q, &k, &v, shape);
    }
    t.mem_efficient(&q, &k, &v, shape, mask)
}

/// Flash attention needs head widths that are multiples of 8: torch pads its inputs and slices the output.
fn flash(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, shape: AttentionShape) -> Tensor {
    let columns = shape.head_dim.next_multiple_of(8);
    if columns == shape.head_dim {
        return t.flash(q, k, v, shape);
    }
    let pad = |x: &Tensor| t.pad(x, x.numel / shape.head_dim.max(1) * columns);
    let padded = AttentionShape { head_dim: columns, value_dim: columns, ..shape };
    let out = {
        let (q, k, v) = (pad(q), pad(k), pad(v));
        t.flash(&q, &k, &v, padded)
    };
    t.contiguous(t.slice(&out, out.numel / columns * shape.value_dim))
}

/// The fallback if no fused kernel supports the heads (torch 2.15, `_scaled_dot_product_attention_math`): everything in fp32.
fn math(t: &Tape, q: &Tensor, k: &Tensor, v: &Tensor, shape: AttentionShape) -> Tensor {
    let (wide_q, wide_k, wide_v) = (t.cast(q, 4), t.cast(k, 4), t.cast(v, 4));
    let weights = {
        let (q, k) = (t.mul(&wide_q, Operand::Scalar), t.mul(&wide_k, Operand::Scalar));
        let scores = shape.batch * shape.heads * shape.queries * shape.keys;
        t.softmax(t.bmm(t.contiguous(q), t.contiguous(k), scores), 4)
    };
    let out = t.bmm(weights, t.contiguous(wide_v), shape.batch * shape.queries * shape.heads * shape.value_dim);
    t.contiguous(t.cast(out, q.width))
}
