//! What other processes hold on the GPUs of the trained policy: the reference, the critic and the reward model of OpenRLHF.

use super::Mapping;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_memory::setup::{Offload, Scheme, Task};

/// Tokens of a micro-batch by default, if its rows are chosen by their tokens (OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py).
const TOKENS: u64 = 16_192;
/// Context and libraries of a process that only runs a model forward.
const CONTEXT: u64 = 512 << 20;
/// Bytes of master weights and states of AdamW for each parameter.
const STATES: u64 = 12;

impl Mapping<'_> {
    /// Maps the processes beside the policy (OpenRLHF 0.11.0 openrlhf/cli/train_ppo_ray.py). The GPUs of the policy are the fullest ones: it
    /// trains, and nothing else computes logits with a graph.
    pub(super) fn other_processes(&mut self, model: &Model) -> Result<(), Message> {
        if self.upper.task != Task::Ppo {
            return Ok(());
        }
        self.dynamic_batch();
        let all = self.asks(&["train.colocate_all", "colocate_all_models"]);
        let with_reference = all || self.asks(&["train.colocate_actor_ref", "colocate_actor_ref"]);
        let coefficient = self.option(&["algo.kl.init_coef", "init_kl_coef"]).and_then(|text| text.parse::<f64>().ok());
        let world = self.upper.parallel.world.max(1);
        let ranks = if self.upper.parallel.scheme == Scheme::Zero3 { world } else { 1 };
        let weights = |parameters: u64| parameters * 2 / ranks + CONTEXT;
        let mut held = 0;
        if with_reference && coefficient.is_none_or(|weight| weight > 0.0) && !self.asks(&["ref.offload", "ref_reward_offload"]) {
            held += weights(model.arch.parameters());
        }
        if all {
            let scored = self.value(Concept::RewardModel).and_then(Value::as_str).map(str::to_owned);
            let reward = match scored.as_deref() {
                Some(id) => Some(self.models.find_or_infer(id).ok_or_else(|| message!("unknown model {id}", "未知的模型 {id}"))?),
                None => None,
            };
            let estimator = self.option(&["algo.advantage.estimator", "advantage_estimator"]);
            if estimator.is_none_or(|name| name == "gae") {
                let parameters = reward.as_ref().unwrap_or(model).arch.parameters();
                let rests = self.asks(&["ds.enable_sleep", "deepspeed_enable_sleep"]);
                let offloaded = rests || self.upper.parallel.offload_optimizer != Offload::None;
                held += weights(parameters) + if offloaded { 0 } else { parameters * STATES / world };
            }
            if let Some(reward) = reward.filter(|_| !self.asks(&["reward.offload", "ref_reward_offload"])) {
                held += weights(reward.arch.parameters());
            }
            self.upper.generation = self.round(0, 0, 0).filter(|round| !round.sleep_mode);
        }
        self.upper.external_bytes = held;
        self.assume_unverified(message!(
            "the estimate is of the GPUs that train the policy; other models on them count with their weights",
            "估算针对训练策略模型的 GPU；同卡的其他模型只计权重"
        ));
        Ok(())
    }

    /// A micro-batch that takes rows up to a number of tokens.
    fn dynamic_batch(&mut self) {
        if !self.fills_by_tokens() {
            return;
        }
        let given = self.option(&["train.max_tokens_per_gpu", "train_max_tokens_per_gpu"]).and_then(|text| text.parse().ok());
        let tokens: u64 = given.unwrap_or(TOKENS);
        // A longer row is a micro-batch of its own (openrlhf/utils/seqlen_balancing.py).
        let row = self.positive(Concept::SequenceLength).ok().flatten().map_or(0, |length| length.upper);
        self.both(|setup| setup.sequence_length = tokens.saturating_mul(setup.parallel.context.max(1)));
        self.upper.sequence_length = self.upper.sequence_length.max(row);
    }

    /// Whether a micro-batch takes as many rows as a number of tokens allows, in one packed row.
    pub(super) fn fills_by_tokens(&self) -> bool {
        self.upper.task == Task::Ppo && self.asks(&["train.dynamic_batch_enable", "use_dynamic_batch"])
    }

    /// Whether the command has one of these switches.
    fn asks(&self, names: &[&str]) -> bool {
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        let found = options.iter().rfind(|option| names.contains(&option.name.trim_start_matches('-')));
        found.is_some_and(|option| {
            let text = option.value.as_ref().and_then(|value| value.text.as_deref());
            !text.is_some_and(|text| text.eq_ignore_ascii_case("false"))
        })
    }

    /// The value that the command gives one of these options.
    fn option(&self, names: &[&str]) -> Option<String> {
        let options = self.run.launch.as_ref().map(|launch| launch.options()).unwrap_or_default();
        let found = options.iter().rfind(|option| names.contains(&option.name.trim_start_matches('-')))?;
        Some(found.value.as_ref()?.text.as_deref()?.to_owned())
    }
}
