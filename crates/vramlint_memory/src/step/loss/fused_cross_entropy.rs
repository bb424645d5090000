//! A fused linear cross entropy: logits of a chunk of rows at a time, and the gradients already in forward. That of Liger
//! (liger-kernel 0.6, `ops/fused_linear_cross_entropy.py`) and that of unsloth (unsloth_zoo 2026.10.9,
//! `fused_losses/cross_entropy_loss.py`) differ in the size of a chunk.

use crate::estimate::Part;
use crate::model::{Batch, Model};
use crate::tape::{ParamId, Tape, Tensor};

/// Bytes that unsloth lets a chunk take (`_CE_TARGET_GB_CAP`), on a GPU with twice as much free memory.
const UNSLOTH_BUDGET: u64 = 4 << 30;
/// Bytes that unsloth counts for a logit (`_CE_BYTES_PER_LOGIT`). Compiled, a logit takes two: its gradient overwrites it.
const UNSLOTH_BYTES_PER_LOGIT: u64 = 16;

/// Rows of a chunk of Liger's: as many chunks as the vocabulary is wider than the hidden states, powers of two.
pub(super) fn liger_rows(rows: u64, model: &Model) -> u64 {
    let chunks = model.vocab.div_ceil(model.hidden.max(1)).next_power_of_two();
    rows.div_ceil(chunks).next_power_of_two().min(rows)
}

/// Rows of a chunk of unsloth's: one chunk, or as many as the budget asks for, a multiple of four.
pub(super) fn unsloth_rows(rows: u64, model: &Model) -> u64 {
    let bytes = u128::from(rows) * u128::from(model.vocab) * u128::from(UNSLOTH_BYTES_PER_LOGIT);
    let needed = bytes.div_ceil(u128::from(UNSLOTH_BUDGET));
    let chunks = if needed <= 1 { 1 } else { needed.next_multiple_of(4).min(u128::from(rows)) };
    rows.div_ceil(u64::try_from(chunks).unwrap_or(rows).max(1))
}

/// The loss over all rows, `chunk` of them at a time.
pub(super) fn loss(t: &Tape, hidden: Tensor, weight: ParamId, model: &Model, batch: Batch, chunk: u64) -> Tensor {
    let head = t.compute_weight(weight);
    let x = match t.autocast_width() {
        Some(width) => t.cast(&hidden, width),
        None => hidden.clone(),
    };
    drop(hidden);
    let rows = batch.tokens();
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
