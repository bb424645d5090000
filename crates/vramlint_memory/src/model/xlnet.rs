//! XLNet's blocks: scores of contents, distances and segments, by `torch.einsum` (transformers 5.23 `modeling_xlnet.py`).

use super::activation::activate;
use super::batch::Batch;
use super::linear::linear;
use super::modules::{LayerModule, LinearModule, MlpModule, NormModule, SegmentProjections};
use super::norm::norm;
use crate::arch::{Layer, Mlp};
use crate::tape::{Operand, ParamId, Tape, Tensor};

/// What the blocks share.
pub(crate) struct SegmentInputs {
    /// Sines and cosines of twice as many distances as there are tokens, for each row.
    distances: Tensor,
    /// Who is hidden from whom in each row.
    mask: Tensor,
    /// Whether two tokens of a row are of one segment: two numbers for each pair.
    segments: Tensor,
    /// Queries and keys of a row.
    pairs: u64,
}

/// Computed once per forward pass. Tokenizers give masks and segments of every row.
pub(super) fn inputs(t: &Tape, hidden: u64, batch: Batch) -> SegmentInputs {
    let pairs = batch.seq_len * batch.seq_len;
    let mask = {
        let sum = t.empty(batch.size * pairs, 4);
        let hides = t.empty(batch.size * pairs, 1);
        drop(sum);
        let mask = t.empty(batch.size * pairs, 4);
        drop(hides);
        mask
    };
    let segments = {
        let differs = t.empty(batch.size * pairs, 8);
        let one_hot = t.empty(2 * batch.size * pairs, 8);
        let segments = t.empty(2 * batch.size * pairs, 4);
        drop((differs, one_hot));
        segments
    };
    // One row of distances is seen by all, and dropout writes it out for each.
    let distances = t.empty(2 * batch.tokens() * hidden, 4);
    let distances = t.dropout(distances);
    SegmentInputs { distances, mask, segments, pairs }
}

/// `XLNetRelativeAttention`: what has a name lives until the function returns.
pub(super) fn attend(
    t: &Tape,
    x: &Tensor,
    (module, back, behind): (&SegmentProjections, &LinearModule, &NormModule),
    layer: &Layer,
    inputs: &SegmentInputs,
    batch: Batch,
) -> Tensor {
    let autocast = t.autocast_width();
    let computed = |x: &Tensor| autocast.map_or_else(|| x.clone(), |width| t.cast(x, width));
    let weight = |id: ParamId| t.compute_weight(id);
    let project = |x: &Tensor, id: ParamId, numel: u64| t.view_with_grad_copy(t.bmm(computed(x), weight(id), numel));
    let [of_q, of_k, of_v, of_r] = module.matrices;
    let (q, k, v) = (project(x, of_q, x.numel), project(x, of_k, x.numel), project(x, of_v, x.numel));
    let r = project(&inputs.distances, of_r, inputs.distances.numel);
    let joined = {
        let with_bias = |id: ParamId| t.add_broadcast(&q, Operand::Rows(&t.weight(id)));
        let heads = layer.attention.heads;
        let scores = batch.size * heads * inputs.pairs;
        let contents = t.bmm(computed(&with_bias(module.biases[0])), computed(&k), scores);
        let distances = t.bmm(computed(&with_bias(module.biases[1])), computed(&r), 2 * scores);
        let distances = t.index_copy(t.slice(distances, 2 * scores - batch.size * heads * batch.seq_len), scores);
        let segments = {
            let each = t.bmm(computed(&with_bias(module.biases[2])), weight(module.segments), 2 * batch.tokens() * heads);
            // Rows lie between queries and keys.
            let segments = computed(&inputs.segments);
            let segments = if batch.size > 1 { t.contiguous(segments) } else { segments };
            t.bmm(segments, each, scores)
        };
        let score = {
            let sum = t.add(&contents, &distances);
            let sum = t.add(sum, &segments);
            t.mul(sum, Operand::Scalar)
        };
        let score = {
            let mask = t.mul(&inputs.mask, Operand::Scalar);
            t.add_broadcast(score, Operand::Rows(&mask))
        };
        let probabilities = {
            let wide = t.cast(&score, if autocast.is_some() { 4 } else { score.width });
            t.softmax(&wide, wide.width)
        };
        let probabilities = if layer.dropout { t.dropout(probabilities) } else { probabilities };
        let vectors = t.bmm(computed(&probabilities), computed(&v), x.numel);
        drop((contents, distances, segments, score, probabilities));
        vectors
    };
    // Summed columns come before heads, which copies both.
    let back = t.contiguous(weight(back.base.weight.id()));
    let out = t.bmm(t.contiguous(&joined), back, x.numel);
    let out = if layer.dropout { t.dropout(out) } else { out };
    let sum = t.add(out, x);
    let out = norm(t, &sum, behind);
    drop((q, k, v, r, joined));
    out
}

/// `XLNetFeedForward`: dropout behind the activation too.
pub(super) fn feed(t: &Tape, x: &Tensor, layer: &LayerModule) -> Tensor {
    let (MlpModule::Plain { up, down, .. }, Mlp::Plain { activation, .. }) = (&layer.mlp, &layer.shape.mlp) else {
        return x.clone();
    };
    let drop_some = |x: Tensor| if layer.shape.dropout { t.dropout(x) } else { x };
    let inner = drop_some(activate(t, linear(t, x, up), *activation));
    let out = drop_some(linear(t, &inner, down));
    drop(inner);
    norm(t, &t.add(&out, x), &layer.norms[1])
}
