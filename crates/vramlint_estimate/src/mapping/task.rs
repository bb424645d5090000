//! What is trained, how logits become a loss, and which reference model that needs.

use super::Mapping;
use super::said::setting;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::{Concept, Dialect};
use vramlint_memory::setup::{Head, Reference, Task};

/// Preference training that compares with no reference model.
const WITHOUT_REFERENCE: &[&str] = &["orpo", "cpo", "simpo"];

impl Mapping<'_> {
    /// The task as the project calls it.
    fn task_name(&self) -> Option<String> {
        let said = self.run.task.clone().or_else(|| self.text("task")).map(|name| name.to_lowercase());
        // A recipe of torchtune names its loss.
        let recipe = || {
            (self.run.dialect == Dialect::Torchtune && self.data_texts().any(|text| text.contains("DPOLoss")))
                .then(|| "dpo".to_owned())
        };
        said.or_else(recipe)
    }

    pub(super) fn task(&mut self) -> Result<(), Message> {
        let name = self.task_name();
        let task = match name.as_deref() {
            Some("sft" | "causal-lm" | "clm" | "pt" | "pretrain") => Task::CausalLm,
            Some("mlm" | "masked-lm") => Task::MaskedLm,
            Some("dpo" | "ipo" | "orpo" | "cpo" | "simpo") => Task::Dpo,
            Some("kto") => {
                self.assume(message!("KTO is counted as DPO: pairs of rows", "KTO 按 DPO 计：成对的行"));
                Task::Dpo
            }
            Some("grpo" | "rloo") => Task::Grpo,
            Some("reward" | "rm") => Task::Reward,
            Some("seq-cls") => Task::SequenceClassification,
            Some(other) => return Err(message!("the task {other} is not estimated", "不估算任务类型 {other}")),
            None if self.run.settings.contains_key(&Concept::NumGenerations) => {
                self.assume(message!(
                    "the task is not stated: groups of completions are trained as GRPO does",
                    "没有说明任务：按 GRPO 的方式训练成组的回复"
                ));
                Task::Grpo
            }
            None => {
                if !matches!(self.run.dialect, Dialect::HfTrainer | Dialect::Axolotl | Dialect::Torchtune | Dialect::Unsloth) {
                    self.assume(message!("the task is not stated: next-token prediction", "没有说明任务：按预测下一个 token 计"));
                }
                Task::CausalLm
            }
        };
        self.both(|setup| setup.task = task);
        Ok(())
    }

    /// Logits and loss, and the reference model.
    pub(super) fn head_and_reference(&mut self) {
        let head = self.head();
        self.both(|setup| setup.head = head);
        let reference = self.reference();
        self.both(|setup| setup.reference = reference);
    }

    /// TRL 1.16 computes the log-probabilities of SFT, DPO and GRPO in tiles (trl/kernels/chunked_logprob.py); the loss of
    /// transformers 5.23 writes all logits out (loss/loss_utils.py) unless Liger's kernel is on; unsloth has one of its own.
    fn head(&mut self) -> Head {
        if !matches!(self.most.task, Task::CausalLm | Task::Dpo | Task::Grpo | Task::MaskedLm) {
            return Head::FullLogits;
        }
        let said = setting(self.run, "fused_loss").and_then(|setting| setting.value()).cloned();
        let asked = match said.as_ref().map(|value| (value.as_str().map(str::to_lowercase), super::said::truth(value))) {
            Some((Some(word), _)) if word.contains("liger") || word.contains("cut_cross") || word == "cce" => Some(Head::Liger),
            Some((Some(word), _)) if ["fused", "chunked", "chunked_nll", "linear"].contains(&word.as_str()) => Some(Head::Fused),
            Some((_, Some(true))) => Some(Head::Liger),
            _ => None,
        };
        match (asked, self.run.dialect) {
            // TRL's own tiles need no kernel; Liger's flag does not make them larger.
            (_, Dialect::Trl) if self.most.task != Task::MaskedLm => {
                self.assume(message!(
                    "the loss is computed in tiles, as TRL 1.16 does; older versions write all logits out",
                    "损失分块计算（TRL 1.16 的做法）；旧版本会写出全部 logits"
                ));
                Head::Fused
            }
            (Some(head), _) => head,
            // torchtune 0.7.0 modules/loss: both compute the loss in pieces.
            (None, Dialect::Torchtune)
                if self
                    .data_texts()
                    .any(|text| text.contains("LinearCrossEntropyLoss") || text.contains("ChunkedOutputLoss")) =>
            {
                Head::Fused
            }
            (None, Dialect::Unsloth) => {
                self.assume(message!("the loss is computed in chunks, as unsloth does", "损失分块计算（unsloth 的做法）"));
                Head::Liger
            }
            _ => Head::FullLogits,
        }
    }

    /// DPO compares with a second copy, or with the base under its adapter (trl 1.16.0 trainer/dpo_trainer.py); GRPO with none unless
    /// `beta` is above zero (trainer/grpo_config.py), RLOO's being 0.05 (trainer/rloo_config.py).
    fn reference(&mut self) -> Reference {
        let name = self.task_name();
        let name = name.as_deref().unwrap_or_default();
        let needed = match self.most.task {
            Task::Dpo => !WITHOUT_REFERENCE.contains(&name) && !self.is_on("precompute_ref_log_probs"),
            Task::Grpo => {
                let beta = setting(self.run, "kl_beta").and_then(|setting| setting.value()).and_then(Value::as_float);
                beta.map_or(name == "rloo", |beta| beta > 0.0)
            }
            _ => false,
        };
        // A reference that the project names is loaded whatever the adapters do (trl keeps it without a warning).
        let named = setting(self.run, "reference_model").is_some_and(|setting| setting.value().is_some());
        match (needed, self.most.lora.is_some()) {
            (false, _) => Reference::None,
            (true, true) if !named => Reference::Adapter,
            (true, _) => Reference::Copy,
        }
    }
}
