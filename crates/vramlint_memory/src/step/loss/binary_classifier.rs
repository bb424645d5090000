//! BCO of TRL 1.10 (`experimental/bco/bco_trainer.py`): log-probabilities of single rows from all logits, of the policy and of the
//! reference model.

use super::selective_log_softmax;
use super::{Models, REFERENCE, after_autocast, causal, scalar, site};
use crate::model::{Batch, Model, OutputHead};
use crate::setup::Setup;
use crate::tape::{Site, Tape, Tensor};

/// What one model says about the rows.
struct Answer {
    log_probs: Tensor,
    /// Copies of the logits of the desirable and of the undesirable rows, which the trainer averages for its metrics.
    copies: [Tensor; 2],
}

/// The loss. The copies of the policy live until the loss is known, those of the reference model until its call returns: the trainer
/// gives both the same name, which keeps the second.
pub(super) fn loss(t: &Tape, models: &Models, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let Some(policy) = answer(t, &models.policy, ids, batch, setup, true) else { return scalar(t, ids) };
    // Each call of the model is an autocast of its own.
    t.forget_copies();
    let other = models.reference.as_ref().unwrap_or(&models.policy);
    let reference = t.no_grad(|t| {
        let before = t.site();
        t.set_site(Site { name: &REFERENCE, ..before });
        other.without_adapters(models.reference.is_none(), |model| answer(t, model, ids, batch, setup, false))
    });
    t.set_site(site());
    let kept = reference.map(|Answer { copies: [_, second], .. }| second);
    let difference = t.add(scalar(t, &policy.log_probs), t.empty(batch.size, policy.log_probs.width));
    drop((policy, kept));
    t.unary_saving_input(difference)
}

fn answer(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup, train: bool) -> Option<Answer> {
    let hidden = model.forward(t, ids, batch, setup, train);
    t.set_site(site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return None };
    let logits = model.finish_logits(t, causal::logits(t, hidden, *weight, *bias, model.vocab));
    Some(after_autocast(t, logits, |t, logits| {
        let length = batch.seq_len - 1;
        let shifted = t.slice(&logits, batch.size * length * model.vocab);
        let log_probs = selective_log_softmax::log_probs(t, shifted, batch.size, length, model.vocab);
        let row = batch.seq_len * model.vocab;
        let desirable = batch.size / 2;
        let copies = [desirable, batch.size - desirable].map(|rows| t.index_copy(&logits, rows * row));
        Answer { log_probs, copies }
    }))
}
