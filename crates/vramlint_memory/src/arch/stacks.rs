//! The two stacks of an encoder-decoder model.

use super::{Layer, Norm};

/// The decoder of an encoder-decoder model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decoder {
    /// Its blocks, but for their attention to the encoder, which has the same shape as that to itself.
    pub(crate) layer: Layer,
    /// How many.
    pub(crate) blocks: u64,
    /// How both stacks know where a token is.
    pub(crate) stacks: Stacks,
}

/// How encoder and decoder know where a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stacks {
    /// By biases of distances (T5).
    Distances {
        /// Kinds of distances that have a bias, for encoder and decoder each.
        buckets: u64,
    },
    /// By embeddings of positions (BART).
    Positions(PositionStacks),
}

/// What both stacks of BART and its kin have beside their blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PositionStacks {
    /// What a position adds to a token.
    pub(crate) positions: Positions,
    /// Rows of the table of each stack.
    pub(crate) rows: u64,
    /// A norm over tokens and positions.
    pub(crate) embedding_norm: Option<Norm>,
    /// A norm after the last block.
    pub(crate) final_norm: Option<Norm>,
    /// Dropout after the activation of an MLP.
    pub(crate) activation_dropout: bool,
    /// A bias of the logits that nothing trains (`final_logits_bias`).
    pub(crate) logits_bias: bool,
    /// fp16 hidden states are clamped at the end of each block of the encoder.
    pub(crate) clamps_fp16: bool,
    /// The decoder caches keys and values in training, if the setup says so (M2M100).
    pub(crate) caches: bool,
}

/// Where the embeddings of positions come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Positions {
    /// A trained table.
    Learned,
    /// Frozen rows of a table, the same for each sequence (Marian, Pegasus).
    Frozen,
    /// A buffer, from which each token of a batch picks its row (M2M100).
    Buffer,
}
