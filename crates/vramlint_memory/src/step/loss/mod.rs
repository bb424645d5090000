//! From a batch to a loss, task by task.

mod binary_classifier;
mod causal;
mod classification;
mod distillation;
mod embedding;
mod fused;
mod fused_cross_entropy;
mod masked;
mod odds_ratio;
mod online_dpo;
mod own;
mod selective_log_softmax;
mod seq2seq;
mod smoothed;
mod token_classes;
mod value_head;

use crate::estimate::{Label, Part, Phase};
use crate::model::{Batch, Model, OutputHead};
use crate::setup::{Head as HeadKind, Setup, Task};
use crate::tape::{Operand, Site, Tape, Tensor};

pub(super) static LOSS: Label = Label { en: "head and loss", zh: "输出层与损失" };
pub(super) static REFERENCE: Label = Label { en: "reference model", zh: "参考模型" };

/// The models of a run.
pub(super) struct Models {
    pub(super) policy: Model,
    /// A second copy of the weights, frozen.
    pub(super) reference: Option<Model>,
    /// The model whose distribution the policy learns.
    pub(super) teacher: Option<Model>,
}

fn site() -> Site {
    Site { phase: Phase::Loss, layer: 0, name: &LOSS }
}

/// The loss of one micro-batch.
pub(super) fn loss(t: &Tape, models: &Models, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    if let Some(own) = setup.own_loss.as_ref().filter(|_| t.site().phase != Phase::Evaluate) {
        return own::loss(t, models, ids, batch, setup, own);
    }
    match setup.task {
        Task::CausalLm | Task::Seq2Seq if setup.head == HeadKind::Smoothed => {
            smoothed::loss(t, &models.policy, ids, batch, setup)
        }
        Task::Dpo => preference(t, models, ids, batch, setup),
        Task::Kto => {
            // Log-probabilities of mismatched rows estimate the divergence (trl 1.16.0 trainer/kto_trainer.py, `_compute_kl_logps`).
            let divergence = t.no_grad(|t| log_probs(t, &models.policy, ids, batch, setup, false));
            // Each call of the model is an autocast of its own.
            t.forget_copies();
            let loss = preference(t, models, ids, batch, setup);
            drop(divergence);
            loss
        }
        Task::Bco => binary_classifier::loss(t, models, ids, batch, setup),
        Task::ValueReward => value_head::loss(t, &models.policy, ids, batch, setup),
        Task::Reranker => classification::by_vocabulary(t, &models.policy, ids, batch, setup),
        Task::Ppo => causal::loss(t, &models.policy, ids, batch, setup),
        Task::OnlineDpo => online_dpo::loss(t, models, ids, batch, setup),
        Task::Gkd => distillation::whole_logits(t, models, ids, batch, setup),
        Task::Distillation => distillation::tiles(t, models, ids, batch, setup),
        Task::EmbeddingPairs | Task::EmbeddingTriplets => embedding::loss(t, &models.policy, ids, batch, setup),
        Task::Orpo | Task::Simpo | Task::Tpo => odds_ratio::loss(t, &models.policy, ids, batch, setup),
        Task::Grpo => {
            let ratio = log_probs(t, &models.policy, ids, batch, setup, true);
            // Old log-probabilities, ratio, both clipped products and their minimum.
            let old = ratio.detach();
            let exp = t.unary_saving_output(t.add(&ratio, &old));
            let clipped = t.unary_saving_input(&exp);
            scalar(t, &t.add(exp, clipped))
        }
        Task::ImageClassification => classification::of_images(t, &models.policy, ids, batch, setup),
        Task::Reward | Task::SequenceClassification | Task::MultipleChoice => {
            classification::loss(t, &models.policy, ids, batch, setup)
        }
        Task::TokenClassification | Task::QuestionAnswering => token_classes::loss(t, &models.policy, ids, batch, setup),
        Task::Seq2Seq => seq2seq::loss(t, &models.policy, ids, batch, setup),
        // Only transformers' own heads know masked tokens.
        Task::MaskedLm => masked::loss(t, &models.policy, ids, batch, setup),
        Task::CausalLm if setup.head == HeadKind::FullLogits => causal::loss(t, &models.policy, ids, batch, setup),
        Task::CausalLm if matches!(setup.head, HeadKind::Liger | HeadKind::Unsloth) => {
            let labels = t.empty_as(batch.tokens(), 8, Part::Other);
            let hidden = models.policy.forward(t, ids, batch, setup, true);
            t.set_site(site());
            let OutputHead::Vocabulary { weight, .. } = &models.policy.modules.head else { return hidden };
            let rows = batch.tokens();
            let chunk = match setup.head {
                HeadKind::Unsloth => fused_cross_entropy::unsloth_rows(rows, &models.policy),
                _ => fused_cross_entropy::liger_rows(rows, &models.policy),
            };
            let loss = fused_cross_entropy::loss(t, hidden, *weight, &models.policy, batch, chunk);
            drop(labels);
            loss
        }
        Task::CausalLm => {
            let labels = t.empty_as(batch.tokens(), 8, Part::Other);
            let probabilities = log_probs(t, &models.policy, ids, batch, setup, true);
            drop(labels);
            scalar(t, &probabilities)
        }
    }
}

