//! Distillation from a teacher in the same process.

use super::{Models, causal, fused, scalar, site};
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::Setup;
use crate::tape::{Tape, Tensor};

/// The generalized Jensen-Shannon divergence over all logits (TRL 1.16 `experimental/gkd/gkd_trainer.py`, `generalized_jsd_loss` with
/// `beta` between 0 and 1). Both models return logits in fp32 when they compute under autocast.
pub(super) fn whole_logits(t: &Tape, models: &Models, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let student = logits(t, &models.policy, ids, batch, setup, true);
    let teacher = models.teacher.as_ref().unwrap_or(&models.policy);
    t.forget_copies();
    let teacher = t.no_grad(|t| logits(t, teacher, ids, batch, setup, false));
    t.set_site(site());
    t.autocast(None, |t| {
        let rows = batch.size * batch.seq_len.saturating_sub(1);
        divergence(t, &student, &teacher, rows * models.policy.vocab)
    })
}

/// The same divergence over tiles of the vocabulary (TRL 1.16 `trainer/distillation_trainer.py`, `kernels/chunked_divergence.py`); the
/// trainer calls both models outside of autocast.
pub(super) fn tiles(t: &Tape, models: &Models, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    t.autocast(None, |t| {
        let hidden = models.policy.forward(t, ids, batch, setup, true);
        let teacher = models.teacher.as_ref().unwrap_or(&models.policy);
        let target = t.no_grad(|t| teacher.forward(t, ids, batch, setup, false));
        t.set_site(site());
        let OutputHead::Vocabulary { weight, .. } = &models.policy.modules.head else { return hidden };
        let kept = t.empty(target.numel, target.width);
        let loss = fused::log_probs(t, hidden, *weight, &models.policy, batch);
        drop((target, kept));
        scalar(t, &loss)
    })
}

fn logits(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup, train: bool) -> Tensor {
    let hidden = model.forward(t, ids, batch, setup, train);
    t.set_site(site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return hidden };
    let logits = model.finish_logits(t, causal::logits(t, hidden, *weight, *bias, model.vocab));
    if t.autocast_width().is_some() { t.cast_logits(logits, 4) } else { logits }
}

/// `numel` logits of each model.
fn divergence(t: &Tape, student: &Tensor, teacher: &Tensor, numel: u64) -> Tensor {
    // Divided by the temperature: what the models returned stays with its caller.
    let student = t.scale_logits(t.slice(student, numel));
    let teacher = elementwise(t, &[teacher], &[], numel);
    let own = t.log_softmax(&student);
    let target = elementwise(t, &[&teacher], &[], numel);
    let stacked = {
        let (left, right) = (elementwise(t, &[&own], &[], numel), elementwise(t, &[&target], &[], numel));
        t.cat(&[&left, &right])
    };
    t.relabel(&stacked.block, Part::Logits);
    let mixture = log_sum_exp(t, &stacked, numel);
    drop(stacked);
    let from_teacher = relative_entropy(t, &mixture, &target, numel);
    let from_student = relative_entropy(t, &mixture, &own, numel);
    let sum = {
        let (first, second) = (elementwise(t, &[&from_teacher], &[], numel), elementwise(t, &[&from_student], &[], numel));
        elementwise(t, &[&first, &second], &[], numel)
    };
    // Tokens of answers are copied out.
    let picked = elementwise(t, &[&sum], &[], numel);
    drop(sum);
    let loss = t.empty(1, 4);
    let width = picked.width;
    let loss = t.record(&[&picked], loss, move |tape, grad| {
        drop(grad);
        vec![Some(tape.empty_as(numel, width, Part::Logits))]
    });
    drop((student, teacher, own, target, mixture, from_teacher, from_student, picked));
    loss
}

/// `F.kl_div(input, target, log_target=True)`: `exp(target) * (target - input)` (torch 2.15 `aten/src/ATen/native/Loss.cpp`).
pub(super) fn relative_entropy(t: &Tape, input: &Tensor, target: &Tensor, numel: u64) -> Tensor {
    let weight = {
        let out = t.empty_as(numel, target.width, Part::Logits);
        let kept = t.records(&[target]).then(|| t.save(&out));
        t.record(&[target], out, move |tape, grad| {
            let out = tape.empty_as(grad.numel, grad.width, Part::Logits);
            drop((grad, kept));
            vec![Some(out)]
        })
    };
    let difference = elementwise(t, &[target, input], &[], numel);
    let saved: &[&Tensor] = if weight.requires_grad() { &[&weight, &difference] } else { &[&weight] };
    elementwise(t, &[&weight, &difference], saved, numel)
}

/// An operation on each logit. Backward keeps `saved` and computes a gradient for each input that needs one.
pub(super) fn elementwise(t: &Tape, inputs: &[&Tensor], saved: &[&Tensor], numel: u64) -> Tensor {
    let width = inputs.iter().map(|input| input.width).max().unwrap_or(4);
    let out = t.empty_as(numel, width, Part::Logits);
    let kept: Vec<_> = if t.records(inputs) { saved.iter().map(|tensor| t.save(tensor)).collect() } else { Vec::new() };
    let sizes: Vec<Option<u64>> = inputs.iter().map(|input| input.requires_grad().then_some(input.numel)).collect();
    t.record(inputs, out, move |tape, grad| {
        let grads = sizes.into_iter().map(|numel| numel.map(|numel| tape.empty_as(numel, width, Part::Logits))).collect();
        drop((kept, grad));
        grads
    })
}

/// `torch.logsumexp` over the two distributions of each logit.
fn log_sum_exp(t: &Tape, stacked: &Tensor, numel: u64) -> Tensor {
    let (whole, width) = (stacked.numel, stacked.width);
    let kept = t.records(&[stacked]).then(|| t.save(stacked));
    let largest = t.empty_as(numel, width, Part::Logits);
    let shifted = t.empty_as(whole, width, Part::Logits);
    let out = t.empty_as(numel, width, Part::Logits);
    drop((largest, shifted));
    let result = kept.is_some().then(|| t.save(&out));
    t.record(&[stacked], out, move |tape, grad| {
        let difference = tape.empty_as(whole, width, Part::Logits);
        let out = tape.empty_as(whole, width, Part::Logits);
        drop((difference, kept, result, grad));
        vec![Some(out)]
    })
}
