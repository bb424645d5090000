//! Cross entropy over the tokens of a target (transformers 5.23, `T5ForConditionalGeneration`).

use super::causal::logits;
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::Setup;
use crate::tape::{Tape, Tensor};

/// The loss over the target.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let target = Batch { size: batch.size, seq_len: if setup.target_length == 0 { batch.seq_len } else { setup.target_length } };
    let labels = t.empty_as(target.tokens(), 8, Part::Other);
    let (hidden, names) = model.translate(t, ids, batch, target, setup);
    t.set_site(super::site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return hidden };
    // The outputs of the stacks hold the last hidden states until the forward returns.
    let last = hidden.clone();
    let logits = model.bias_logits(t, logits(t, hidden, *weight, *bias, model.vocab));
    let loss = t.cross_entropy(&logits, &labels);
    drop(last);
    for name in &names {
        t.return_output(name);
    }
    super::return_logits(t, model, &logits);
    drop((logits, names, labels));
    loss
}
