//! DeBERTa's attention: contents to contents, contents to distances, distances to contents (transformers 5.23,
//! `modeling_deberta_v2.py`).

use super::batch::Batch;
use super::linear::linear;
use super::modules::{AttentionModule, LinearModule, NormModule, Projections};
use super::norm::norm;
use crate::arch::Relative;
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, ParamId, Tape, Tensor};
use std::borrow::Borrow;

/// What the blocks share.
pub(crate) struct Distances {
    /// The embedding of distances, normed.
    pub(super) table: Tensor,
    /// The distance of each pair of tokens: 8 bytes each, shared by all sequences.
    pub(super) pairs: Tensor,
    /// Who is seen by whom, in the type of the mask.
    _mask: Tensor,
}

/// Computed once per forward pass. `mask_width` is the bytes of a mask element.
pub(super) fn distances(t: &Tape, table: ParamId, module: Option<&NormModule>, batch: Batch, mask_width: u64) -> Distances {
    let square = batch.seq_len * batch.seq_len;
    let mask = t.empty(batch.size * square, mask_width);
    let pairs = {
        // Signs, magnitudes and logarithms of the distances.
        let temporary = (t.empty(square, 8), t.empty(square, 8), t.empty(square, 8), t.empty(square, 12));
        let near = t.empty(square, 4);
        drop(temporary);
        let pairs = t.empty(square, 8);
        drop(near);
        pairs
    };
    let table = t.weight(table);
    let table = module.map_or_else(|| table.clone(), |module| norm(t, &table, module));
    Distances { table, pairs, _mask: mask }
}

/// The heads' results, joined.
pub(super) fn attend(
    t: &Tape,
    x: &Tensor,
    module: &AttentionModule,
    relative: Relative,
    distances: &Distances,
    shape: AttentionShape,
    dropout: bool,
) -> Tensor {
    let Projections::Separate { q: query, k: key, v: value } = &module.projections else { return x.clone() };
    let heads = |x: &Tensor, module: &LinearModule| t.transpose_contiguous(linear(t, x, module));
    let (q, k, v) = (heads(x, query), heads(x, key), heads(x, value));
    let scores = shape.batch * shape.heads * shape.queries * shape.keys;
    let raw = {
        let scaled = t.mul(&k, Operand::Scalar);
        t.bmm(&q, &scaled, scores)
    };
    let table = t.dropout(&distances.table);
    let bias = {
        let of_table = |own: Option<&LinearModule>, of_content: &LinearModule| {
            let projected = heads(&table, own.unwrap_or(of_content));
            t.tile(projected, shape.batch)
        };
        let keys = || relative.to_positions.then(|| of_table(module.distances[0].as_ref(), key));
        let queries = || relative.from_positions.then(|| of_table(module.distances[1].as_ref(), query));
        // With shared projections, queries come first.
        let (positions_k, positions_q) = if relative.shared {
            let queries = queries();
            (keys(), queries)
        } else {
            let keys = keys();
            (keys, queries())
        };
        let span = shape.batch * shape.heads * shape.queries * 2 * relative.span;
        let of = |content: &Tensor, positions: &Tensor| {
            let index = {
                let moved = t.empty(distances.pairs.numel, 8);
                let index = t.empty(distances.pairs.numel, 8);
                drop(moved);
                index
            };
            t.gather_pairs(t.bmm(content, positions, span), &index, scores)
        };
        let to = positions_k.map(|positions| of(&q, &positions));
        let first = to.as_ref().map(|to| t.add_broadcast(t.mul(to, Operand::Scalar), Operand::Scalar));
        let from = positions_q.map(|positions| of(&k, &positions));
        let second = from.as_ref().map(|from| t.mul(from, Operand::Scalar));
        match (first, second) {
            (Some(first), Some(second)) => Some(t.add_in_place(first, &second)),
            (first, second) => first.or(second),
        }
    };
    let joined = match &bias {
        Some(bias) => t.add(raw, bias),
        None => raw,
    };
    let pairs = shape.batch * shape.queries * shape.keys;
    let seen = t.empty(pairs, 1);
    let masked = t.masked_fill(joined, &t.empty(pairs, 1));
    let width = if t.autocast_width().is_some() { 4 } else { masked.width };
    let soft = t.softmax(t.cast(&masked, width), width);
    let weights = if dropout { t.dropout(soft) } else { soft };
    let out = {
        let weights = t.autocast_width().map_or_else(|| weights.clone(), |width| t.cast(&weights, width));
        let out = t.bmm(&weights, &v, shape.batch * shape.queries * shape.heads * shape.value_dim);
        t.transpose_contiguous(out)
    };
    drop((seen, bias, masked, weights, table));
    out
}

impl Tape {
    /// `.repeat(times, 1, 1)`: a copy even if `times` is 1; backward sums.
    fn tile(&self, a: impl Borrow<Tensor>, times: u64) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel * times, x.width);
        let numel = x.numel;
        self.record(&[x], out, move |tape, grad| vec![Some(tape.empty(numel, grad.width))])
    }

    /// `torch.gather` of `numel` elements: saves its input and the index; backward adds into zeros of the input's size.
    pub(super) fn gather_pairs(&self, a: impl Borrow<Tensor>, index: &Tensor, numel: u64) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| (self.save(x), self.save(index)));
        let out = self.empty(numel, x.width);
        let whole = x.numel;
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(whole, grad.width);
            drop((grad, kept));
            vec![Some(out)]
        })
    }

    /// `masked_fill` by a mask that is kept.
    pub(super) fn masked_fill(&self, a: impl Borrow<Tensor>, mask: &Tensor) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(mask));
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(grad.numel, grad.width);
            drop((grad, kept));
            vec![Some(out)]
        })
    }
}
