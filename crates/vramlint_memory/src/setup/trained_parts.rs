//! Which parameters of a model are trained, if not all of them.

use super::Dtype;

/// The trained parts of a model of which others are frozen. A frozen part keeps no gradients and no optimizer states; what lies below the
/// first trained part keeps no activations either.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TrainedParts {
    /// The table of tokens.
    pub embedding: bool,
    /// Tables of positions and types, and what else belongs to the embedding.
    pub beside_embedding: bool,
    /// Runs of trained blocks: the first, and the one after the last.
    pub blocks: Vec<(u64, u64)>,
    /// What is trained of these blocks, by the start of its path within a block (`mlp`, `self_attn.q_proj.bias`); `norms` stands for all
    /// norms. Empty: all.
    pub modules: Vec<String>,
    /// The norm after the last block.
    pub norm: bool,
    /// The dense layer before a classifier.
    pub pooler: bool,
    /// The decoder behind an encoder.
    pub decoder: bool,
    /// The head. One that shares the embedding's table is trained with it.
    pub head: bool,
    /// The part of the model that is counted and not simulated: the tower of a model that sees.
    pub tower: bool,
    /// Trained parameters that come before the first block and that the architecture does not list: what joins images to the text.
    pub beside: u64,
    /// Whether checkpointing makes the input of trained blocks need a gradient (LLaMA-Factory 0.9.6 model/model_utils/checkpointing.py
    /// `get_custom_gradient_checkpointing_func`); otherwise that of the first block does.
    pub starts_at_block: bool,
    /// The type of what is trained; `None`: as the rest.
    pub dtype: Option<Dtype>,
}

impl TrainedParts {
    /// Everything.
    pub fn all() -> Self {
        Self {
            embedding: true,
            beside_embedding: true,
            norm: true,
            pooler: true,
            decoder: true,
            head: true,
            tower: true,
            blocks: vec![(0, u64::MAX)],
            ..Self::default()
        }
    }

    /// Whether all of the language model is trained.
    pub fn is_whole_language_model(&self) -> bool {
        self.embedding
            && self.beside_embedding
            && self.norm
            && self.head
            && self.blocks == [(0, u64::MAX)]
            && self.modules.is_empty()
    }

    /// Whether something of this block is trained, counted from 0.
    pub(crate) fn has_block(&self, index: u64) -> bool {
        self.blocks.iter().any(|(first, end)| (*first..*end).contains(&index))
    }

    /// Whether the module at this path within a trained block is trained.
    pub(crate) fn has_module(&self, path: &str) -> bool {
        self.modules.is_empty() || self.modules.iter().any(|name| path.starts_with(name.as_str()))
    }
}