/// Log-probabilities of policy and reference, and the loss over pairs.
fn preference(t: &Tape, models: &Models, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let chosen = log_probs(t, &models.policy, ids, batch, setup, true);
    let other = models.reference.as_ref().unwrap_or(&models.policy);
    let reference = t.no_grad(|t| {
        let before = t.site();
        t.set_site(Site { name: &REFERENCE, ..before });
        // With adapters, the reference is the policy with its adapters disabled.
        other.without_adapters(models.reference.is_none(), |model| log_probs(t, model, ids, batch, setup, false))
    });
    t.set_site(site());
    let difference = t.add(scalar(t, &chosen), t.empty(batch.size, chosen.width));
    drop((chosen, reference));
    t.unary_saving_input(difference)
}

/// Log-probabilities of the tokens: `rows × length` elements.
fn log_probs(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup, train: bool) -> Tensor {
    let hidden = model.forward(t, ids, batch, setup, train);
    t.set_site(site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return scalar(t, &hidden) };
    match setup.head {
        HeadKind::FullLogits | HeadKind::Smoothed => {
            let (kept, length) = match setup.task {
                Task::Grpo => {
                    let kept = batch.seq_len.saturating_sub(setup.prompt_length) + 1;
                    (kept.min(batch.seq_len), kept - 1)
                }
                _ => (batch.seq_len, batch.seq_len - 1),
            };
            // A part of the rows is copied before the product.
            let hidden =
                if kept < batch.seq_len { t.contiguous(t.slice(hidden, batch.size * kept * model.hidden)) } else { hidden };
            let logits = causal::logits(t, hidden, *weight, *bias, model.vocab);
            let shifted = t.slice(&logits, batch.size * length * model.vocab);
            drop(logits);
            let scaled = if setup.task == Task::Grpo { t.scale_logits(shifted) } else { shifted };
            selective_log_softmax::log_probs(t, scaled, batch.size, length, model.vocab)
        }
        HeadKind::Fused | HeadKind::Liger | HeadKind::Unsloth => fused::log_probs(t, hidden, *weight, model, batch),
    }
}

/// The model returns its logits, to the GPU of its input if it is spread over several (accelerate 1.15 `dispatch_model`,
/// `io_same_device`). accelerate converts what a model returns to fp32 when its autocast has ended.
fn return_logits(t: &Tape, model: &Model, logits: &Tensor) {
    let gpu = t.gpu();
    t.no_grad(|t| {
        let logits = t.move_to(logits, model.modules.placement.embedding);
        if t.widens_outputs() {
            t.forget_copies();
            t.return_output(&t.cast_logits(&logits, 4));
        } else {
            t.return_output(&logits);
        }
    });
    t.set_gpu(gpu);
}

/// Computes with logits when the autocast of the model has ended: accelerate has converted them to fp32.
fn after_autocast<T>(t: &Tape, logits: Tensor, body: impl FnOnce(&Tape, Tensor) -> T) -> T {
    let in_autocast = t.autocast_width().is_some();
    t.autocast(None, |t| body(t, if in_autocast { t.cast_logits(logits, 4) } else { logits }))
}

/// A mean over what is small.
fn scalar(t: &Tape, x: &Tensor) -> Tensor {
    t.mean_last(t.mul(x, Operand::Scalar), 1)
}
