//! Attention of the first version of DeBERTa (transformers 5.23, `modeling_deberta.py`): distances are as many as a row has tokens, and
//! their projections are multiplied without a copy for each row of the batch.

use super::deberta::Distances;
use super::linear::linear;
use super::modules::{AttentionModule, LinearModule, Projections};
use crate::arch::Relative;
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, Tape, Tensor};

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
    let (Projections::Fused(all), Some([q_bias, v_bias])) = (&module.projections, module.biases) else { return x.clone() };
    let each = shape.batch * shape.queries * shape.heads * shape.head_dim;
    let scores = shape.batch * shape.heads * shape.queries * shape.keys;
    let computed = |x: &Tensor| t.autocast_width().map_or_else(|| x.clone(), |width| t.cast(x, width));
    let folded = |x: Tensor| if shape.batch > 1 { t.contiguous(x) } else { x };
    let mut parts = t.split(linear(t, x, all), &[each; 3]).into_iter();
    let (Some(q), Some(k), Some(v)) = (parts.next(), parts.next(), parts.next()) else { return x.clone() };
    let with_bias = |x: Tensor, bias| t.add_broadcast(x, Operand::Rows(&t.weight(bias)));
    let (q, v) = (with_bias(q, q_bias), with_bias(v, v_bias));
    let q = t.div_scalar(q);
    let raw = {
        let (q, k) = (folded(computed(&q)), folded(computed(&k)));
        t.bmm(q, k, scores)
    };
    let table = t.dropout(&distances.table);
    let bias = {
        // Rows of the table that this many tokens can be apart.
        let span = 2 * relative.span.min(shape.queries);
        let seen = t.slice(&table, span * (table.numel / (2 * relative.span).max(1)));
        let score = |content: &Tensor, own: &LinearModule, scaled: bool| {
            let projected = linear(t, &seen, own);
            let projected = if scaled { t.scale_in_place(&projected) } else { projected };
            let product = {
                let content = folded(computed(content));
                let positions = t.spread(&computed(&projected), shape.batch);
                t.bmm(content, positions, shape.batch * shape.heads * shape.queries * span)
            };
            let index = {
                let moved = t.empty(distances.pairs.numel, 8);
                let index = t.empty(distances.pairs.numel, 8);
                drop(moved);
                index
            };
            t.gather_pairs(product, &index, scores)
        };
        let to = module.distances[0].as_ref().map(|own| score(&q, own, false));
        let sum = to.as_ref().map(|to| t.add_broadcast(to, Operand::Scalar));
        drop(to);
        let from = module.distances[1].as_ref().map(|own| score(&k, own, true));
        match (sum, from) {
            (Some(sum), Some(from)) => Some(t.add_in_place(&sum, &from)),
            (sum, from) => sum.or(from),
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
    let soft = {
        let wide = t.cast(&masked, width);
        t.softmax(&wide, width)
    };
    let weights = if dropout { t.dropout(&soft) } else { soft.clone() };
    drop(soft);
    let out = {
        let (weights, v) = (computed(&weights), folded(computed(&v)));
        t.bmm(weights, v, shape.batch * shape.queries * shape.heads * shape.value_dim)
    };
    let out = t.transpose_contiguous(out);
    drop((q, k, v, bias, masked, seen, weights, table));
    out
}

impl Tape {
    /// Heads of a row that every row of the batch sees, copied for each; backward sums over them.
    fn spread(&self, x: &Tensor, rows: u64) -> Tensor {
        let out = self.empty(x.numel * rows, x.width);
        let numel = x.numel;
        self.record(&[x], out, move |tape, grad| {
            let sum = if rows > 1 { tape.empty(numel, grad.width) } else { grad.clone() };
            drop(grad);
            vec![Some(sum)]
        })
    }
}
