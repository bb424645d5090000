//! Attention as older families write it out themselves (transformers 5.23: `modeling_bloom.py`, `modeling_mpt.py`,
//! `modeling_gpt_neo.py`, `modeling_gptj.py`, `modeling_codegen.py`).

use super::qkv;
use crate::arch::{Attention, AttentionImpl};
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, Tape, Tensor};
use std::borrow::Borrow;

/// Scores, softmax and the product with the values; the heads are last again.
pub(super) fn family_attention(
    t: &Tape,
    [q, k, v]: [Tensor; 3],
    a: &Attention,
    shape: AttentionShape,
    mask: Option<&Tensor>,
) -> Tensor {
    match a.implementation {
        AttentionImpl::Bloom => bloom(t, [&q, &k, &v], a, shape),
        AttentionImpl::Mpt => mpt(t, [&q, &k, &v], a, shape),
        AttentionImpl::Common | AttentionImpl::GptNeo | AttentionImpl::SharedBias { .. } => {
            fp32_scores(t, [q, k, v], a, shape, mask)
        }
    }
}

/// A batched matmul folds sequences and heads into one dimension, which copies a token-major layout unless the batch size is 1.
fn fold(t: &Tape, x: Tensor, shape: AttentionShape) -> Tensor {
    if shape.batch > 1 { t.contiguous(x) } else { x }
}

fn scores(shape: AttentionShape) -> u64 {
    shape.batch * shape.heads * shape.queries * shape.keys
}

/// The product with the values, and its copy with the heads last.
fn merge(t: &Tape, weights: &Tensor, v: &Tensor, shape: AttentionShape) -> Tensor {
    let out = t.bmm(weights, v, shape.batch * shape.queries * shape.heads * shape.value_dim);
    t.transpose_contiguous(out)
}

fn bloom(t: &Tape, [q, k, v]: [&Tensor; 3], a: &Attention, shape: AttentionShape) -> Tensor {
    let (q, k, v) = (fold(t, q.clone(), shape), fold(t, k.clone(), shape), fold(t, v.clone(), shape));
    let width = t.autocast_width().unwrap_or(q.width);
    let raw = t.bloom_scores(&t.cast(&q, width), &t.cast(&k, width), scores(shape));
    let masked = t.add_broadcast(&raw, Operand::Scalar);
    let weights = t.softmax(t.cast(&masked, 4), 4);
    let weights = t.cast(weights, q.width);
    let weights = if a.dropout { t.dropout(weights) } else { weights };
    let out = merge(t, &t.cast(&weights, width), &t.cast(&v, width), shape);
    drop((raw, masked, weights));
    out
}

fn mpt(t: &Tape, [q, k, v]: [&Tensor; 3], a: &Attention, shape: AttentionShape) -> Tensor {
    let (q, v) = (t.view_with_grad_copy(q), t.view_with_grad_copy(v));
    let width = t.autocast_width().unwrap_or(q.width);
    let weights = {
        let (q, k) = (fold(t, t.cast(&q, width), shape), fold(t, t.cast(k, width), shape));
        let raw = t.bmm(q, k, scores(shape));
        t.mul(raw, Operand::Scalar)
    };
    // The bias by distance is fp32, and so is the sum.
    let biased = if weights.width == 4 { t.add_broadcast(weights, Operand::Scalar) } else { t.cast(weights, 4) };
    let masked = t.fill(biased);
    let weights = t.softmax(&masked, 4);
    let weights = t.cast(weights, v.width);
    let weights = if a.dropout { t.dropout(weights) } else { weights };
    let out = {
        let v = fold(t, t.cast(&v, width), shape);
        merge(t, &t.cast(&weights, width), &v, shape)
    };
    drop((masked, weights));
    out
}

