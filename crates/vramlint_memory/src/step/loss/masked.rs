//! Cross entropy of masked language models: over the logits as they are, without fp32 (transformers 5.23, `BertForMaskedLM`).

use super::causal::logits;
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead, activate, linear, norm};
use crate::setup::Setup;
use crate::tape::{Tape, Tensor};

/// The loss over every token.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let labels = t.empty_as(batch.tokens(), 8, Part::Other);
    let count = t.empty_as(1, 8, Part::Other);
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(super::site());
    let OutputHead::Vocabulary { weight, bias, transform } = &model.modules.head else { return hidden };
    let transformed = match transform {
        Some((dense, behind)) => {
            let dense = linear(t, &hidden, dense);
            let active = activate(t, dense, model.head.transform_activation);
            norm(t, &active, behind)
        }
        None => hidden.clone(),
    };
    let logits = model.finish_logits(t, logits(t, transformed, *weight, *bias, model.vocab));
    let loss = {
        let seen = if model.head.transform_without_bias { t.cast_logits(&logits, 4) } else { logits.clone() };
        t.cross_entropy(&seen, &labels)
    };
    drop(hidden);
    super::return_logits(t, model, &logits);
    drop((logits, labels, count));
    loss
}
