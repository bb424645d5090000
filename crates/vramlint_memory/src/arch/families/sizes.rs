//! Sizes in a decoder's config, under the keys that families use.

use crate::config::Config;
use crate::estimate::Assumption;

/// What every decoder has. As a constant it holds the defaults of a config class of transformers 5.23.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Width of the residual stream.
    pub(super) hidden: u64,
    /// Width of the MLP; `None` is four times the hidden width.
    pub(super) inner: Option<u64>,
    /// Blocks.
    pub(super) layers: u64,
    /// Query heads.
    pub(super) heads: u64,
    /// Key and value heads; `None` is as many as query heads.
    pub(super) kv_heads: Option<u64>,
    /// Width of a head; `None` is the hidden width over the heads.
    pub(super) head_dim: Option<u64>,
    /// Rows of the embedding table.
    pub(super) vocab: u64,
    /// The head shares the embedding table.
    pub(super) tied: bool,
}

/// `LlamaConfig`.
pub(super) const LLAMA: Sizes =
    Sizes { hidden: 4096, inner: Some(11008), layers: 32, heads: 32, kv_heads: None, head_dim: None, vocab: 32000, tied: false };

const HIDDEN: &[&str] = &["hidden_size", "n_embd", "d_model", "model_dim", "dim", "embed_dim"];
const INNER: &[&str] = &[
    "intermediate_size",
    "ffn_hidden_size",
    "n_inner",
    "ffn_dim",
    "d_ff",
    "ffn_hidden_dim",
    "feed_forward_hidden",
    "inner_dim",
    "hidden_dim",
];
const LAYERS: &[&str] = &["num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers", "depth"];
const HEADS: &[&str] = &["num_attention_heads", "n_head", "n_heads", "num_heads", "decoder_attention_heads"];
const KV_HEADS: &[&str] =
    &["num_key_value_heads", "num_kv_heads", "n_kv_heads", "n_head_kv", "multi_query_group_num", "num_query_groups"];
const HEAD_DIM: &[&str] = &["head_dim", "head_size", "kv_channels", "attention_head_dim", "d_head"];
const VOCAB: &[&str] = &["vocab_size", "padded_vocab_size", "n_vocab", "embedding_size"];

/// The value of the first of `keys` that is written.
fn first(config: &Config, keys: &[&str]) -> Option<u64> {
    keys.iter().find_map(|key| config.count(key)).filter(|count| *count > 0)
}

/// The size without which nothing is known of a decoder, by the usual name of its key.
pub(super) fn missing_size(config: &Config) -> Option<&'static str> {
    let needed = [HIDDEN, LAYERS, HEADS, VOCAB];
    needed.into_iter().find(|keys| first(config, keys).is_none()).and_then(|keys| keys.first().copied())
}

impl Sizes {
    /// Reads a config. Missing values get defaults; those that determine the model's size are listed as assumptions.
    pub(super) fn read(self, config: &Config, assumptions: &mut Vec<Assumption>) -> Self {
        let mut need = |keys: &[&str], other: u64| {
            first(config, keys).unwrap_or_else(|| {
                let key = keys.first().copied().unwrap_or_default();
                assumptions.push(Assumption {
                    en: format!("the architecture lacks {key}: assuming {other}"),
                    zh: format!("架构缺少 {key}：按 {other} 计"),
                });
                other
            })
        };
        let hidden = need(HIDDEN, self.hidden);
        let layers = need(LAYERS, self.layers);
        let heads = need(HEADS, self.heads);
        let vocab = need(VOCAB, self.vocab);
        let inner = first(config, INNER).or(self.inner);
        let kv_heads = match first(config, KV_HEADS) {
            None if KV_HEADS.iter().any(|key| config.has(key)) => None,
            None => self.kv_heads,
            written => written,
        };
        let head_dim = match first(config, HEAD_DIM) {
            None if config.has("head_dim") => None,
            None => self.head_dim,
            written => written,
        };
        Self {
            hidden,
            inner: Some(inner.unwrap_or(hidden.saturating_mul(4))),
            layers,
            heads,
            kv_heads: Some(kv_heads.unwrap_or(heads)),
            head_dim: Some(head_dim.unwrap_or(hidden / heads.max(1))),
            vocab,
            tied: config.flag("tie_word_embeddings").unwrap_or(self.tied),
        }
    }

    /// The width of the MLP.
    pub(super) fn inner(&self) -> u64 {
        self.inner.unwrap_or(self.hidden.saturating_mul(4))
    }

    /// Key and value heads.
    pub(super) fn kv_heads(&self) -> u64 {
        self.kv_heads.unwrap_or(self.heads)
    }

    /// The width of a head.
    pub(super) fn head_dim(&self) -> u64 {
        self.head_dim.unwrap_or(self.hidden / self.heads.max(1))
    }
}