/// GPT-Neo, GPT-J, CodeGen: queries and keys in fp32.
fn fp32_scores(t: &Tape, [q, k, v]: [Tensor; 3], a: &Attention, shape: AttentionShape, mask: Option<&Tensor>) -> Tensor {
    let neo = a.implementation == AttentionImpl::GptNeo;
    let (q, k) = if neo { (t.view_with_grad_copy(q), t.view_with_grad_copy(k)) } else { (q, k) };
    let v = t.view_with_grad_copy(v);
    let width = t.autocast_width();
    let computed = |x: &Tensor| fold(t, width.map_or_else(|| x.clone(), |width| t.cast(x, width)), shape);
    let out = {
        let (wide_q, wide_k) = (t.cast(&q, 4), t.cast(&k, 4));
        let raw = {
            let (q, k) = (computed(&wide_q), computed(&wide_k));
            t.bmm(q, k, scores(shape))
        };
        let seen = if neo { t.fill(raw) } else { raw };
        let masked = match mask {
            Some(mask) if mask.width > seen.width => t.cast(seen, mask.width),
            Some(_) => t.add_broadcast(seen, Operand::Scalar),
            None => seen,
        };
        let scaled = if neo { masked } else { t.div_scalar(masked) };
        let soft = t.softmax(t.cast(scaled, 4), 4);
        let weights = t.cast(soft, v.width);
        let weights = if a.dropout { t.dropout(weights) } else { weights };
        let values = computed(&v);
        let weights = width.map_or_else(|| weights.clone(), |width| t.cast(&weights, width));
        let out = t.bmm(weights, values, shape.batch * shape.queries * shape.heads * shape.value_dim);
        drop((wide_q, wide_k));
        out
    };
    t.transpose_contiguous(out)
}

/// `eager_attention_forward`: scores, mask, softmax, dropout, all written out.
pub(super) fn eager(
    t: &Tape,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    a: &Attention,
    shape: AttentionShape,
    mask: Option<&Tensor>,
) -> Tensor {
    let times = shape.heads / shape.kv_heads.max(1);
    // The gradient of an unrotated projection returns in the projected layout, while the gradient of the matmul has the heads first.
    let back = |x: &Tensor| if a.rotary.is_none() && times == 1 { t.view_with_grad_copy(x) } else { x.clone() };
    let (q, v) = (&back(q), &back(v));
    // The matmul copies an expanded single head unless the batch size is 1; it also copies a token-major layout.
    let many = shape.batch > 1;
    let lies = |x: &Tensor, first: bool| if many && !first { t.contiguous(x) } else { x.clone() };
    let heads =
        |x: &Tensor, first: bool| if times > 1 { t.repeat_kv(x, times, shape.kv_heads == 1 && !many) } else { lies(x, first) };
    let first = qkv::heads_first(a);
    let scores = shape.batch * shape.heads * shape.queries * shape.keys;
    let width = t.autocast_width().unwrap_or(q.width);
    let wide = |x: Tensor| if a.fp32_scores { t.cast(x, 4) } else { x };
    let (k, v) = (heads(&wide(k.clone()), first), heads(v, false));
    let weights = {
        let (q, k) = (t.cast(lies(&wide(q.clone()), first), width), t.cast(&k, width));
        let (q, k) = if t.autocast_width().is_none() { (wide(q), wide(k)) } else { (q, k) };
        let raw = t.bmm(q, k, scores);
        // Falcon divides in place.
        if a.always_masked { raw } else { t.mul(raw, Operand::Scalar) }
    };
    let weights = if a.softcap {
        let divided = t.div_scalar(weights);
        let capped = t.unary_saving_output(divided);
        t.mul(capped, Operand::Scalar)
    } else {
        weights
    };
    let weights = match mask {
        // Encoders add a mask in the type of the residual stream.
        Some(mask) if !a.softmax_fp32 => t.add_broadcast(weights, Operand::Rows(mask)),
        Some(_) => t.add_broadcast(weights, Operand::Scalar),
        None => weights,
    };
    let weights = if a.softmax_fp32 || a.fp32_scores {
        let wide = t.softmax(t.cast(weights, 4), 4);
        t.cast(wide, q.width)
    } else {
        let width = if t.autocast_width().is_some() { 4 } else { weights.width };
        let wide = t.cast(&weights, width);
        let soft = t.softmax(&wide, width);
        drop((weights, wide));
        soft
    };
    let weights = if a.dropout { t.dropout(weights) } else { weights };
    let out = {
        let (weights, v) = (t.cast(&weights, width), t.cast(&v, width));
        t.bmm(weights, v, shape.batch * shape.queries * shape.heads * shape.value_dim)
    };
    let out = t.transpose_contiguous(out);
    drop(weights);
    out
}

impl Tape {
    /// `masked_fill` or `torch.where` with an existing mask.
    fn fill(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, |tape, grad| vec![Some(tape.empty(grad.numel, grad.width))])
    }
}
