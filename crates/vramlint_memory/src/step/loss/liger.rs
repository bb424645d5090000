//! Liger's fused linear cross entropy (liger-kernel 0.6, `ops/fused_linear_cross_entropy.py`): logits of a chunk of rows at a time,
//! and the gradients already in forward.

use crate::estimate::Part;
use crate::model::{Batch, Model};
use crate::tape::{ParamId, Tape, Tensor};

/// The loss over all rows.
pub(super) fn loss(t: &Tape, hidden: Tensor, weight: ParamId, model: &Model, batch: Batch) -> Tensor {
    let head = t.compute_weight(weight);
    let x = match t.autocast_width() {
        Some(width) => t.cast(&hidden, width),
        None => hidden.clone(),
    };
    drop(hidden);
    let rows = batch.tokens();
    // As many chunks as the vocabulary is wider than the hidden states, powers of two.
    let chunks = model.vocab.div_ceil(model.hidden.max(1)).next_power_of_two();
    let chunk = rows.div_ceil(chunks).next_power_of_two().min(rows);
    let records = t.records(&[&x, &head]);
    let to_hidden = records.then(|| t.empty(x.numel, x.width));
    let to_weight = (records && head.requires_grad()).then(|| t.empty(head.numel, head.width));
    let losses = t.empty(rows, 4);
    let logits = t.empty_as(chunk * model.vocab, x.width, Part::Logits);
    t.workspace(t.device.cublas);
    let product = to_weight.as_ref().map(|grad| t.empty(grad.numel, grad.width));
    drop((product, logits));
    let out = t.empty(1, 4);
    drop(losses);
    let (needs_x, needs_w) = (x.requires_grad(), head.requires_grad());
    t.record(&[&x, &head], out, move |_, grad| {
        drop(grad);
        vec![to_hidden.filter(|_| needs_x), to_weight.filter(|_| needs_w)]
    })
}
