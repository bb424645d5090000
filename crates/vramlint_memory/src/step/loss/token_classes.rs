//! Scores per token: token classification and question answering (transformers 5.23, `BertForTokenClassification`,
//! `BertForQuestionAnswering`).

use super::{return_logits, scalar, site};
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead, linear};
use crate::setup::{Setup, Task};
use crate::tape::{Tape, Tensor};

/// The loss over the classes of every token, or over the tokens of every row.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let answers = setup.task == Task::QuestionAnswering;
    let labels = t.empty_as(if answers { 2 * batch.size } else { batch.tokens() }, 8, Part::Other);
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(site());
    let OutputHead::Classes { score, .. } = &model.modules.head else { return hidden };
    let logits = if answers { linear(t, &hidden, score) } else { linear(t, &t.dropout(&hidden), score) };
    drop(hidden);
    return_logits(t, model, &logits);
    if answers {
        // First and last tokens: two slices, each made contiguous.
        let of = |t: &Tape| t.cross_entropy(t.contiguous(t.slice(&logits, batch.tokens())), &labels);
        let (first, last) = (of(t), of(t));
        return scalar(t, &t.add(first, last));
    }
    t.cross_entropy(logits, &labels)
}
