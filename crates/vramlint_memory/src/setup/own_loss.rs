//! A loss that code of the project computes from the logits of its models.

/// The steps from logits to a loss, in order. The result of a step is named by its number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct OwnLoss {
    /// The steps.
    pub steps: Vec<LossStep>,
    /// Results that are still named when backward is called.
    pub kept: Vec<usize>,
    /// Whether a loop names them: then each lives until the same step of the next micro-batch is done.
    pub kept_by_loop: bool,
    /// Whether what the model returned is among what is named, and not its logits alone.
    pub keeps_output: bool,
    /// Whether autocast is on where the loss is computed.
    pub in_autocast: bool,
}

impl OwnLoss {
    /// Whether a frozen model is asked too.
    pub fn asks_teacher(&self) -> bool {
        self.steps.iter().any(|step| step.op == LossOp::Teacher)
    }
}

/// A step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LossStep {
    /// What it computes.
    pub op: LossOp,
    /// The results that it takes.
    pub inputs: Vec<usize>,
    /// Results that nothing names after it.
    pub frees: Vec<usize>,
}

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossOp {
    /// The trained model is called; the result is its logits.
    Student {
        /// It gets labels, so it computes a loss of its own (transformers 5.23 `loss/loss_utils.py`).
        labels: bool,
    },
    /// The frozen model is called without gradients.
    Teacher,
    /// The loss that the trained model computed is a part of the loss.
    ModelLoss,
    /// Converted to fp32.
    Widen,
    /// All positions but one: a view.
    Slice,
    /// A copy of a slice, unless there is one row only.
    Copy,
    /// Multiplied or divided by a number.
    Scale,
    /// Added to, or subtracted from, as many others.
    Combine,
    /// Multiplied by as many others.
    Product,
    /// `log_softmax`.
    LogSoftmax,
    /// `softmax`.
    Softmax,
    /// One value of each row.
    Gather,
    /// A sum or a mean, which becomes a part of the loss.
    Sum,
    /// `F.cross_entropy`, which becomes a part of the loss.
    CrossEntropy,
    /// `F.kl_div` of each logit, from a distribution or from its logarithm.
    Divergence {
        /// The target is a logarithm.
        log_target: bool,
    },
}
