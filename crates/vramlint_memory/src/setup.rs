//! How a model is trained: everything except the architecture that affects memory.

mod megatron;
mod own_loss;
mod task;
mod trained_parts;

use crate::arch::Arch;
pub use megatron::{Megatron, Recompute, RecomputedParts};
pub use own_loss::{LossOp, LossStep, OwnLoss};
pub use task::Task;
pub use trained_parts::TrainedParts;

/// A floating-point type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// 4 bytes.
    #[default]
    Fp32,
    /// 2 bytes.
    Bf16,
    /// 2 bytes.
    Fp16,
}

impl Dtype {
    /// Bytes of one number.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Fp32 => 4,
            Self::Bf16 | Self::Fp16 => 2,
        }
    }

    /// `fp32`, `bf16`, `fp16`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp32 => "fp32",
            Self::Bf16 => "bf16",
            Self::Fp16 => "fp16",
        }
    }
}

/// Activation checkpointing of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Checkpointing {
    /// Everything that backward needs is kept.
    #[default]
    None,
    /// `use_reentrant=False`.
    NonReentrant,
    /// `use_reentrant=True`.
    Reentrant,
    /// As reentrant, with the inputs of the blocks on the host until backward comes to them.
    Offloaded,
}

/// The requested attention implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Attention {
    /// Scores are written out.
    Eager,
    /// `scaled_dot_product_attention` of torch, which chooses the kernel.
    #[default]
    Sdpa,
    /// The flash-attention package.
    Flash,
}

/// An optimizer with its implementation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Optimizer {
    /// torch AdamW, one kernel for all: transformers' default.
    #[default]
    AdamWFused,
    /// torch AdamW, multi-tensor (`adamw_torch`).
    AdamWForeach,
    /// torch AdamW, a loop over parameters.
    AdamWForLoop,
    /// bitsandbytes AdamW with 8-bit states.
    AdamW8bit,
    /// The same in managed memory.
    PagedAdamW8bit,
    /// bitsandbytes AdamW with 32-bit states in managed memory.
    PagedAdamW32bit,
    /// bitsandbytes Lion with 8-bit states.
    Lion8bit,
    /// The same in managed memory.
    PagedLion8bit,
    /// Lion with 32-bit states.
    Lion,
    /// transformers' Adafactor.
    Adafactor,
    /// torch SGD.
    Sgd,
    /// torch SGD with momentum.
    SgdMomentum,
    /// torch Adagrad.
    Adagrad,
    /// torch RMSprop.
    RmsProp,
    /// torch Muon for matrices, AdamW for the rest.
    Muon,
    /// AdamW over gradients that are projected to [`Setup::gradient_rank`], for linear layers of blocks (GaLore, which decomposes them).
    Galore,
    /// The same with a random projection (APOLLO).
    Apollo,
    /// Adam with a second moment per head or row (Adam-mini).
    AdamMini,
}

/// Quantization of the frozen base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quantization {
    /// As loaded.
    #[default]
    None,
    /// bitsandbytes LLM.int8.
    Int8,
    /// bitsandbytes NF4 or FP4 in blocks of 64.
    FourBit {
        /// `bnb_4bit_use_double_quant`.
        double: bool,
    },
}

/// Which modules get adapters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Targets {
    /// Every linear layer but the head, as PEFT finds them: with the experts that it still knows as layers.
    #[default]
    AllLinear,
    /// The names of the linear layers that the model has, as frameworks list them for PEFT. Experts that are packed into one tensor are no
    /// layers, and have adapters only if another layer has their name.
    LinearLayers,
    /// Modules of these names.
    Named(Vec<String>),
}

/// What an adapter does to a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum AdapterKind {
    /// It adds a product of low rank (LoRA).
    #[default]
    LowRank,
    /// It scales the output of the module, or the input of these feed-forward modules (IA3).
    Scaling {
        /// Names of modules whose input is scaled.
        feedforward: Vec<String>,
    },
}

/// Adapters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lora {
    /// What they do.
    pub kind: AdapterKind,
    /// Rank.
    pub r: u64,
    /// Adapted modules.
    pub targets: Targets,
    /// Whether `lora_dropout` is above 0.
    pub dropout: bool,
    /// Type of the adapters: fp32 by PEFT's `autocast_adapter_dtype`, its default; `None`: as the base.
    pub dtype: Option<Dtype>,
    /// `use_dora`.
    pub dora: bool,
    /// What is trained as a whole beside the adapters.
    pub saved: SavedModules,
}

