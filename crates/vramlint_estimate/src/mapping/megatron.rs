//! What the arguments of Megatron-Core say: how the model is divided, what is computed again, what the optimizer keeps.
//!
//! Names and meanings: Megatron-Core 0.18 `training/arguments.py`, which ms-swift repeats.

use super::Mapping;
use super::setting_range::integer;
use crate::models::Model;
use vramlint_base::{Message, Value, message};
use vramlint_catalog::Concept;
use vramlint_catalog::frameworks::MegatronDefaults;
use vramlint_memory::setup::{Checkpointing, Dtype, Megatron, Optimizer, Recompute, RecomputedParts, Scheme, Task};

/// Switches that change what a rank holds in ways that no formula here describes.
const OTHER_WAYS: &[&str] = &[
    "use_megatron_fsdp",
    "fp8_format",
    "fp4_format",
    "pipeline_model_parallel_layout",
    "mtp_shared_weights",
    "megatron_extra_kwargs",
];
/// Words that freeze parameters by their names.
const FREEZES_BY_NAME: &[&str] =
    &["freeze_parameters", "freeze_parameters_regex", "trainable_parameters", "trainable_parameters_regex"];
/// Implementations of attention that write scores out.
const WRITES_SCORES: &[&str] = &["unfused", "local"];

