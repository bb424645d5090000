//! What a model is trained for.

/// What is trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Task {
    /// Next-token prediction; supervised fine-tuning too.
    #[default]
    CausalLm,
    /// Masked language modelling.
    MaskedLm,
    /// A class per row.
    SequenceClassification,
    /// A choice among four rows per sample (SWAG).
    MultipleChoice,
    /// A class per image.
    ImageClassification,
    /// A class per token.
    TokenClassification,
    /// The first and the last token of an answer.
    QuestionAnswering,
    /// A reward model: pairs of rows, so `2 × micro_batch` rows a forward.
    Reward,
    /// The same with a score for every token beside the logits of the language model (LLaMA-Factory).
    ValueReward,
    /// The policy of proximal policy optimization whose other models live in processes of their own (OpenRLHF).
    Ppo,
    /// Scores of documents by two tokens of the vocabulary (ms-swift's generative rerankers).
    Reranker,
    /// Direct preference optimization: pairs of rows.
    Dpo,
    /// Kahneman-Tversky optimization: single rows, and a pass over mismatched ones.
    Kto,
    /// Binary classifier optimization: single rows and a reference model, over all logits (TRL's BCOTrainer).
    Bco,
    /// Odds-ratio and contrastive preference optimization: pairs of rows without a reference, and cross entropy of the chosen ones.
    Orpo,
    /// The same without cross entropy.
    Simpo,
    /// Triple preference optimization: a pair and a gold answer per sample, without a reference model.
    Tpo,
    /// Distillation that compares all logits with those of a teacher (TRL's GKD).
    Gkd,
    /// Distillation on own completions that compares logits tile by tile (TRL's DistillationTrainer).
    Distillation,
    /// Group relative policy optimization: `micro_batch` counts completions.
    Grpo,
    /// Direct preference optimization of two own completions per prompt (TRL's OnlineDPOTrainer).
    OnlineDpo,
    /// Embeddings of pairs of texts: two rows per sample.
    EmbeddingPairs,
    /// Embeddings of triplets of texts: three rows per sample.
    EmbeddingTriplets,
    /// From a source to a target, by an encoder and a decoder.
    Seq2Seq,
}

impl Task {
    /// Rows of one forward for each unit of `micro_batch`.
    pub const fn sequences_per_sample(self) -> u64 {
        match self {
            Self::Reward | Self::ValueReward | Self::Dpo | Self::OnlineDpo | Self::Orpo | Self::Simpo | Self::EmbeddingPairs => 2,
            Self::Tpo | Self::EmbeddingTriplets => 3,
            Self::MultipleChoice => 4,
            _ => 1,
        }
    }

    /// The name in `--task` and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CausalLm => "causal-lm",
            Self::MaskedLm => "masked-lm",
            Self::SequenceClassification => "seq-cls",
            Self::MultipleChoice => "multiple-choice",
            Self::ImageClassification => "image-classification",
            Self::TokenClassification => "token-classification",
            Self::QuestionAnswering => "question-answering",
            Self::Reward => "reward",
            Self::ValueReward => "value-reward",
            Self::Ppo => "ppo",
            Self::Reranker => "reranker",
            Self::Dpo => "dpo",
            Self::Kto => "kto",
            Self::Bco => "bco",
            Self::Orpo => "orpo",
            Self::Simpo => "simpo",
            Self::Tpo => "tpo",
            Self::Gkd => "gkd",
            Self::Distillation => "distillation",
            Self::EmbeddingPairs => "embedding-pairs",
            Self::EmbeddingTriplets => "embedding-triplets",
            Self::Grpo => "grpo",
            Self::OnlineDpo => "online-dpo",
            Self::Seq2Seq => "seq2seq",
        }
    }
}
