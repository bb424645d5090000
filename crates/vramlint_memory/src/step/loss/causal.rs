//! Cross entropy over all logits (transformers 5.23, `loss/loss_utils.py`).

use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::Setup;
use crate::tape::{Module, Operand, ParamId, Tape, Tensor};

/// `lm_head(hidden)`.
pub(super) fn logits(t: &Tape, hidden: Tensor, weight: ParamId, bias: Option<ParamId>, vocab: u64) -> Tensor {
    t.module(Module::leaf([Some(weight), bias]), hidden, |t, hidden| {
        let bias = bias.map(|bias| t.compute_weight(bias));
        let weight = t.compute_weight(weight);
        let x = match t.autocast_width() {
            Some(width) => t.cast(hidden, width),
            None => hidden.clone(),
        };
        t.matmul_as(x, weight, bias.as_ref(), vocab, Part::Logits)
    })
}

/// The loss of next tokens.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let labels = t.empty_as(batch.tokens(), 8, Part::Other);
    let count = t.empty_as(1, 8, Part::Other);
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(super::site());
    let OutputHead::Vocabulary { weight, bias, transform: _ } = &model.modules.head else { return hidden };
    let logits = model.finish_logits(t, logits(t, hidden, *weight, *bias, model.vocab));
    let wide = t.cast_logits(&logits, 4);
    let padded = t.empty_as(batch.tokens() + 1, 8, Part::Other);
    let shifted = t.empty_as(batch.tokens(), 8, Part::Other);
    let loss = t.cross_entropy(&wide, &shifted);
    drop((wide, padded, shifted));
    let divided = t.mul(loss, Operand::Columns(&count));
    super::return_logits(t, model, &logits);
    drop((logits, labels, count));
    divided
}
