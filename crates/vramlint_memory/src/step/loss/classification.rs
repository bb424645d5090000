//! Scores per row: classification and reward models.

use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead, activate, linear};
use crate::setup::{Setup, Task};
use crate::tape::{Tape, Tensor};

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
