//! Preferences over own completions (TRL 1.16 `experimental/online_dpo/online_dpo_trainer.py`): policy and reference write out the logits
//! of prompts and completions, and keep the log-probabilities of the completions.

use super::{Models, REFERENCE, after_autocast, causal, scalar, site};
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::Setup;
use crate::tape::{Site, Tape, Tensor};

/// The loss over the two completions of each prompt.
pub(super) fn loss(t: &Tape, models: &Models, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let own = log_probs(t, &models.policy, ids, batch, setup, true);
    // Each call of a model is an autocast of its own.
    t.forget_copies();
    let other = models.reference.as_ref().unwrap_or(&models.policy);
    let reference = t.no_grad(|t| {
        let before = t.site();
        t.set_site(Site { name: &REFERENCE, ..before });
        other.without_adapters(models.reference.is_none(), |model| log_probs(t, model, ids, batch, setup, false))
    });
    t.forget_copies();
    t.set_site(site());
    let loss = scalar(t, &own);
    drop((own, reference));
    loss
}

/// Log-probabilities of the tokens of the completions. What a model returns is converted to fp32 when its autocast has ended.
fn log_probs(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup, train: bool) -> Tensor {
    let hidden = model.forward(t, ids, batch, setup, train);
    t.set_site(site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return hidden };
    let logits = model.finish_logits(t, causal::logits(t, hidden, *weight, *bias, model.vocab));
    after_autocast(t, logits, |t, logits| {
        let rows = batch.size * batch.seq_len.saturating_sub(setup.prompt_length).max(1);
        let completions = t.slice(&logits, rows * model.vocab);
        let probabilities = t.log_softmax(t.contiguous(completions));
        t.relabel(&probabilities.block, Part::Logits);
        let picked = t.gather(&probabilities, rows);
        drop(logits);
        picked
    })
}