impl Mapping<'_> {
    /// Sets what the formulas for Megatron need. Returns the data-parallel ranks, if known, and completions per prompt.
    pub(super) fn megatron(&mut self, model: &Model, usual: &MegatronDefaults) -> Result<(Option<u64>, Option<u64>), Message> {
        self.supported_by_formulas()?;
        let world = self.parallel(model)?;
        self.adapters(model)?;
        let weights = self.megatron_weights(model)?;
        let num_generations = self.batch(model)?;
        self.set_reference();
        self.loader();
        self.machine();
        let writes_scores = self.argument_text("attention_backend")?.is_some_and(|word| WRITES_SCORES.contains(&word.as_str()));
        let joins_rows = self.megatron_switch("padding_free", usual.padding_free)? || self.is_on(Concept::Packing);
        let own = Megatron {
            recompute: self.recompute(usual)?,
            writes_scores,
            // Scores that are written out would span the rows (swift/megatron/model/utils.py `_check_padding_free`).
            joins_rows: joins_rows && !writes_scores,
            fused_rotary: self.megatron_switch("apply_rope_fusion", usual.fused_rotary)?,
            ..self.division(model, usual, world)?
        };
        let own = self.optimizer_states(own, weights)?;
        let logit = self.bytes_of_logit()?;
        let granularity = own.recompute;
        let is_sgd = self.argument_text("optimizer")?.as_deref() == Some("sgd");
        self.both(|setup| {
            setup.optimizer = if is_sgd { Optimizer::SgdMomentum } else { Optimizer::AdamWFused };
            setup.parallel.scheme = Scheme::Megatron;
            setup.parallel.megatron = Megatron { logit, ..own };
            setup.weights = weights;
            setup.autocast = None;
            // Adapters are cast to the type of the model (`Float16Module`).
            if let Some(lora) = &mut setup.lora {
                lora.dtype = None;
            }
            let again = matches!(granularity, Recompute::Groups(_) | Recompute::First(_));
            setup.checkpointing = if again { Checkpointing::Reentrant } else { Checkpointing::None };
        });
        let (name, source) = (self.run.dialect.framework().name, usual.source);
        self.assume_unverified(message!(
            "arguments of {name} that are not set have the defaults of {source}",
            "{name} 中未设置的参数按 {source} 的默认值计"
        ));
        Ok((world, num_generations))
    }

    /// Refuses what changes what a rank holds in ways that no formula describes.
    fn supported_by_formulas(&self) -> Result<(), Message> {
        for name in OTHER_WAYS.iter().chain(FREEZES_BY_NAME) {
            if self.argument_text(name)?.is_some_and(|text| !is_off(&text)) {
                return Err(message!("estimates do not support {name}", "不支持估算 {name}"));
            }
        }
        if let Some(name) = self.argument_text("optimizer")?.filter(|name| !matches!(name.as_str(), "adam" | "sgd")) {
            return Err(message!("estimates do not support {name} under Megatron", "不支持估算 Megatron 下的 {name}"));
        }
        if self.upper.task == Task::Grpo && self.argument_text("teacher_model")?.is_some() {
            return Err(message!(
                "estimates do not support teacher_model under Megatron",
                "不支持估算 Megatron 下的 teacher_model"
            ));
        }
        Ok(())
    }

    /// The type of the weights, which is also that of the computation (swift/arguments/base_args/model_args.py: fp16 of a checkpoint in fp32).
    fn megatron_weights(&mut self, model: &Model) -> Result<Dtype, Message> {
        if model.prequantized.is_some() {
            return Err(message!(
                "estimates do not support quantized weights under Megatron",
                "不支持估算 Megatron 下的量化权重"
            ));
        }
        let word = self.text(Concept::MixedPrecision).or_else(|| self.text(Concept::WeightsDtype));
        Ok(match word.as_deref() {
            Some("fp16") => Dtype::Fp16,
            Some("fp32" | "no") => Dtype::Fp32,
            Some("bf16") => Dtype::Bf16,
            _ if matches!(model.dtype, Some(Dtype::Fp16 | Dtype::Fp32)) => Dtype::Fp16,
            _ => Dtype::Bf16,
        })
    }

    /// Pipeline and expert ranks.
    fn division(&mut self, model: &Model, usual: &MegatronDefaults, world: Option<u64>) -> Result<Megatron, Message> {
        let has_experts = model.arch.has_experts();
        let of_experts = |count: Option<u64>| if has_experts { count.unwrap_or(1).max(1) } else { 1 };
        let shares_sequence = self.megatron_switch("sequence_parallel", false)? && self.upper.parallel.tensor > 1;
        let capacity = self.argument_text("moe_expert_capacity_factor")?.and_then(|text| text.parse::<f64>().ok());
        let found = Megatron {
            pipeline: self.megatron_count("pipeline_model_parallel_size")?.unwrap_or(1).max(1),
            chunks: self.megatron_count("virtual_pipeline_model_parallel_size")?.unwrap_or(1).max(1),
            first_stage: self.megatron_count("decoder_first_pipeline_num_layers")?,
            last_stage: self.megatron_count("decoder_last_pipeline_num_layers")?,
            expert: of_experts(self.megatron_count("expert_model_parallel_size")?),
            expert_tensor: of_experts(self.megatron_count("expert_tensor_parallel_size")?),
            sequence_parallel: shares_sequence,
            distributed_optimizer: self.megatron_switch("use_distributed_optimizer", usual.distributed_optimizer)?,
            further_tokens: self.megatron_count("mtp_num_layers")?.unwrap_or(0),
            ..Megatron::default()
        };
        let of_sequence = self.upper.parallel.tensor.max(1).saturating_mul(self.upper.parallel.context.max(1));
        let sharing = found.expert.saturating_mul(found.expert_tensor);
        if world.is_none() && sharing > of_sequence {
            let ranks = sharing.div_ceil(of_sequence);
            self.assume(message!(
                "assuming {ranks} data-parallel ranks, the fewest that share the experts",
                "按分摊专家所需的最少 {ranks} 个数据并行进程计"
            ));
            self.both(|setup| setup.parallel.world = ranks);
        }
        let of_stage = self.upper.parallel.world.saturating_mul(of_sequence);
        if !of_stage.is_multiple_of(sharing) {
            return Err(message!(
                "{of_stage} ranks of a stage are not a multiple of the {sharing} that share the experts",
                "每个流水线阶段的 {of_stage} 个进程不是分摊专家的 {sharing} 个进程的整数倍"
            ));
        }
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
        let capped = capacity.map(|factor| (factor.clamp(1.0, 100.0) * 100.0) as u64);
        let most_routed = capped.map_or(found.most_routed, |cap| cap.min(found.most_routed));
        Ok(Megatron { most_routed, ..found })
    }

    /// What backward computes again.
    fn recompute(&mut self, usual: &MegatronDefaults) -> Result<Recompute, Message> {
        let granularity = self.argument_text("recompute_granularity")?.unwrap_or_else(|| usual.recompute_granularity.to_owned());
        match granularity.as_str() {
            "full" => {
                let layers = self.megatron_count("recompute_num_layers")?.unwrap_or(1).max(1);
                Ok(match self.argument_text("recompute_method")?.as_deref() {
                    Some("block") => Recompute::First(layers),
                    _ => Recompute::Groups(layers),
                })
            }
            "selective" => {
                let words = self.argument_text("recompute_modules")?.unwrap_or_else(|| "core_attn".to_owned());
                let has = |name: &str| words.split([' ', ',']).any(|word| word == name);
                Ok(Recompute::Parts(RecomputedParts {
                    scores: has("core_attn"),
                    norms: has("layernorm"),
                    mlp: has("mlp"),
                    experts: has("moe"),
                    expert_activation: has("moe_act"),
                    latent: has("mla_up_proj"),
                }))
            }
            "none" | "None" | "null" => Ok(Recompute::Nothing),
            other => Err(message!(
                "unsupported value {other} for recompute_granularity",
                "recompute_granularity 的值 {other} 不受支持"
            )),
        }
    }

    /// Bytes of gradients and of the optimizer states, and the share that the host keeps (`optimizer/distrib_optimizer.py`,
    /// `optimizer/cpu_offloading`).
    fn optimizer_states(&mut self, own: Megatron, weights: Dtype) -> Result<Megatron, Message> {
        let precise = self.megatron_switch("use_precision_aware_optimizer", false)?;
        let type_of = |key: &str| -> Result<u64, Message> {
            Ok(match self.argument_text(key)?.as_deref() {
                Some("bf16" | "fp16") if precise => 2,
                Some("fp8") if precise => 1,
                _ => 4,
            })
        };
        let gradient = match weights {
            // fp16 is reduced as it is, bf16 and fp32 in fp32 (swift/megatron/arguments/megatron_args.py `_map_dtype`).
            Dtype::Fp16 if !self.megatron_switch("accumulate_allreduce_grads_in_fp32", false)? => 2,
            _ => type_of("main_grads_dtype")?,
        };
        let moments = match self.argument_text("optimizer")?.as_deref() {
            Some("sgd") => 4,
            _ => type_of("exp_avg_dtype")? + type_of("exp_avg_sq_dtype")?,
        };
        let main = if weights == Dtype::Fp32 { 0 } else { type_of("main_params_dtype")? };
        let on_host = if self.megatron_switch("optimizer_cpu_offload", false)? {
            let fraction = self.argument_text("optimizer_offload_fraction")?.map_or(Ok(1.0), |text| {
                text.parse::<f64>()
                    .map_err(|_| message!("optimizer_offload_fraction is unknown", "optimizer_offload_fraction 未知"))
            })?;
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
            {
                (fraction.clamp(0.0, 1.0) * 1000.0).round() as u64
            }
        } else {
            0
        };
        Ok(Megatron { gradient, states: main + moments, on_host, ..own })
    }

    /// Bytes of a logit on the rank that computes the loss: the logits in 16 bits and their softmax in fp32
    /// (`fusions/fused_cross_entropy.py`); Transformer Engine's kernel writes the gradient over the logits. ms-swift compares the
    /// log-probabilities of completions from logits in fp32, and rerankers gather the whole vocabulary
    /// (swift/megatron/trainers/vocab_parallel_utils.py, mcore-bridge 1.3 model/gpt_model.py).
    fn bytes_of_logit(&mut self) -> Result<u64, Message> {
        const NATIVE: u64 = 6;
        const IN_PLACE: u64 = 2;
        const LOG_PROBABILITIES: u64 = 14;
        let kernel = self.argument_text("cross_entropy_fusion_impl")?;
        Ok(match self.upper.task {
            Task::Grpo => LOG_PROBABILITIES,
            Task::Reranker => IN_PLACE + 2 * IN_PLACE * self.upper.parallel.tensor.max(1),
            _ if kernel.as_deref() == Some("te") => IN_PLACE,
            _ => NATIVE,
        })
    }

    /// A count that the run gives.
    fn megatron_count(&self, key: &str) -> Result<Option<u64>, Message> {
        let Some(text) = self.argument_text(key)?.filter(|text| !is_off(text)) else { return Ok(None) };
        let number = integer(&Value::Text(text));
        number.map(Some).ok_or_else(|| message!("{key} is unknown", "{key} 未知"))
    }

    /// A switch that the run gives, or what it is without a word.
    fn megatron_switch(&self, key: &str, usual: bool) -> Result<bool, Message> {
        Ok(self.argument_text(key)?.map_or(usual, |text| !is_off(&text)))
    }
}

/// Whether a text switches something off.
fn is_off(text: &str) -> bool {
    ["", "false", "0", "none", "null", "no"].contains(&text.to_ascii_lowercase().as_str())
}
