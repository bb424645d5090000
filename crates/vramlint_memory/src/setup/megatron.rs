//! How Megatron-Core divides a model and what it computes again.

/// What Megatron-Core is told beyond what other schemes know. Tensor and context ranks are those of
/// [`Parallel`](super::Parallel), as are the ranks that hold rows of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Megatron {
    /// Stages of the pipeline.
    pub pipeline: u64,
    /// Parts of a stage that take turns (`virtual_pipeline_model_parallel_size`).
    pub chunks: u64,
    /// Blocks of the first stage, if it has a number of its own.
    pub first_stage: Option<u64>,
    /// Blocks of the last stage, if it has a number of its own.
    pub last_stage: Option<u64>,
    /// Ranks that share the experts of a block.
    pub expert: u64,
    /// Ranks that share each expert.
    pub expert_tensor: u64,
    /// Whether tensor ranks share the sequence outside of matrices.
    pub sequence_parallel: bool,
    /// What backward computes again.
    pub recompute: Recompute,
    /// Whether data-parallel ranks share the optimizer states (`use_distributed_optimizer`).
    pub distributed_optimizer: bool,
    /// Bytes of a gradient.
    pub gradient: u64,
    /// Bytes of the optimizer states of a parameter, its fp32 copy among them.
    pub states: u64,
    /// Thousandths of the optimizer states that the host keeps.
    pub on_host: u64,
    /// Whether one kernel rotates queries and keys; otherwise cosines and sines are kept.
    pub fused_rotary: bool,
    /// Whether the scores of attention are written out.
    pub writes_scores: bool,
    /// Whether the rows of a micro-batch are joined, so that every token has a position of its own.
    pub joins_rows: bool,
    /// Bytes of a logit at the loss.
    pub logit: u64,
    /// Blocks that predict further tokens.
    pub further_tokens: u64,
    /// The most rows of an expert, in percent of its even share; 100 where none can get more.
    pub most_routed: u64,
}

impl Default for Megatron {
    fn default() -> Self {
        Self {
            pipeline: 1,
            chunks: 1,
            first_stage: None,
            last_stage: None,
            expert: 1,
            expert_tensor: 1,
            sequence_parallel: false,
            recompute: Recompute::Nothing,
            distributed_optimizer: true,
            gradient: 4,
            states: 12,
            on_host: 0,
            fused_rotary: false,
            writes_scores: false,
            joins_rows: false,
            logit: 6,
            further_tokens: 0,
            most_routed: 200,
        }
    }
}

/// What backward computes again (`recompute_granularity`, `recompute_method`, `recompute_modules`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Recompute {
    /// Nothing.
    #[default]
    Nothing,
    /// These parts of every block.
    Parts(RecomputedParts),
    /// Groups of this many blocks; the input of each is kept.
    Groups(u64),
    /// The first blocks of a stage, each on its own.
    First(u64),
}

/// Parts of a block that backward computes again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // each is an entry of `recompute_modules`
pub struct RecomputedParts {
    /// The scores of attention, if they are written out.
    pub scores: bool,
    /// Norms.
    pub norms: bool,
    /// A dense MLP.
    pub mlp: bool,
    /// Experts with their routing.
    pub experts: bool,
    /// The activation function of experts.
    pub expert_activation: bool,
    /// The way up from latent queries, keys and values.
    pub latent: bool,
}
