//! Builds a setup from flags alone, or applies flags to the setup of a run.

mod defaults;
pub(crate) mod gpu;
pub(crate) mod model;

use crate::cli::{Amp, Method, SetupArgs};
use crate::exit::user_error;
use anyhow::Result;
use defaults::{Assumed, Defaults};
use serde_json::Value as Json;
use vramlint_base::{Message, message};
use vramlint_estimate::models::Model;
use vramlint_estimate::record::vocabulary;
use vramlint_memory::Setup;
use vramlint_memory::setup::{Dtype, Generation, Lora, Offload, Quantization, Reference, Scheme, Task};
use vramlint_resolve::Target;
use vramlint_view::estimate::EstimateInput;

/// The setup of flags alone. Missing values are library defaults, reported as assumptions.
pub(crate) fn to_input(flags: &SetupArgs, model: Model, target: &Target) -> Result<EstimateInput> {
    let name = flags.task.unwrap_or_default();
    let mut apply = Apply { flags, defaults: Some(Defaults::of(name, &model)), notes: Vec::new() };
    let mut setup = Setup::default();
    // Without --quant, a quantized checkpoint is loaded as stored.
    let stored = model.prequantized.filter(|_| flags.quant.is_none()).unwrap_or_default();
    setup.quantization = stored;
    let num_generations = apply.all(&mut setup)?;
    if stored != Quantization::None {
        let name = vocabulary::name(vocabulary::QUANTIZATIONS, stored);
        apply.notes.push(message!("{name}, as stored in the checkpoint", "{name}：检查点按此存储"));
    }
    apply.ranks(&mut setup, target)?;
    let mut assumptions: Vec<Message> = model.told_by_name().into_iter().chain(apply.notes).collect();
    assumptions
        .push(message!("sequences of equal length, so the attention kernel gets no mask", "各序列等长，注意力核不需要掩码"));
    Ok(EstimateInput {
        id: Json::Null,
        model: model.id,
        task: defaults::task_name(name),
        num_generations,
        arch: model.arch,
        setup,
        known: None,
        floor: None,
        lightest: None,
        gpu: None,
        host: target.host_memory,
        assumptions,
        unused: Vec::new(),
    })
}

/// Applies flags to the setup of a run; flags override the settings of the run.
pub(crate) fn override_input(flags: &SetupArgs, input: &mut EstimateInput, target: &Target) -> Result<()> {
    let mut apply = Apply { flags, defaults: None, notes: Vec::new() };
    if flags.first_flag().is_some() {
        // The estimate and the lower bound are those of the original setup.
        (input.known, input.floor, input.lightest) = (None, None, None);
    }
    if let Some(name) = flags.task {
        input.task = defaults::task_name(name);
    }
    let num_generations = apply.all(&mut input.setup)?;
    input.num_generations = num_generations.or(input.num_generations);
    if flags.parallel.is_some() || flags.offload_optimizer.is_some() || flags.offload_param.is_some() {
        apply.ranks(&mut input.setup, target)?;
    }
    input.assumptions.append(&mut apply.notes);
    Ok(())
}

struct Apply<'a> {
    flags: &'a SetupArgs,
    /// The defaults, if there is no run below the flags.
    defaults: Option<Defaults>,
    notes: Vec<Message>,
}

/// Sets a value to the flag if it is set, otherwise to the default if there is one, otherwise leaves it unchanged.
fn apply_value<T: Clone>(target: &mut T, flag: Option<&T>, default: Option<&Assumed<T>>, notes: &mut Vec<Message>) {
    match (flag, default) {
        (Some(value), _) => value.clone_into(target),
        (None, Some(assumed)) => {
            assumed.value.clone_into(target);
            notes.push(assumed.why.clone());
        }
        (None, None) => {}
    }
}

