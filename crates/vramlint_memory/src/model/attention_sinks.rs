//! Attention with learned sinks (transformers 5.23, `modeling_gpt_oss.py`, `eager_attention_forward`).

use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, ParamId, Tape, Tensor};

/// Scores with an additional column, the sink, which is dropped after the softmax.
pub(super) fn sinks(
    t: &Tape,
    (q, k, v): (&Tensor, &Tensor, &Tensor),
    sinks: ParamId,
    dropout: bool,
    shape: AttentionShape,
    mask: Option<&Tensor>,
) -> Tensor {
    let times = shape.heads / shape.kv_heads.max(1);
    let single = shape.kv_heads == 1 && shape.batch == 1;
    let (k, v) = (t.repeat_kv(k, times, single), t.repeat_kv(v, times, single));
    let rows = shape.batch * shape.heads * shape.queries;
    let width = t.autocast_width().unwrap_or(q.width);
    let weights = {
        let (q, k) = (t.cast(q, width), t.cast(&k, width));
        let raw = t.bmm(q, k, rows * shape.keys);
        t.mul(raw, Operand::Scalar)
    };
    let weights = if mask.is_some() { t.add_broadcast(weights, Operand::Scalar) } else { weights };
    let sink = t.expand(&t.weight(sinks), rows);
    let joined = {
        let wide = weights.width.max(sink.width);
        let (weights, sink) = (t.cast(&weights, wide), t.cast(&sink, wide));
        t.cat(&[&weights, &sink])
    };
    let joined = t.subtract_max(&joined, rows);
    let probabilities = t.softmax(&joined, joined.width);
    let scores = t.slice(&probabilities, rows * shape.keys);
    drop(weights);
    let scores = if dropout { t.dropout(scores) } else { scores };
    let scores = t.cast(scores, v.width);
    let out = {
        let (scores, v) = (t.cast(&scores, width), t.cast(&v, width));
        t.bmm(scores, v, rows * shape.value_dim)
    };
    let out = t.transpose_contiguous(out);
    drop((joined, probabilities, scores));
    out
}
