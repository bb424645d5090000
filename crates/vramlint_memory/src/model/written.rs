//! Attention as older families write it out themselves (transformers 5.23: `modeling_bloom.py`, `modeling_mpt.py`,
//! `modeling_gpt_neo.py`, `modeling_gptj.py`, `modeling_codegen.py`).

use crate::arch::{Attention, Form};
use crate::tape::ops::attention::Extents;
use crate::tape::{Other, Tape, Tensor};
use std::borrow::Borrow;

/// Scores, softmax and the product with the values, the heads behind again.
pub(super) fn attend(t: &Tape, [q, k, v]: [Tensor; 3], a: &Attention, shape: Extents, mask: Option<&Tensor>) -> Tensor {
    match a.form {
        Form::Bloom => bloom(t, [&q, &k, &v], a, shape),
        Form::Mpt => mpt(t, [&q, &k, &v], a, shape),
        Form::Usual | Form::Neo => wide(t, [q, k, v], a, shape, mask),
    }
}

/// A batched product takes rows and heads as one dimension: what is laid out by tokens is copied, unless there is one row.
fn fold(t: &Tape, x: Tensor, shape: Extents) -> Tensor {
    if shape.batch > 1 { t.contiguous(x) } else { x }
}

fn scores(shape: Extents) -> u64 {
    shape.batch * shape.heads * shape.queries * shape.keys
}

/// What the product with the values gives, and the copy of it with the heads behind.
fn merge(t: &Tape, weights: &Tensor, v: &Tensor, shape: Extents) -> Tensor {
    let out = t.bmm(weights, v, shape.batch * shape.queries * shape.heads * shape.value_dim);
    t.transposed(out)
}

fn bloom(t: &Tape, [q, k, v]: [&Tensor; 3], a: &Attention, shape: Extents) -> Tensor {
    let (q, k, v) = (fold(t, q.clone(), shape), fold(t, k.clone(), shape), fold(t, v.clone(), shape));
    let width = t.autocast_width().unwrap_or(q.width);
    let raw = t.bloom_scores(&t.cast(&q, width), &t.cast(&k, width), scores(shape));
    let masked = t.add_broadcast(&raw, Other::Scalar);
    let weights = t.softmax(t.cast(&masked, 4), 4);
    let weights = t.cast(weights, q.width);
    let weights = if a.dropout { t.dropout(weights) } else { weights };
    let out = merge(t, &t.cast(&weights, width), &t.cast(&v, width), shape);
    drop((raw, masked, weights));
    out
}

fn mpt(t: &Tape, [q, k, v]: [&Tensor; 3], a: &Attention, shape: Extents) -> Tensor {
    let (q, v) = (t.view_copied_back(q), t.view_copied_back(v));
    let width = t.autocast_width().unwrap_or(q.width);
    let weights = {
        let (q, k) = (fold(t, t.cast(&q, width), shape), fold(t, t.cast(k, width), shape));
        let raw = t.bmm(q, k, scores(shape));
        t.mul(raw, Other::Scalar)
    };
    // The bias by distance is fp32, and so is the sum.
    let biased = if weights.width == 4 { t.add_broadcast(weights, Other::Scalar) } else { t.cast(weights, 4) };
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
fn wide(t: &Tape, [q, k, v]: [Tensor; 3], a: &Attention, shape: Extents, mask: Option<&Tensor>) -> Tensor {
    let neo = a.form == Form::Neo;
    let (q, k) = if neo { (t.view_copied_back(q), t.view_copied_back(k)) } else { (q, k) };
    let v = t.view_copied_back(v);
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
            Some(_) => t.add_broadcast(seen, Other::Scalar),
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
    t.transposed(out)
}

impl Tape {
    /// `masked_fill` or `torch.where` with a mask that is there anyway.
    fn fill(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, |tape, grad| vec![Some(tape.empty(grad.numel, grad.width))])
    }
}
