//! The answer: what is held at the worst moment, by whom, and why.

mod allocations;
mod bounds;
mod breakdown;
mod build;
pub(crate) mod constants;
mod timeline;

pub use allocations::{Allocations, AllocatorAction, AllocatorEvent, HeldBlock, HeldSegment, allocations};
pub use build::{estimate, estimate_with_timeline};
pub use timeline::timeline;

/// What a byte on the GPU belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// Parameters, quantization data, adapters, other models.
    Weights,
    /// Gradients of parameters.
    Gradients,
    /// Optimizer states and master copies.
    Optimizer,
    /// Saved tensors and temporaries of forward and backward.
    Activations,
    /// Blocks of tokens × vocabulary.
    Logits,
    /// Keys and values of generation.
    KvCache,
    /// Communication buckets, gathered shards, buffers of the model.
    Buffers,
    /// Inputs and what has no other name.
    Other,
    /// CUDA context and libraries, outside the allocator.
    Context,
    /// Memory that the allocator holds and no tensor uses.
    Fragmentation,
}

impl Part {
    /// Every part, in the order of the JSON.
    pub const ALL: [Self; 10] = [
        Self::Weights,
        Self::Gradients,
        Self::Optimizer,
        Self::Activations,
        Self::Logits,
        Self::KvCache,
        Self::Buffers,
        Self::Other,
        Self::Context,
        Self::Fragmentation,
    ];

    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weights => "weights",
            Self::Gradients => "gradients",
            Self::Optimizer => "optimizer",
            Self::Activations => "activations",
            Self::Logits => "logits",
            Self::KvCache => "kv_cache",
            Self::Buffers => "buffers",
            Self::Other => "other",
            Self::Context => "context",
            Self::Fragmentation => "fragmentation",
        }
    }

    /// The name for people, English and Chinese.
    pub const fn label(self) -> Label {
        match self {
            Self::Weights => Label { en: "weights", zh: "权重" },
            Self::Gradients => Label { en: "gradients", zh: "梯度" },
            Self::Optimizer => Label { en: "optimizer states", zh: "优化器状态" },
            Self::Activations => Label { en: "activations", zh: "激活值" },
            Self::Logits => Label { en: "logits", zh: "logits" },
            Self::KvCache => Label { en: "KV cache", zh: "KV 缓存" },
            Self::Buffers => Label { en: "buffers", zh: "缓冲区" },
            Self::Other => Label { en: "other", zh: "其他" },
            Self::Context => Label { en: "CUDA context and libraries", zh: "CUDA 上下文与库" },
            Self::Fragmentation => Label { en: "allocator fragmentation", zh: "分配器碎片" },
        }
    }
}

/// A text in both languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// English.
    pub en: &'static str,
    /// Simplified Chinese.
    pub zh: &'static str,
}

/// A moment of the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Loading and wrapping.
    Load,
    /// Forward through the blocks.
    Forward,
    /// Head and loss, forward and its own backward.
    Loss,
    /// Backward through the blocks.
    Backward,
    /// Optimizer step.
    Optimizer,
    /// Generation.
    Generate,
    /// Forward and loss of the evaluation between steps.
    Evaluate,
}

impl Phase {
    /// The name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Forward => "forward",
            Self::Loss => "loss",
            Self::Backward => "backward",
            Self::Optimizer => "optimizer",
            Self::Generate => "generate",
            Self::Evaluate => "evaluate",
        }
    }
}

/// Bytes with their reason: one line of the unfolded sum.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Which part it belongs to.
    pub part: Part,
    /// What it is.
    pub label: Label,
    /// Bytes.
    pub bytes: u64,
    /// The arithmetic: `tokens 4096 × hidden 2048 × 2 B × 32 layers`. Empty if it would be a single number.
    pub formula: String,
}

/// An assumption of the estimate that no file states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// English.
    pub en: String,
    /// Simplified Chinese.
    pub zh: String,
}

/// One moment of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The location: `layer 3 mlp forward`.
    pub label: String,
    /// The phase.
    pub phase: Phase,
    /// Highest allocated bytes within it.
    pub bytes: u64,
    /// The same by part, in the order of [`Part::ALL`], without context and fragmentation.
    pub parts: [u64; 8],
}

/// Memory of the host, all ranks of one machine together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Highest.
    pub peak: u64,
    /// Name in JSON, label, bytes, arithmetic.
    pub parts: Vec<HostItem>,
}

/// Bytes of the host with their reason.
#[derive(Clone, Debug, PartialEq)]
pub struct HostItem {
    /// Name in JSON: `optimizer_states`, `pinned_buffers`, `load`, `workers`, `processes`.
    pub name: &'static str,
    /// What it is.
    pub label: Label,
    /// Bytes.
    pub bytes: u64,
    /// The arithmetic.
    pub formula: String,
}

/// An estimate for one rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Parameters of the trained model, as loaded.
    pub parameters: u64,
    /// Those that are trained.
    pub trainable: u64,
    /// What `nvidia-smi` would show at the worst moment: reserved, context, libraries.
    pub peak: u64,
    /// When.
    pub peak_phase: Phase,
    /// Highest `torch.cuda.memory_allocated`.
    pub tensors: u64,
    /// Highest `torch.cuda.memory_reserved`.
    pub reserved: u64,
    /// Bytes of each part at the peak, in the order of [`Part::ALL`]. They sum to `peak`.
    pub parts: [u64; 10],
    /// The parts unfolded: items of one part sum to it.
    pub items: Vec<Item>,
    /// Managed memory outside the allocator (paged optimizers), which moves between GPU and host.
    pub managed: u64,
    /// Bounds of `peak`.
    pub low: u64,
    /// Bounds of `peak`.
    pub high: u64,
    /// Highest `tensors` of each phase that occurs.
    pub phases: Vec<(Phase, u64)>,
    /// The host.
    pub host: Host,
    /// Assumptions about the architecture and the setup.
    pub assumptions: Vec<Assumption>,
}