/// Modules of which PEFT trains a full copy beside the original (`modules_to_save`). Classifiers always have one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SavedModules {
    /// The embedding of tokens.
    pub embedding: bool,
    /// The language-model head. Its copy is not tied to the embedding.
    pub head: bool,
}

/// How logits become a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Head {
    /// All logits are written out.
    #[default]
    FullLogits,
    /// TRL's fused head: log-probabilities in tiles.
    Fused,
    /// Liger's fused linear cross entropy: chunks of rows.
    Liger,
    /// Unsloth's fused cross entropy: chunks of rows, as many at a time as a budget allows.
    Unsloth,
    /// All logits are written out and compared with smoothed labels (transformers' `LabelSmoother`).
    Smoothed,
}

/// How long a training loop names what the model returns (`outputs = model(**batch)`), and so its logits live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum KeptOutputs {
    /// It takes the loss alone.
    #[default]
    None,
    /// Through backward: a function takes one step and returns.
    Backward,
    /// Until the next forward has returned: the loop binds the name anew.
    NextForward,
}

/// The reference model of preference training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reference {
    /// None.
    #[default]
    None,
    /// A second copy of the weights.
    Copy,
    /// The same model with its adapter switched off.
    Adapter,
}

/// How ranks share the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// One process.
    #[default]
    None,
    /// torch `DistributedDataParallel`.
    Ddp,
    /// DeepSpeed ZeRO-1.
    Zero1,
    /// DeepSpeed ZeRO-2.
    Zero2,
    /// DeepSpeed ZeRO-3.
    Zero3,
    /// `FullyShardedDataParallel`.
    Fsdp1,
    /// `fully_shard`.
    Fsdp2,
    /// Megatron-Core, which divides the model as well ([`Parallel::megatron`]).
    Megatron,
}

/// Where tensors are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Offload {
    /// On the GPU.
    #[default]
    None,
    /// In the memory of the host.
    Cpu,
    /// On a disk, through buffers in the memory of the host.
    Nvme,
}

/// Sharding and its settings. The defaults are those of the libraries.
#[derive(Clone, Debug, PartialEq)]
pub struct Parallel {
    /// The scheme.
    pub scheme: Scheme,
    /// Ranks that share the data-parallel work.
    pub world: u64,
    /// Ranks on one machine, which share its memory.
    pub local: u64,
    /// DeepSpeed `reduce_bucket_size`, elements.
    pub reduce_bucket: u64,
    /// DeepSpeed `allgather_bucket_size`, elements.
    pub allgather_bucket: u64,
    /// DeepSpeed `stage3_prefetch_bucket_size`, elements.
    pub prefetch_bucket: u64,
    /// DeepSpeed `stage3_max_live_parameters`, elements.
    pub max_live: u64,
    /// DeepSpeed `stage3_param_persistence_threshold`, elements.
    pub persistence: u64,
    /// DeepSpeed `sub_group_size`, elements.
    pub sub_group: u64,
    /// DeepSpeed `overlap_comm`.
    pub overlap: bool,
    /// DeepSpeed `contiguous_gradients`.
    pub contiguous: bool,
    /// DDP `gradient_as_bucket_view`.
    pub bucket_view: bool,
    /// DDP bucket, bytes (25 MiB).
    pub ddp_bucket: u64,
    /// FSDP `reshard_after_forward`.
    pub reshard: bool,
    /// FSDP gradients reduced in fp32.
    pub reduce_fp32: bool,
    /// FSDP: gradients stay unsharded between micro-batches and are reduced at the last (`no_sync`, which accelerate enters while it
    /// accumulates).
    pub defer_reduction: bool,
    /// FSDP: blocks are wrapped on their own (a transformer wrap policy); otherwise the model is one unit.
    pub wrap_blocks: bool,
    /// Where optimizer states are kept.
    pub offload_optimizer: Offload,
    /// Where parameters are kept.
    pub offload_param: Offload,
    /// ZeRO++ `zero_hpz_partition_size`: ranks of the secondary copy, 1 for none.
    pub hpz: u64,
    /// ZeRO++ quantized weights.
    pub quantized_weights: bool,
    /// Tensor-parallel ranks.
    pub tensor: u64,
    /// Context-parallel ranks.
    pub context: u64,
    /// Whole weights are gathered on one rank when a checkpoint is saved.
    pub gather_at_save: bool,
    /// The optimizer is DeepSpeed's own and kept in 32 bit (`bf16` engine); fp32 master copies.
    pub master: bool,
    /// What Megatron-Core is told.
    pub megatron: Megatron,
}