impl Apply<'_> {
    /// Applies everything except the ranks. Returns the completions per prompt.
    fn all(&mut self, setup: &mut Setup) -> Result<Option<u64>> {
        let flags = self.flags;
        if let Some(name) = flags.task.or(self.defaults.as_ref().map(|_| flags.task.unwrap_or_default())) {
            setup.task = defaults::task(name);
            setup.head = defaults::head(name);
        }
        self.adapters(setup)?;
        let (own, notes) = (self.defaults.as_ref(), &mut self.notes);
        apply_value(&mut setup.weights, flags.dtype.as_ref(), own.map(|d| &d.weights), notes);
        let amp = flags.amp.map(|amp| match amp {
            Amp::None => None,
            Amp::Bf16 => Some(Dtype::Bf16),
            Amp::Fp16 => Some(Dtype::Fp16),
        });
        apply_value(&mut setup.autocast, amp.as_ref(), own.map(|d| &d.autocast), notes);
        apply_value(&mut setup.optimizer, flags.optimizer.as_ref(), own.map(|d| &d.optimizer), notes);
        apply_value(&mut setup.micro_batch, flags.micro_batch.as_ref(), own.map(|d| &d.micro_batch), notes);
        apply_value(&mut setup.accumulation, flags.accum.as_ref(), own.map(|d| &d.accumulation), notes);
        apply_value(&mut setup.checkpointing, flags.checkpointing.as_ref(), own.map(|d| &d.checkpointing), notes);
        if let Some(attention) = flags.attention {
            setup.attention = attention;
        } else if own.is_some() {
            notes.push(message!(
                "attention through sdpa: the default of transformers 5.23",
                "注意力使用 sdpa：transformers 5.23 的默认值"
            ));
        }
        self.reference(setup)?;
        self.tokens(setup)
    }

    fn adapters(&mut self, setup: &mut Setup) -> Result<()> {
        let flags = self.flags;
        let shaped = flags.lora_r.is_some() || flags.lora_targets.is_some();
        let quantized = flags.quant.unwrap_or(setup.quantization) != Quantization::None;
        let stored = flags.quant.is_none() && self.defaults.is_some() && quantized;
        let wanted = match flags.method {
            Some(Method::Full | Method::Freeze) if shaped => {
                return Err(user_error(message!(
                    "--lora-r and --lora-targets need --method lora or qlora",
                    "--lora-r 和 --lora-targets 只能与 --method lora 或 qlora 一起使用"
                )));
            }
            Some(Method::Full | Method::Freeze) if quantized && (stored || flags.quant.is_some()) => {
                return Err(user_error(message!(
                    "a quantized model can only be trained through adapters: use --method qlora",
                    "量化模型只能通过适配器训练：请使用 --method qlora"
                )));
            }
            Some(Method::Qlora) if flags.quant == Some(Quantization::None) => {
                return Err(user_error(message!("--method qlora needs a quantization", "--method qlora 需要量化")));
            }
            Some(Method::Full | Method::Freeze) => false,
            Some(Method::Lora | Method::Qlora) => true,
            None => shaped || quantized || setup.lora.is_some(),
        };
        let (own, notes) = (self.defaults.as_ref(), &mut self.notes);
        if let Some(method) = flags.method {
            setup.freeze_base = method == Method::Freeze;
        } else if own.is_some() && !wanted {
            notes.push(message!("every parameter is trained", "训练全部参数"));
        }
        match flags.method {
            _ if flags.quant.is_some() => setup.quantization = flags.quant.unwrap_or_default(),
            Some(Method::Qlora) if setup.quantization == Quantization::None => {
                apply_value(&mut setup.quantization, None, own.map(|d| &d.quantization), notes);
                if own.is_none() {
                    setup.quantization = Quantization::FourBit { double: false };
                }
            }
            Some(Method::Full | Method::Lora | Method::Freeze) if !stored => setup.quantization = Quantization::None,
            _ => {}
        }
        if !wanted {
            setup.lora = None;
            return Ok(());
        }
        // PEFT 0.21: no dropout, adapters in fp32.
        let fresh = setup.lora.is_none();
        let mut lora = setup.lora.take().unwrap_or_else(|| Lora {
            r: 8,
            targets: vocabulary::parse_targets("q_proj,v_proj"),
            dropout: false,
            dtype: Some(Dtype::Fp32),
            ..Lora::default()
        });
        apply_value(&mut lora.r, flags.lora_r.as_ref(), own.filter(|_| fresh).map(|d| &d.lora_r), notes);
        let targets = flags.lora_targets.as_deref().map(vocabulary::parse_targets);
        apply_value(&mut lora.targets, targets.as_ref(), own.filter(|_| fresh).map(|d| &d.lora_targets), notes);
        if own.is_some() {
            notes.push(message!(
                "adapters in fp32 without dropout: the default of PEFT 0.21",
                "适配器为 fp32、无 dropout：PEFT 0.21 的默认值"
            ));
        }
        setup.lora = Some(lora);
        Ok(())
    }

    fn reference(&mut self, setup: &mut Setup) -> Result<()> {
        if self.flags.reference_model == Some(Reference::Adapter) && setup.lora.is_none() {
            return Err(user_error(message!(
                "--reference-model adapter needs --method lora or qlora: it is the base model without its adapter",
                "--reference-model adapter 需要 --method lora 或 qlora：它指去掉适配器的基座模型"
            )));
        }
        if let Some(reference) = self.flags.reference_model {
            setup.reference = reference;
        } else if self.defaults.is_some() || self.flags.task.is_some() {
            setup.reference = defaults::reference(setup.task, setup.lora.is_some());
            match setup.reference {
                Reference::Copy => {
                    self.notes.push(message!(
                        "the reference model is a second copy: the default of TRL 1.16",
                        "参考模型是另一份权重：TRL 1.16 的默认值"
                    ));
                }
                Reference::Adapter => self.notes.push(message!(
                    "the reference model is the base model with its adapter disabled: the default of TRL 1.16",
                    "参考模型是禁用适配器的基座模型：TRL 1.16 的默认值"
                )),
                Reference::None if setup.task == Task::Grpo => {
                    self.notes
                        .push(message!("no reference model: beta is 0 in TRL 1.16", "没有参考模型：TRL 1.16 中 beta 默认为 0"));
                }
                Reference::None => {}
            }
        }
        Ok(())
    }

    /// Applies sequence lengths and generation settings.
    fn tokens(&mut self, setup: &mut Setup) -> Result<Option<u64>> {
        let flags = self.flags;
        if setup.task != Task::Grpo {
            if flags.num_generations.is_some() || flags.completion_length.is_some() {
                return Err(user_error(message!(
                    "--num-generations and --completion-length need --task grpo",
                    "--num-generations 和 --completion-length 只能与 --task grpo 一起使用"
                )));
            }
            if flags.task.is_some() || self.defaults.is_some() {
                setup.generation = None;
            }
            apply_value(
                &mut setup.sequence_length,
                flags.seq.as_ref(),
                self.defaults.as_ref().map(|d| &d.tokens),
                &mut self.notes,
            );
            return Ok(None);
        }
        let (own, notes) = (self.defaults.as_ref(), &mut self.notes);
        // A run whose completions come from a server generates nothing here.
        let served = own.is_none() && flags.task.is_none() && setup.generation.is_none();
        let mut completion = match setup.generation {
            Some(generation) => generation.completion,
            None if served => setup.sequence_length.saturating_sub(setup.prompt_length),
            None => 512,
        };
        apply_value(&mut completion, flags.completion_length.as_ref(), own.map(|d| &d.completion), notes);
        let mut prompt = if served || setup.generation.is_some() { setup.prompt_length } else { 512 };
        if let Some(length) = flags.seq {
            let Some(rest) = length.checked_sub(completion).filter(|rest| *rest > 0) else {
                return Err(user_error(message!(
                    "sequences of {length} tokens leave no room for a prompt next to completions of {completion}",
                    "每个序列 {length} 个 token 容不下提示：回复已占 {completion} 个"
                )));
            };
            prompt = rest;
        } else {
            apply_value(&mut prompt, None, own.map(|d| &d.tokens), notes);
        }
        (setup.prompt_length, setup.sequence_length) = (prompt, prompt + completion);
        // One rank generates the completions of one optimizer step: `steps_per_generation` is the accumulation (trl 1.16 grpo_config.py).
        let of_run = setup.generation.filter(|_| own.is_none() && flags.micro_batch.is_none() && flags.accum.is_none());
        let sequences = of_run.map_or(setup.micro_batch.saturating_mul(setup.accumulation), |generation| generation.sequences);
        let (vllm_share, sleep_mode) =
            setup.generation.map_or((None, false), |generation| (generation.vllm_share, generation.sleep_mode));
        setup.generation = (!served).then_some(Generation { sequences, prompt, completion, vllm_share, sleep_mode });
        let mut generations = 0;
        apply_value(&mut generations, flags.num_generations.as_ref(), own.map(|d| &d.num_generations), notes);
        Ok(Some(generations).filter(|n| *n > 0))
    }

    fn ranks(&mut self, setup: &mut Setup, target: &Target) -> Result<()> {
        let flags = self.flags;
        let parallel = &mut setup.parallel;
        if self.defaults.is_some() {
            let local = u64::from(target.count.unwrap_or(1).max(1));
            (parallel.local, parallel.world) = (local, local * u64::from(target.nodes.unwrap_or(1).max(1)));
            parallel.scheme = if parallel.world > 1 { Scheme::Ddp } else { Scheme::None };
            if target.count.is_none() {
                self.notes.push(message!("one GPU", "一个 GPU"));
            } else if flags.parallel.is_none() && parallel.world > 1 {
                self.notes.push(message!("data parallelism with DDP", "数据并行使用 DDP"));
            }
        }
        if let Some(scheme) = flags.parallel {
            parallel.scheme = scheme;
            if scheme == Scheme::None {
                (parallel.world, parallel.local) = (1, 1);
            }
        }
        let zero = matches!(parallel.scheme, Scheme::Zero1 | Scheme::Zero2 | Scheme::Zero3);
        let sharded = zero || matches!(parallel.scheme, Scheme::Fsdp1 | Scheme::Fsdp2);
        if flags.offload_optimizer.is_some_and(|to| to != Offload::None) && !sharded {
            return Err(user_error(message!(
                "--offload-optimizer needs --parallel zero1, zero2, zero3 or fsdp",
                "--offload-optimizer 只能与 --parallel zero1、zero2、zero3 或 fsdp 一起使用"
            )));
        }
        if flags.offload_param.is_some_and(|to| to != Offload::None)
            && !(sharded && parallel.scheme != Scheme::Zero1 && parallel.scheme != Scheme::Zero2)
        {
            return Err(user_error(message!(
                "--offload-param needs --parallel zero3 or fsdp",
                "--offload-param 只能与 --parallel zero3 或 fsdp 一起使用"
            )));
        }
        parallel.offload_optimizer = flags.offload_optimizer.unwrap_or(parallel.offload_optimizer);
        parallel.offload_param = flags.offload_param.unwrap_or(parallel.offload_param);
        if zero {
            // The engine casts the model to the autocast dtype, runs without autocast, and keeps fp32 master weights
            // (DeepSpeed 0.19.8 runtime/engine.py, transformers 5.23 integrations/deepspeed.py fills `bf16.enabled`).
            parallel.master = setup.autocast.is_some() || setup.weights != Dtype::Fp32;
            setup.weights = setup.autocast.take().unwrap_or(setup.weights);
        }
        Ok(())
    }
}
