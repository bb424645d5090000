//! Changes of a setup.

use crate::run_estimate::RunEstimate;
use vramlint_base::{Message, message};
use vramlint_catalog::frameworks::Loss;
use vramlint_memory::Setup;
use vramlint_memory::setup::{
    Attention, Checkpointing, Dtype, Head, Lora, Offload, Optimizer, Quantization, Reference, Scheme, Targets, Task,
};

/// A single change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The micro-batch size, and the accumulation that keeps the effective batch size.
    Batch {
        /// Micro-batch size.
        rows: u64,
        /// Micro-batches per step.
        accumulation: u64,
    },
    /// Activation checkpointing.
    Checkpointing,
    /// Another implementation of the loss.
    Loss(Head),
    /// Another optimizer.
    Optimizer(Optimizer),
    /// Sharding of states, gradients and weights.
    Shard(Scheme),
    /// Another LoRA rank.
    Rank(u64),
    /// Adapters instead of the full model, on a base of this quantization.
    Adapters(Quantization),
    /// Shorter sequences, in tokens.
    Length(u64),
    /// Shorter completions of reinforcement learning, in tokens.
    Completion(u64),
    /// Another implementation of attention.
    Attention(Attention),
    /// Allocator segments that grow in place.
    ExpandableSegments,
    /// The base model without its adapter as the reference, instead of a copy.
    ReferenceByAdapter,
    /// Rows of one forward of an evaluation.
    EvaluationBatch(u64),
    /// Optimizer states in the memory of the host.
    OffloadOptimizer,
    /// Parameters in the memory of the host.
    OffloadParameters,
    /// Activations are kept instead of computed again: for a GPU with room.
    NoCheckpointing,
}

/// How a change affects what is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrainingEffect {
    /// The same training up to rounding.
    Same,
    /// Nearly the same: states or masters have another precision.
    NearlySame,
    /// A different training.
    Different,
}

/// Every change except that of the batch, whose best value needs a search.
pub(super) fn single_changes(of: &RunEstimate) -> Vec<Change> {
    let setup = &of.setup;
    let mut found = Vec::new();
    if setup.checkpointing == Checkpointing::None {
        found.push(Change::Checkpointing);
    }
    if let Some(head) = offered_head(of) {
        found.push(Change::Loss(head));
    }
    optimizers(setup, &mut found);
    found.extend(schemes(setup).iter().map(|scheme| Change::Shard(*scheme)));
    let freezes = setup.freeze_base || setup.trained.as_ref().is_some_and(|parts| !parts.is_whole_language_model());
    match &setup.lora {
        Some(lora) if lora.r > 8 => found.push(Change::Rank(lora.r / 2)),
        None if !freezes && setup.quantization == Quantization::None => {
            found.push(Change::Adapters(Quantization::None));
        }
        _ => {}
    }
    // Megatron-Core has no quantized base.
    if setup.quantization == Quantization::None && !freezes && setup.parallel.scheme != Scheme::Megatron {
        found.push(Change::Adapters(Quantization::FourBit { double: true }));
    }
    if setup.sequence_length >= 256 && setup.task != Task::Grpo {
        found.push(Change::Length(setup.sequence_length / 2));
    }
    found
}

/// The library's loss that does not materialize logits: Liger's flag of `TrainingArguments` and of frameworks that reuse it
/// (transformers 5.23.0 `use_liger_kernel`, LLaMA-Factory 0.9.6 `enable_liger_kernel`), torchtune's `LinearCrossEntropyLoss`.
pub(crate) fn offered_head(of: &RunEstimate) -> Option<Head> {
    let language = matches!(of.setup.task, Task::CausalLm | Task::Dpo | Task::Kto | Task::Grpo);
    if of.setup.head != Head::FullLogits || !language {
        return None;
    }
    match of.library.map(|dialect| dialect.framework().estimate.loss) {
        Some(Loss::Whole) => None,
        Some(Loss::PiecesOffered) => Some(Head::Fused),
        Some(Loss::LigerOffered | Loss::Chunked) | None => Some(Head::Liger),
    }
}

