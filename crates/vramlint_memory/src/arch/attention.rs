//! The shape of an attention.

use super::Norm;

/// Attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attention {
    /// Query heads.
    pub(crate) heads: u64,
    /// Key and value heads.
    pub(crate) kv_heads: u64,
    /// Width of a query or key head.
    pub(crate) head_dim: u64,
    /// Width of a value head.
    pub(crate) value_dim: u64,
    /// How queries, keys and values are projected.
    pub(crate) projection: Projection,
    /// Biases of the projections to q, k, v.
    pub(crate) qkv_bias: bool,
    /// Bias of the output projection.
    pub(crate) out_bias: bool,
    /// Rotary embedding.
    pub(crate) rotary: Option<Rotary>,
    /// Norms of queries and keys.
    pub(crate) qk_norm: Option<QkNorm>,
    /// Scores are capped (Gemma 2), which needs them written out.
    pub(crate) softcap: bool,
    /// Dropout of the probabilities.
    pub(crate) dropout: bool,
    /// Scores get a bias by distance (ALiBi).
    pub(crate) alibi: bool,
    /// Learned sinks join the scores (gpt-oss).
    pub(crate) sinks: bool,
    /// Softmax in fp32 with a cast back, as transformers' eager form of decoders does.
    pub(crate) softmax_fp32: bool,
    /// Only a window of the past is seen.
    pub(crate) window: Option<u64>,
    /// Queries are multiplied by a number of their position (Ministral 3).
    pub(crate) scaled_queries: bool,
    /// Scores are computed from fp32 queries and keys (GPT-J).
    pub(crate) fp32_scores: bool,
    /// A mask is created even if causality alone hides tokens (Falcon).
    pub(crate) always_masked: bool,
    /// Which code computes the scores.
    pub(crate) implementation: AttentionImpl,
    /// Queries are multiplied by a number of Python before the scores (OPT).
    pub(crate) scales_queries_first: bool,
    /// Scores are joined by those of distances (DeBERTa).
    pub(crate) relative: Option<Relative>,
}

/// Attention to distances in addition to contents (DeBERTa).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relative {
    /// Distances to either side that have an embedding.
    pub(crate) span: u64,
    /// They are projected as contents are, rather than by weights of their own.
    pub(crate) shared: bool,
    /// Contents look at distances.
    pub(crate) to_positions: bool,
    /// Distances look at contents.
    pub(crate) from_positions: bool,
    /// The embedding of distances is normed.
    pub(crate) normed: bool,
    /// Queries, keys and values come from one matrix, and queries and values have biases of their own (the first version of DeBERTa).
    pub(crate) fused: bool,
}

impl Attention {
    /// One of as many key as query heads, without a position and without biases; families name what they add.
    pub(crate) const fn plain(heads: u64, head_dim: u64) -> Self {
        Self {
            heads,
            kv_heads: heads,
            head_dim,
            value_dim: head_dim,
            projection: Projection::Separate,
            qkv_bias: false,
            out_bias: false,
            rotary: None,
            qk_norm: None,
            softcap: false,
            dropout: false,
            alibi: false,
            sinks: false,
            softmax_fp32: false,
            window: None,
            scaled_queries: false,
            fp32_scores: false,
            always_masked: false,
            implementation: AttentionImpl::Common,
            scales_queries_first: false,
            relative: None,
        }
    }

    /// Whether keys and values are those of an earlier block.
    pub(crate) fn borrows_keys(&self) -> bool {
        matches!(self.projection, Projection::Lent { keys: KeyStates::Borrowed, .. })
    }

    /// Whether scores are materialized regardless of the requested kernel.
    pub(crate) fn materializes_scores(&self) -> bool {
        self.softcap || self.fp32_scores || self.implementation != AttentionImpl::Common
    }
}

/// The code of transformers that computes scores, for families with their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AttentionImpl {
    /// The common interface.
    Common,
    /// BLOOM: ALiBi is what the product is added to.
    Bloom,
    /// MPT: ALiBi in fp32 is added.
    Mpt,
    /// GPT-Neo: a stored mask hides later tokens and, in local layers, distant ones.
    GptNeo,
    /// MPNet: a bias of each pair of tokens, which all blocks share, is added in place.
    SharedBias {
        /// Kinds of distances that have a bias.
        buckets: u64,
    },
}