impl Default for Parallel {
    fn default() -> Self {
        Self {
            scheme: Scheme::None,
            world: 1,
            local: 1,
            reduce_bucket: 500_000_000,
            allgather_bucket: 500_000_000,
            prefetch_bucket: 50_000_000,
            max_live: 1_000_000_000,
            persistence: 100_000,
            sub_group: 1_000_000_000,
            overlap: true,
            contiguous: true,
            bucket_view: false,
            ddp_bucket: 25 << 20,
            reshard: true,
            reduce_fp32: false,
            defer_reduction: false,
            wrap_blocks: true,
            offload_optimizer: Offload::None,
            offload_param: Offload::None,
            hpz: 1,
            quantized_weights: false,
            tensor: 1,
            context: 1,
            gather_at_save: false,
            master: true,
            megatron: Megatron::default(),
        }
    }
}

/// A model held in addition to the trained one: a user simulator, a reward model.
#[derive(Clone, Debug, PartialEq)]
pub struct Resident {
    /// Its name, for people.
    pub label: String,
    /// Architecture.
    pub arch: Arch,
    /// Type of its weights.
    pub weights: Dtype,
    /// Quantization of its weights.
    pub quantization: Quantization,
    /// Whether it is a reward model: a score in place of the vocabulary's head.
    pub scores: bool,
    /// Whether it is trained as the model is: the second encoder of two. What its forward keeps counts as a call of the model.
    pub trained: bool,
}

/// What becomes of experts of a base in 4 bits. They are matrices in three dimensions, which no layer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuantizedExperts {
    /// They stay as they are: bitsandbytes quantizes layers.
    #[default]
    Left,
    /// They are quantized; all of a block are dequantized at once, and backward keeps them so (bitsandbytes 0.50 `nn/parametrize.py`).
    Together,
    /// They are quantized; one at a time is dequantized for its product, forward and backward.
    OneByOne,
}

/// What gets its type back after PEFT's `prepare_model_for_kbit_training`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Restored {
    /// Nothing.
    #[default]
    Nothing,
    /// Embeddings and the head: norms stay in fp32 (trl 1.16.0 experimental/utils.py `peft_module_casting_to_bf16`).
    Embeddings,
    /// Norms as well (Axolotl 0.18.0 loaders/model.py).
    NormsToo,
}

/// A round of generation before the update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Generation {
    /// Concurrent sequences.
    pub sequences: u64,
    /// Prompt tokens.
    pub prompt: u64,
    /// New tokens.
    pub completion: u64,
    /// Share of the GPU that a colocated vLLM engine uses; `None` if transformers generates. The bytes become
    /// [`Setup::external_bytes`] once the GPU is known.
    pub vllm_share: Option<f64>,
    /// Whether vLLM frees its memory while training (`vllm_enable_sleep_mode`).
    pub sleep_mode: bool,
}

/// The operating system, which decides about context and spill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Platform {
    /// Linux.
    #[default]
    Linux,
    /// Windows: a larger context.
    Windows,
}

