//! Smoothed labels (transformers 5.23 `trainer_pt_utils.py`, `LabelSmoother`): the loss is computed outside of the model, from the logits that
//! it returns.

use super::{causal, site};
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::{Setup, Task};
use crate::tape::{Tape, Tensor};

/// The loss of next tokens, or of the tokens of a target.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let shifts = setup.task == Task::CausalLm;
    let rows = match setup.task {
        Task::Seq2Seq if setup.target_length > 0 => Batch { seq_len: setup.target_length, ..batch },
        _ => batch,
    };
    let labels = t.empty_as(rows.tokens(), 8, Part::Other);
    let (hidden, names) = match setup.task {
        Task::Seq2Seq => model.translate(t, ids, batch, rows, setup),
        _ => (model.forward(t, ids, batch, setup, true), Vec::new()),
    };
    t.set_site(site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return hidden };
    let returned = model.finish_logits(t, model.bias_logits(t, causal::logits(t, hidden, *weight, *bias, model.vocab)));
    let in_autocast = t.autocast_width().is_some();
    t.autocast(None, |t| {
        // The autocast of the model has ended.
        t.forget_copies();
        let logits = if in_autocast { t.cast_logits(returned, 4) } else { returned };
        let numel = if shifts { batch.size * (batch.seq_len - 1) * model.vocab } else { logits.numel };
        let seen = if shifts { t.contiguous(t.slice(&logits, numel)) } else { logits.clone() };
        t.relabel(&seen.block, Part::Logits);
        let probabilities = t.log_softmax(&seen);
        let negative = t.negated(&probabilities);
        let loss = t.picked_and_summed(&negative);
        drop((logits, labels, names));
        loss
    })
}

impl Tape {
    /// `-x`.
    fn negated(&self, x: &Tensor) -> Tensor {
        let out = self.empty_as(x.numel, x.width, Part::Logits);
        self.record(&[x], out, |tape, grad| {
            let out = tape.empty_as(grad.numel, grad.width, Part::Logits);
            vec![Some(out)]
        })
    }

    /// What `gather` picks for the labels, and the sum over the vocabulary. Backward writes the gradient of the first into zeros and adds
    /// the other, a view, in a new block.
    fn picked_and_summed(&self, x: &Tensor) -> Tensor {
        let out = self.empty(1, 4);
        let (numel, width) = (x.numel, x.width);
        let kept = self.records(&[x]).then(|| self.save(x));
        self.record(&[x], out, move |tape, grad| {
            let picked = tape.empty_as(numel, width, Part::Logits);
            drop(kept);
            let both = tape.empty_as(numel, width, Part::Logits);
            drop((picked, grad));
            vec![Some(both)]
        })
    }
}
