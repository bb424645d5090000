//! Scores per row: classification and reward models.

use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead, activate, linear};
use crate::setup::{Setup, Task};
use crate::tape::{Tape, Tensor};

/// The loss over the logits of two words (ms-swift 4.6.0.dev0 swift/utils/transformers_utils.py `get_generative_reranker_logits`): only their
/// rows of the head are multiplied, but the gradient of the head is whole.
pub(super) fn by_vocabulary(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(super::site());
    let OutputHead::Vocabulary { weight, .. } = &model.modules.head else { return hidden };
    let (rows, size) = (t.weight(*weight), t.numel(*weight));
    let out = t.empty(batch.tokens(), hidden.width);
    let (trains, passes) = (rows.requires_grad(), hidden.requires_grad());
    let kept = trains.then(|| t.save(&hidden));
    let (numel, width, wide) = (hidden.numel, hidden.width, rows.width);
    let scores = t.record(&[&hidden, &rows], out, move |tape, grad| {
        let into = passes.then(|| tape.empty(numel, width));
        let own = trains.then(|| tape.empty_as(size, wide, Part::Gradients));
        drop((grad, kept));
        vec![into, own]
    });
    drop(hidden);
    let loss = t.unary_saving_input(t.cast(&scores, 4));
    super::scalar(t, &loss)
}

/// The loss over classes of images: the first token is scored (transformers 5.23, `ViTForImageClassification`).
pub(super) fn of_images(t: &Tape, model: &Model, pixels: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let labels = t.empty_as(batch.size, 8, Part::Other);
    let hidden = model.forward(t, pixels, batch, setup, true);
    t.set_site(super::site());
    let OutputHead::Classes { score, .. } = &model.modules.head else { return hidden };
    let first = t.slice(&hidden, batch.size * model.hidden);
    let scored = if model.classifies_mean() {
        let rest = t.slice(&hidden, first.numel * model.tokens_of_image());
        let mean = t.mean_last(rest, first.numel);
        t.cat(&[&first, &mean])
    } else {
        first.clone()
    };
    let scores = linear(t, &scored, score);
    drop((first, scored, hidden));
    let loss = t.unary_saving_input(t.cast(&scores, 4));
    drop((scores, labels));
    super::scalar(t, &loss)
}

/// The loss over classes, or over pairs of scores.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let labels = (setup.task == Task::SequenceClassification).then(|| t.empty_as(batch.size, 8, Part::Other));
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(super::site());
    let OutputHead::Classes { pooler, score, classes } = &model.modules.head else { return hidden };
    let scores = if let Some((dense, shape)) = pooler {
        // The first token of a row, a dense layer and an activation.
        let first = t.slice(&hidden, batch.size * model.hidden);
        let first = if shape.dropout_first { t.dropout(first) } else { first };
        let pooled = activate(t, linear(t, &first, dense), shape.activation);
        let dropped = t.dropout(pooled);
        linear(t, &dropped, score)
    } else {
        // Every token is scored; the last one that is no padding counts.
        let all = linear(t, &hidden, score);
        let picked = t.slice(&all, batch.size * classes);
        drop(all);
        t.contiguous(picked)
    };
    drop(hidden);
    let loss = t.unary_saving_input(t.cast(&scores, 4));
    drop((scores, labels));
    super::scalar(t, &loss)
}
