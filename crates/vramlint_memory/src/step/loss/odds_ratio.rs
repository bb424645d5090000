//! Preference losses without a reference model, over all logits of a pair or a triple (TRL 1.16 `experimental/orpo`, `experimental/cpo`,
//! `experimental/tpo`): log-probabilities of every row, and cross entropy over the chosen or the gold answers.

use super::{after_autocast, causal, scalar, site};
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::{Setup, Task};
use crate::tape::{Tape, Tensor};

/// The loss over pairs. The model computes under autocast; accelerate converts its logits to fp32, and the loss is computed in that.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return hidden };
    let logits = model.finish_logits(t, causal::logits(t, hidden, *weight, *bias, model.vocab));
    after_autocast(t, logits, |t, logits| {
        let labels = t.empty_as(batch.tokens(), 8, Part::Other);
        let row = (batch.seq_len - 1) * model.vocab;
        let chosen_rows = batch.size / setup.task.sequences_per_sample();
        // SimPO leaves the cross entropy out (`cpo_alpha=0`).
        let likelihood = (setup.task == Task::Orpo).then(|| {
            let chosen = t.slice(&logits, chosen_rows * batch.seq_len * model.vocab);
            let shifted = t.contiguous(t.slice(chosen, chosen_rows * row));
            t.cross_entropy(shifted, &labels)
        });
        let shifted = t.slice(&logits, batch.size * row);
        drop(logits);
        let pairs = scalar(t, &t.log_prob_kernel(&shifted, batch.size * (batch.seq_len - 1)));
        // TPO then cuts the shifted logits into thirds and picks the tokens of the last.
        let likelihood = likelihood.or_else(|| {
            (setup.task == Task::Tpo).then(|| {
                let third = chosen_rows * row;
                let gold = t.split(&shifted, &[third; 3]).pop().unwrap_or_else(|| shifted.clone());
                t.cross_entropy(t.index_copy(gold, third), &labels)
            })
        });
        match likelihood {
            Some(likelihood) => t.add(pairs, likelihood),
            None => pairs,
        }
    })
}

impl Tape {
    /// TRL 1.16's kernel for log-probabilities (`trl/kernels/logprob_entropy.py`): it keeps the logits, and its gradient is one tensor of
    /// their size.
    fn log_prob_kernel(&self, logits: &Tensor, rows: u64) -> Tensor {
        let out = self.empty(rows, 4);
        let kept = self.records(&[logits]).then(|| self.save(logits));
        let (numel, width) = (logits.numel, logits.width);
        self.record(&[logits], out, move |tape, grad| {
            let out = tape.empty_as(numel, width, Part::Logits);
            drop((grad, kept));
            vec![Some(out)]
        })
    }
}
