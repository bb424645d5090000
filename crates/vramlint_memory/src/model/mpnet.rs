//! MPNet's attention: a bias of each pair of tokens, which all blocks share, joins the scores (transformers 5.23 `modeling_mpnet.py`).

use super::batch::Batch;
use super::decoder::lookup;
use super::linear::linear;
use super::modules::{AttentionModule, Projections};
use crate::arch::Attention;
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, ParamId, Tape, Tensor};

/// The bias, computed once per forward pass and copied for each row of the batch.
pub(super) fn bias(t: &Tape, table: ParamId, heads: u64, batch: Batch) -> Tensor {
    let pairs = batch.seq_len * batch.seq_len;
    let buckets = t.empty(pairs, 8);
    let values = lookup(t, table, &buckets, (pairs, heads));
    let out = t.empty(batch.size * values.numel, values.width);
    let (numel, rows) = (values.numel, batch.size);
    t.record(&[&values], out, move |tape, grad| {
        // The gradients of the rows are summed, and the lookup gets the heads last again.
        let sum = if rows > 1 { tape.empty(numel, grad.width) } else { grad.clone() };
        drop(grad);
        let last = tape.empty(numel, sum.width);
        drop(sum);
        vec![Some(last)]
    })
}

/// Scores, softmax and the product with the values, all written out, and the output projection: what has a name lives until it has run.
pub(super) fn attention(
    t: &Tape,
    x: &Tensor,
    module: &AttentionModule,
    (a, shape): (&Attention, AttentionShape),
    bias: &Tensor,
    mask: Option<&Tensor>,
) -> Tensor {
    let Projections::Separate { q, k, v } = &module.projections else { return x.clone() };
    // The gradient of a batched product has the heads first.
    let (q, k, v) = (t.view_with_grad_copy(linear(t, x, q)), linear(t, x, k), t.view_with_grad_copy(linear(t, x, v)));
    let autocast = t.autocast_width();
    let computed = |x: &Tensor| autocast.map_or_else(|| x.clone(), |width| t.cast(x, width));
    let folded = |x: Tensor| if shape.batch > 1 { t.contiguous(x) } else { x };
    let scores = {
        let raw = {
            let (q, k) = (folded(computed(&q)), folded(computed(&k)));
            t.bmm(q, k, shape.batch * shape.heads * shape.queries * shape.keys)
        };
        t.div_scalar(&raw)
    };
    let biased = t.add_in_place(&scores, bias);
    let seen = match mask {
        Some(mask) => t.add_broadcast(&biased, Operand::Rows(mask)),
        None => biased.clone(),
    };
    drop((scores, biased));
    let probabilities = {
        let wide = t.cast(&seen, if autocast.is_some() { 4 } else { seen.width });
        t.softmax(&wide, wide.width)
    };
    let probabilities = if a.dropout { t.dropout(&probabilities) } else { probabilities };
    let joined = {
        let weights = computed(&probabilities);
        t.bmm(weights, folded(computed(&v)), shape.batch * shape.queries * shape.heads * shape.value_dim)
    };
    let joined = t.transpose_contiguous(joined);
    let out = linear(t, &joined, &module.out);
    drop((q, k, v, seen, probabilities, joined));
    out
}
