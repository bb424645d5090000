//! Embeddings of texts (sentence-transformers 5.1 `sentence_transformer/modules/pooling.py`): each column of texts passes the encoder, and
//! the mean over its tokens is compared with those of the other columns.

use crate::model::{Batch, Model};
use crate::setup::Setup;
use crate::tape::{Tape, Tensor};

/// The loss over pooled rows. What the columns keep for backward lives together, so they count as one batch.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(super::site());
    // The mask has the shape and type of the hidden states.
    let mask = t.empty(hidden.numel, hidden.width);
    let kept = t.records(&[&hidden]).then(|| t.save(&mask));
    let masked = t.empty(hidden.numel, hidden.width);
    let masked = t.record(&[&hidden], masked, move |tape, grad| {
        let out = tape.empty(grad.numel, grad.width);
        drop((grad, kept));
        vec![Some(out)]
    });
    drop((hidden, mask));
    let (rows, numel) = (batch.size * model.hidden, masked.numel);
    let pooled = t.empty(rows, masked.width);
    let width = masked.width;
    let pooled = t.record(&[&masked], pooled, move |tape, grad| {
        drop(grad);
        vec![Some(tape.empty(numel, width))]
    });
    drop(masked);
    let similarity = t.unary_saving_input(t.cast(&pooled, 4));
    drop(pooled);
    super::scalar(t, &similarity)
}