fn optimizers(setup: &Setup, found: &mut Vec<Change>) {
    if matches!(setup.optimizer, Optimizer::AdamWForeach | Optimizer::AdamWForLoop) && setup.parallel.scheme == Scheme::None {
        found.push(Change::Optimizer(Optimizer::AdamWFused));
    }
    let adam = matches!(setup.optimizer, Optimizer::AdamWFused | Optimizer::AdamWForeach | Optimizer::AdamWForLoop);
    // DeepSpeed and FSDP shard the states themselves and do not support those of bitsandbytes.
    if adam && matches!(setup.parallel.scheme, Scheme::None | Scheme::Ddp) {
        found.push(Change::Optimizer(Optimizer::AdamW8bit));
        found.push(Change::Optimizer(Optimizer::PagedAdamW8bit));
    }
}

/// Schemes that shard more across the same ranks. A quantized base is not sharded here.
fn schemes(setup: &Setup) -> &'static [Scheme] {
    if setup.parallel.world < 2 || setup.quantization != Quantization::None {
        return &[];
    }
    match setup.parallel.scheme {
        Scheme::Ddp | Scheme::Zero1 => &[Scheme::Zero2, Scheme::Zero3, Scheme::Fsdp2],
        Scheme::Zero2 => &[Scheme::Zero3],
        _ => &[],
    }
}

impl Change {
    pub(crate) fn apply(self, setup: &mut Setup) {
        match self {
            Self::Batch { rows, accumulation } => {
                let (old, steps) = (setup.micro_batch, setup.accumulation);
                // A generation round follows the accumulation unless its steps are set (trl 1.16.0 trainer/grpo_config.py).
                if let Some(round) = &mut setup.generation
                    && round.sequences != old.saturating_mul(steps)
                {
                    round.sequences = round.sequences / old.max(1) * rows;
                }
                setup.micro_batch = rows;
                setup.accumulation = accumulation;
                setup.padding_mask = setup.padding_mask && rows.saturating_mul(setup.task.sequences_per_sample()) > 1;
            }
            Self::Checkpointing => {
                setup.checkpointing = Checkpointing::NonReentrant;
                setup.use_cache = false;
            }
            Self::Loss(head) => setup.head = head,
            Self::Optimizer(optimizer) => setup.optimizer = optimizer,
            Self::Shard(scheme) => shard(setup, scheme),
            Self::Rank(r) => {
                if let Some(lora) = &mut setup.lora {
                    lora.r = r;
                }
            }
            Self::Adapters(quantization) => {
                setup.quantization = quantization;
                let whole = matches!(setup.parallel.scheme, Scheme::None | Scheme::Ddp);
                let dtype = whole.then_some(Dtype::Fp32);
                setup.lora.get_or_insert(Lora { r: 16, targets: Targets::AllLinear, dropout: false, dtype, ..Lora::default() });
                // A frozen base needs no fp32 masters.
                if let Some(half) = setup.autocast.filter(|half| *half != Dtype::Fp32) {
                    setup.weights = half;
                }
            }
            Self::Length(tokens) => {
                setup.sequence_length = tokens;
                setup.prompt_length = setup.prompt_length.min(tokens / 2);
            }
            Self::Completion(tokens) => {
                if let Some(round) = &mut setup.generation {
                    setup.sequence_length = setup.sequence_length.saturating_sub(round.completion.saturating_sub(tokens));
                    round.completion = tokens;
                }
            }
            Self::Attention(attention) => setup.attention = attention,
            Self::ExpandableSegments => setup.expandable_segments = true,
            Self::ReferenceByAdapter => setup.reference = Reference::Adapter,
            Self::EvaluationBatch(rows) => setup.evaluation_batch = Some(rows),
            Self::OffloadOptimizer => setup.parallel.offload_optimizer = Offload::Cpu,
            Self::OffloadParameters => setup.parallel.offload_param = Offload::Cpu,
            Self::NoCheckpointing => setup.checkpointing = Checkpointing::None,
        }
    }

    pub(crate) fn effect(self, before: &Setup) -> TrainingEffect {
        match self {
            Self::Batch { .. }
            | Self::Checkpointing
            | Self::NoCheckpointing
            | Self::Loss(_)
            | Self::Optimizer(Optimizer::AdamWFused)
            | Self::Attention(_)
            | Self::ExpandableSegments
            | Self::ReferenceByAdapter
            | Self::EvaluationBatch(_)
            | Self::OffloadOptimizer
            | Self::OffloadParameters => TrainingEffect::Same,
            Self::Shard(_) if before.weights == Dtype::Fp32 && before.autocast.is_none() => TrainingEffect::Same,
            Self::Shard(_) | Self::Optimizer(_) | Self::Rank(_) => TrainingEffect::NearlySame,
            // Adapters on a quantized base learn nearly what they learn on the base as it is.
            Self::Adapters(_) if before.lora.is_some() => TrainingEffect::NearlySame,
            Self::Adapters(_) | Self::Length(_) | Self::Completion(_) => TrainingEffect::Different,
        }
    }