/// How queries, keys and values are projected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Projection {
    /// `q_proj`, `k_proj`, `v_proj`.
    Separate,
    /// One matrix, split into three views.
    Fused,
    /// One matrix, cut by three slices (Phi-3).
    FusedSlices,
    /// One matrix whose rows alternate by head; the parts are views of it (NeoX).
    FusedByHead,
    /// One matrix whose rows alternate by groups of heads, so that each part is copied (CodeGen).
    FusedByGroup,
    /// One matrix of which each part is selected by head, which copies it (BLOOM).
    FusedSelected,
    /// One matrix whose keys and values are picked by index, which copies them (Falcon); `spread` to every head.
    FusedPicked {
        /// Keys and values are copied to every head.
        repeat_kv: bool,
    },
    /// Queries, keys and values that are normed one after the other (Gemma 4).
    Lent {
        /// Where keys and values come from.
        keys: KeyStates,
        /// Values are the projected keys.
        values_are_keys: bool,
    },
    /// Matrices of contents and of distances, with biases of either and embeddings of segments (XLNet).
    Segments,
    /// No attention: a short convolution of each channel between two gates (LFM2).
    Convolution {
        /// Tokens that it sees.
        taps: u64,
        /// Biases of the convolution and of both projections.
        bias: bool,
    },
    /// Low-rank queries and keys/values (DeepSeek).
    Latent {
        /// Rank of the queries, if any.
        query_rank: Option<u64>,
        /// Rank of keys and values.
        kv_rank: u64,
        /// Rotated columns of a head.
        rope_dim: u64,
    },
}

/// Where keys and values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyStates {
    /// The block projects its own.
    Own,
    /// It projects its own, which later blocks with the same window use.
    Kept,
    /// Those that an earlier block with the same window kept.
    Borrowed,
}

/// Rotary embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rotary {
    /// Rotated columns of a head.
    pub(crate) columns: u64,
    /// Turned in fp32 and cast back.
    pub(crate) fp32: bool,
    /// Turned by pairs of neighbours (GPT-J, GLM, Cohere) rather than by halves.
    pub(crate) interleaved: bool,
    /// How rotated and unrotated columns are joined.
    pub(crate) parts: RotaryJoin,
    /// What the tables of cosines and sines are.
    pub(crate) tables: RotaryTables,
    /// Sliding layers have tables of their own (Gemma 3).
    pub(crate) local: bool,
}

impl Rotary {
    /// As Llama does it, over `columns`.
    pub(crate) fn usual(columns: u64) -> Self {
        Self { columns, fp32: false, interleaved: false, parts: RotaryJoin::Whole, tables: RotaryTables::Cast, local: false }
    }
}

/// How rotated and unrotated columns are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RotaryJoin {
    /// All columns are rotated.
    Whole,
    /// Queries are sliced, rotated and joined, then keys (Phi-3, GPT-J), even if no column is left over.
    OneByOne,
    /// Queries and keys are sliced, then both rotated, then both joined (Phi, NeoX, GLM).
    Together,
}

/// What the tables of cosines and sines are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RotaryTables {
    /// In the type of the hidden states.
    Cast,
    /// The same, but each of the two products casts its operand to fp32 (ModernBERT).
    CastTwice,
    /// In fp32 (OLMo).
    Fp32,
    /// In the type of the hidden states (GLM) or in fp32 (`wide`, ERNIE), each number repeated at every use.
    Repeated {
        /// In fp32.
        fp32: bool,
    },
    /// In the type of the hidden states, half as wide as a head: halves are rotated one at a time (gpt-oss).
    Half,
    /// Complex values in fp32 (Llama 4, DeepSeek-V2).
    Complex,
    /// Rows of a stored table, one in each layer (GPT-J), picked and repeated at every use.
    Stored {
        /// Its rows.
        rows: u64,
        /// The table stays in fp32, so rotated states become fp32 (CodeGen).
        fp32: bool,
    },
}

/// Norms of queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QkNorm {
    /// Which norm.
    pub(crate) norm: Norm,
    /// Over each head (Qwen3) rather than over all columns (OLMo 2).
    pub(crate) per_head: bool,
    /// After the rotary embedding (Hunyuan) rather than before it.
    pub(crate) after_rotary: bool,
}
