//! The steps of a loss in a record: `["student", "widen 0", "slice 1", "cross-entropy 2 free 1 2"]`.

use super::vocabulary::parse;
use vramlint_base::{Message, message};
use vramlint_memory::setup::{LossOp, LossStep, OwnLoss};

const OPS: &[(&str, LossOp)] = &[
    ("student", LossOp::Student { labels: false }),
    ("student_with_labels", LossOp::Student { labels: true }),
    ("teacher", LossOp::Teacher),
    ("model_loss", LossOp::ModelLoss),
    ("widen", LossOp::Widen),
    ("slice", LossOp::Slice),
    ("copy", LossOp::Copy),
    ("scale", LossOp::Scale),
    ("combine", LossOp::Combine),
    ("product", LossOp::Product),
    ("log_softmax", LossOp::LogSoftmax),
    ("softmax", LossOp::Softmax),
    ("gather", LossOp::Gather),
    ("sum", LossOp::Sum),
    ("cross_entropy", LossOp::CrossEntropy),
    ("kl_div", LossOp::Divergence { log_target: false }),
    ("kl_div_of_logs", LossOp::Divergence { log_target: true }),
];

/// Reads the steps. `kept` are the results that a loop still names when it calls backward.
pub(super) fn read(steps: &[String], kept: &[String], in_autocast: bool) -> Result<OwnLoss, Message> {
    let kept = kept.iter().map(|number| number.parse().ok()).collect::<Option<Vec<usize>>>();
    let steps = steps.iter().enumerate().map(|(number, text)| step(text, number)).collect::<Option<Vec<LossStep>>>();
    match (steps, kept) {
        (Some(steps), Some(kept)) => Ok(OwnLoss { steps, kept_by_loop: !kept.is_empty(), kept, keeps_output: true, in_autocast }),
        _ => Err(message!(
            "own_loss: expected steps such as `cross_entropy 2 free 1 2`",
            "own_loss：应为 `cross_entropy 2 free 1 2` 这样的步骤"
        )),
    }
}

fn step(text: &str, number: usize) -> Option<LossStep> {
    let (taken, freed) = text.split_once(" free").unwrap_or((text, ""));
    let (op, inputs) = taken.split_once(' ').unwrap_or((taken, ""));
    let numbers = |text: &str| -> Option<Vec<usize>> {
        text.split_whitespace().map(|word| word.parse().ok().filter(|known| *known <= number)).collect()
    };
    Some(LossStep { op: parse(OPS, op)?, inputs: numbers(inputs)?, frees: numbers(freed)? })
}