    pub(crate) fn title(self, before: &Setup) -> Message {
        let (old_rows, old_steps) = (before.micro_batch, before.accumulation);
        match self {
            Self::Batch { rows, accumulation } => message!(
                "set micro_batch to {rows} and gradient_accumulation_steps to {accumulation}: {old_rows} × {old_steps} = {rows} × {accumulation}",
                "把 micro_batch 设为 {rows}、gradient_accumulation_steps 设为 {accumulation}：{old_rows} × {old_steps} = {rows} × {accumulation}"
            ),
            Self::Checkpointing => message!("enable activation checkpointing", "开启激活检查点"),
            Self::Loss(_) => {
                message!("compute the loss in chunks instead of materializing all logits", "分块计算损失，不写出全部 logits")
            }
            Self::Optimizer(Optimizer::AdamWFused) => message!("use fused AdamW", "使用 fused AdamW"),
            Self::Optimizer(Optimizer::PagedAdamW8bit) => {
                message!("use paged 8-bit AdamW (nearly the same training)", "使用分页 8 bit AdamW（训练基本不变）")
            }
            Self::Optimizer(_) => message!("use 8-bit AdamW (nearly the same training)", "使用 8 bit AdamW（训练基本不变）"),
            Self::Shard(scheme) => {
                let name = match scheme {
                    Scheme::Zero2 => "ZeRO-2",
                    Scheme::Zero3 => "ZeRO-3",
                    _ => "FSDP",
                };
                let ranks = before.parallel.world;
                message!("shard the states across {ranks} ranks with {name}", "用 {name} 把状态分摊到 {ranks} 个进程")
            }
            Self::Rank(r) => {
                message!("lower the LoRA rank to {r}, and lora_alpha in proportion", "把秩降到 {r}，lora_alpha 按比例减小")
            }
            Self::Adapters(Quantization::None) => {
                message!(
                    "train LoRA adapters of rank 16 instead of the full model",
                    "改为训练秩为 16 的 LoRA 适配器，而不是整个模型"
                )
            }
            Self::Adapters(_) => message!("train adapters on a 4-bit base (QLoRA)", "在 4 bit 基座上训练适配器（QLoRA）"),
            Self::Completion(tokens) => message!(
                "limit completions to {tokens} tokens (longer ones are cut)",
                "把回复限制在 {tokens} 个 token（更长的被截断）"
            ),
            Self::Attention(_) => message!("use the attention kernel of PyTorch (sdpa)", "使用 PyTorch 的注意力核（sdpa）"),
            Self::ExpandableSegments => {
                message!("set PYTORCH_ALLOC_CONF=expandable_segments:True", "设置 PYTORCH_ALLOC_CONF=expandable_segments:True")
            }
            Self::ReferenceByAdapter => message!(
                "use the base model without its adapter as the reference instead of a copy",
                "用去掉适配器的基座作为参考模型，而不是另存一份"
            ),
            Self::EvaluationBatch(rows) => {
                message!("set per_device_eval_batch_size to {rows}", "把 per_device_eval_batch_size 设为 {rows}")
            }
            Self::OffloadOptimizer => message!("offload optimizer states to the host", "把优化器状态卸载到主机内存"),
            Self::OffloadParameters => message!("offload parameters to the host", "把参数卸载到主机内存"),
            Self::NoCheckpointing => message!("disable activation checkpointing", "关闭激活检查点"),
            Self::Length(tokens) => {
                message!(
                    "truncate sequences to {tokens} tokens (drops the rest)",
                    "把样本截断到 {tokens} 个 token（其余部分被丢弃）"
                )
            }
        }
    }
}

fn shard(setup: &mut Setup, scheme: Scheme) {
    setup.parallel.scheme = scheme;
    if scheme == Scheme::Fsdp2 {
        // accelerate keeps fp32 shards under mixed precision.
        if setup.autocast.is_some() && setup.lora.is_none() {
            setup.weights = Dtype::Fp32;
        }
        return;
    }
    // DeepSpeed's engine casts the model and keeps fp32 masters.
    setup.weights = setup.autocast.take().unwrap_or(setup.weights);
    setup.parallel.master = true;
    setup.parallel.overlap = scheme == Scheme::Zero3;
    if let Some(lora) = &mut setup.lora {
        lora.dtype = None;
    }
}
