//! A loss that code of the project computes, step by step.

use super::distillation::{elementwise, relative_entropy};
use super::{Models, causal, scalar};
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::{LossOp, OwnLoss, Setup};
use crate::tape::{Operand, Tape, Tensor};

/// Logits of a row of tokens for each position.
struct Sizes {
    /// Logits of all positions, and of all but one.
    whole: u64,
    shifted: u64,
    rows: u64,
}

/// The loss of one micro-batch.
pub(super) fn loss(t: &Tape, models: &Models, ids: &Tensor, batch: Batch, setup: &Setup, own: &OwnLoss) -> Tensor {
    let labels = t.empty_as(batch.tokens(), 8, Part::Other);
    let vocab = models.policy.vocab;
    let shifted = batch.size * batch.seq_len.saturating_sub(1) * vocab;
    let sizes = Sizes { whole: batch.tokens() * vocab, shifted, rows: batch.size };
    let mut results: Vec<Option<Tensor>> = Vec::new();
    let strided = strided(own, batch.size);
    let mut of_model: Option<Tensor> = None;
    let mut parts: Vec<Tensor> = Vec::new();
    for (number, step) in own.steps.iter().enumerate() {
        let inputs: Vec<Tensor> = step.inputs.iter().filter_map(|input| results.get(*input)?.clone()).collect();
        let result = match step.op {
            LossOp::Student { labels: given } => {
                if setup.outputs_to_fp32 && !own.in_autocast {
                    // accelerate makes each call of the model an autocast of its own.
                    t.forget_copies();
                }
                let (logits, loss) = student(t, &models.policy, ids, batch, setup, given);
                t.end_unnamed_call();
                of_model = loss;
                Some(logits)
            }
            LossOp::Teacher => {
                t.forget_copies();
                let teacher = models.teacher.as_ref().unwrap_or(&models.policy);
                let ask = |t: &Tape| t.no_grad(|t| answer(t, teacher, ids, batch, setup, false));
                let logits = if own.in_autocast { ask(t) } else { t.autocast(None, ask) };
                t.end_unnamed_call();
                t.set_site(super::site());
                Some(logits)
            }
            LossOp::ModelLoss => {
                parts.extend(of_model.clone());
                None
            }
            op => {
                let of_view = step.inputs.first().is_some_and(|input| strided[*input]);
                let run = |t: &Tape| computed(t, op, &inputs, of_view, &sizes, &labels);
                let result = if own.in_autocast { run(t) } else { t.autocast(None, run) };
                if matches!(op, LossOp::CrossEntropy | LossOp::Sum | LossOp::Gather) {
                    parts.extend(result);
                    None
                } else {
                    result
                }
            }
        };
        drop(inputs);
        t.rebind(number);
        results.push(result);
        for freed in &step.frees {
            results[*freed] = None;
            if own.steps.get(*freed).is_some_and(|step| matches!(step.op, LossOp::Student { .. })) {
                of_model = None;
            }
        }
    }
    for number in &own.kept {
        if let Some(kept) = results.get(*number).and_then(Option::as_ref) {
            t.keep_bound(*number, kept);
        }
    }
    drop((results, of_model, labels));
    let total = parts.into_iter().reduce(|sum, part| t.add(sum, part));
    total.unwrap_or_else(|| t.empty(1, 4))
}

/// The logits that the trained model returns, and the loss that it computes.
fn student(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup, labels: bool) -> (Tensor, Option<Tensor>) {
    let count = t.empty_as(1, 8, Part::Other);
    let logits = answer(t, model, ids, batch, setup, true);
    let loss = labels.then(|| {
        let wide = t.cast_logits(&logits, 4);
        let padded = t.empty_as(batch.tokens() + 1, 8, Part::Other);
        let shifted = t.empty_as(batch.tokens(), 8, Part::Other);
        let loss = t.cross_entropy(&wide, &shifted);
        drop((wide, padded, shifted));
        t.mul(loss, Operand::Columns(&count))
    });
    let logits = if t.widens_outputs() {
        t.forget_copies();
        t.cast_logits(logits, 4)
    } else {
        logits
    };
    (logits, loss)
}

fn answer(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup, train: bool) -> Tensor {
    let hidden = model.forward(t, ids, batch, setup, train);
    t.set_site(super::site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return hidden };
    model.finish_logits(t, causal::logits(t, hidden, *weight, *bias, model.vocab))
}

/// Which results are views of several rows without their last positions, which are not contiguous.
fn strided(own: &OwnLoss, rows: u64) -> Vec<bool> {
    own.steps.iter().map(|step| step.op == LossOp::Slice && rows > 1).collect()
}

/// The result of a step that calls no model. `of_view`: its first input is not contiguous.
fn computed(t: &Tape, op: LossOp, inputs: &[Tensor], of_view: bool, sizes: &Sizes, labels: &Tensor) -> Option<Tensor> {
    let first = inputs.first()?;
    // Autocast computes these in fp32 (torch 2.15 `autocast_mode.h`).
    let wide = |x: &Tensor| if t.autocast_width().is_some() { t.cast_logits(x, 4) } else { x.clone() };
    Some(match op {
        LossOp::Widen => t.cast_logits(first, 4),
        LossOp::Slice if first.numel == sizes.whole => t.slice(first, sizes.shifted),
        LossOp::Copy if sizes.rows > 1 => {
            let copy = t.contiguous(first);
            t.relabel(&copy.block, Part::Logits);
            copy
        }
        LossOp::Slice | LossOp::Copy => first.clone(),
        LossOp::Scale => elementwise(t, &[first], &[], first.numel),
        LossOp::Combine => elementwise(t, &inputs.iter().collect::<Vec<_>>(), &[], first.numel),
        LossOp::Product => {
            let all: Vec<&Tensor> = inputs.iter().collect();
            elementwise(t, &all, &all, first.numel)
        }
        LossOp::LogSoftmax | LossOp::Softmax => {
            let input = wide(first);
            // The kernel reads a copy of what is not contiguous (torch 2.15 `aten/src/ATen/native/cuda/SoftMax.cu`).
            let copy = (of_view && input.width == first.width).then(|| t.empty_as(input.numel, input.width, Part::Logits));
            let result = t.log_softmax(input);
            drop(copy);
            result
        }
        LossOp::Gather => scalar(t, &t.gather(first, sizes.rows)),
        LossOp::Sum => {
            let loss = t.empty(1, first.width);
            t.record(&[first], loss, |_, grad| vec![Some(grad)])
        }
        LossOp::CrossEntropy => scalar(t, &t.cross_entropy(first, labels)),
        LossOp::Divergence { log_target } => {
            let (input, target) = (wide(first), wide(inputs.get(1)?));
            let numel = input.numel;
            if log_target {
                return Some(relative_entropy(t, &input, &target, numel));
            }
            // `xlogy(target, target) - target * input` (torch 2.15 `aten/src/ATen/native/Loss.cpp`).
            let entropy = elementwise(t, &[&target], &[], numel);
            let cross = elementwise(t, &[&target, &input], &[&target], numel);
            elementwise(t, &[&entropy, &cross], &[], numel)
        }
        LossOp::Student { .. } | LossOp::Teacher | LossOp::ModelLoss => return None,
    })
}