/// A setup.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// What is trained.
    pub task: Task,
    /// Type of the weights as loaded.
    pub weights: Dtype,
    /// Autocast, if on.
    pub autocast: Option<Dtype>,
    /// Rows (pairs, completions) of one forward on one rank.
    pub micro_batch: u64,
    /// Tokens of a row, prompt and completion together.
    pub sequence_length: u64,
    /// Tokens of the target of a row, for an encoder and a decoder; 0: as many as of the source.
    pub target_length: u64,
    /// Tokens of the prompt, whose logits some losses leave out.
    pub prompt_length: u64,
    /// Micro-batches of an optimizer step.
    pub accumulation: u64,
    /// Rows of one forward of an evaluation between steps; `None` if nothing is evaluated.
    pub evaluation_batch: Option<u64>,
    /// Whether that forward records a graph, since nothing switches gradients off.
    pub evaluation_keeps_graph: bool,
    /// Checkpointing.
    pub checkpointing: Checkpointing,
    /// Attention.
    pub attention: Attention,
    /// Whether sequences are padded, so that the kernel gets a mask.
    pub padding_mask: bool,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// The rank to which an optimizer projects gradients, if it does.
    pub gradient_rank: u64,
    /// Whether an 8-bit optimizer keeps 8-bit states of embeddings too. transformers' Trainer gives them 32-bit states
    /// (5.23 `trainer_optimizer.py`), loops without it do not.
    pub narrow_embedding_states: bool,
    /// Whether gradients are clipped by norm (transformers' default).
    pub clip: bool,
    /// Whether each parameter is stepped inside backward and its gradient freed. One process; excludes clipping and accumulation.
    pub optimizer_in_backward: bool,
    /// Whether the forward keeps keys and values though it trains.
    pub use_cache: bool,
    /// How often the model is called for each backward, each time with a micro-batch.
    pub forward_calls: u64,
    /// How long the training loop names what the model returns.
    pub kept_outputs: KeptOutputs,
    /// The loss, if code of the project computes it from logits; it replaces that of the task.
    pub own_loss: Option<OwnLoss>,
    /// Whether accelerate runs the model: it converts to fp32 what autocast computed and the model returns.
    pub outputs_to_fp32: bool,
    /// Whether the loop frees the gradients of the last step only between the next forward and its backward.
    pub zeroes_after_forward: bool,
    /// Batches of images that are on the GPU at once: transformers' trainer brings all micro-batches of a step there before the first runs
    /// (5.23 `trainer.py`, `get_batch_samples`).
    pub held_batches: u64,
    /// Adapters.
    pub lora: Option<Lora>,
    /// Only the head (classification) or nothing of the base is trained.
    pub freeze_base: bool,
    /// What is trained, if a part is frozen; `None`: all but the part that is not simulated.
    pub trained: Option<TrainedParts>,
    /// Only vectors before the embedded input are trained (prompt tuning): gradients flow through a frozen model.
    pub trains_prompt: bool,
    /// Quantization of the base.
    pub quantization: Quantization,
    /// The type in which 4-bit layers compute (`bnb_4bit_compute_dtype`); `None`: as their input.
    pub quantized_compute: Option<Dtype>,
    /// What becomes of the experts of a base in 4 bits.
    pub quantized_experts: QuantizedExperts,
    /// PEFT's `prepare_model_for_kbit_training`.
    pub kbit_prepare: bool,
    /// What gets its type back after that.
    pub kbit_restored: Restored,
    /// Logits and loss.
    pub head: Head,
    /// The reference model.
    pub reference: Reference,
    /// The model whose distribution is learned.
    pub teacher: Option<Box<Resident>>,
    /// Sharding.
    pub parallel: Parallel,
    /// GPUs over which `device_map="auto"` spreads the model of one process; 1 for none.
    pub model_gpus: u64,
    /// Other models in GPU memory.
    pub residents: Vec<Resident>,
    /// Generation before the update.
    pub generation: Option<Generation>,
    /// GPU memory of another engine outside torch's allocator, in bytes: a colocated vLLM.
    pub external_bytes: u64,
    /// Worker processes of the data loader of one rank.
    pub dataloader_workers: u64,
    /// Batches that each worker holds ready.
    pub prefetch_factor: u64,
    /// The operating system.
    pub platform: Platform,
    /// CUDA context and kernels that count: `false` to leave everything outside the allocator away.
    pub cuda_context: bool,
    /// Compute capability, tenths: 80 for 8.0.
    pub capability: Option<u32>,
    /// `expandable_segments:True`.
    pub expandable_segments: bool,
}

impl Setup {
    /// Rows whose activations live together until a backward.
    pub const fn rows(&self) -> u64 {
        self.micro_batch.saturating_mul(self.task.sequences_per_sample()).saturating_mul(self.forward_calls)
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            task: Task::CausalLm,
            weights: Dtype::Bf16,
            autocast: None,
            micro_batch: 1,
            sequence_length: 1024,
            target_length: 0,
            prompt_length: 0,
            accumulation: 1,
            evaluation_batch: None,
            evaluation_keeps_graph: false,
            checkpointing: Checkpointing::None,
            attention: Attention::Sdpa,
            padding_mask: false,
            optimizer: Optimizer::AdamWFused,
            gradient_rank: 128,
            clip: true,
            optimizer_in_backward: false,
            use_cache: false,
            forward_calls: 1,
            kept_outputs: KeptOutputs::None,
            own_loss: None,
            outputs_to_fp32: true,
            lora: None,
            freeze_base: false,
            trained: None,
            trains_prompt: false,
            zeroes_after_forward: false,
            held_batches: 1,
            narrow_embedding_states: false,
            quantization: Quantization::None,
            quantized_compute: Some(Dtype::Bf16),
            quantized_experts: QuantizedExperts::Left,
            kbit_prepare: false,
            kbit_restored: Restored::Nothing,
            head: Head::FullLogits,
            reference: Reference::None,
            teacher: None,
            parallel: Parallel::default(),
            model_gpus: 1,
            residents: Vec::new(),
            generation: None,
            external_bytes: 0,
            dataloader_workers: 0,
            prefetch_factor: 2,
            platform: Platform::Linux,
            cuda_context: true,
            capability: None,
            expandable_segments: false,
        }
    }
}
