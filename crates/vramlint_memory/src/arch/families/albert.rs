//! ALBERT: blocks that share their weights, and embeddings narrower than the residual stream (transformers 5.23 `modeling_albert.py`).

use super::bert::{KEYS, encoder};
use super::sizes::{LLAMA, Sizes};
use super::{Family, activation};
use crate::arch::{Activation, Arch, Dropped, HeadShape, Mlp, ModuleNames, Pooler};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["albert"], read)];

const ALBERT: Sizes = Sizes { hidden: 4096, inner: Some(16_384), layers: 12, heads: 64, vocab: 30_000, tied: true, ..LLAMA };

const NAMES: ModuleNames = ModuleNames {
    qkv: ["attention.query", "attention.key", "attention.value"],
    out: "attention.dense",
    up: "ffn",
    down: "ffn_output",
    ..ModuleNames::LLAMA
};

/// ALBERT: the blocks of a group have the same weights; all of them are one group in the models that are published.
fn read(config: &Config, model_type: String) -> Arch {
    let mut arch = encoder(config, model_type, ALBERT, &NAMES, KEYS, Dropped::Attention);
    // Without a value, there is no dropout, and the activation is written in Python.
    let drops = |key: &str| config.number(key).unwrap_or(0.0) > 0.0;
    let function = activation(config.text("hidden_act"), Activation::GeluNew);
    for (layer, _) in &mut arch.layers {
        layer.dropout = drops("hidden_dropout_prob");
        layer.attention.dropout = drops("attention_probs_dropout_prob");
        if let Mlp::Plain { activation, .. } = &mut layer.mlp {
            *activation = function;
        }
    }
    let groups = config.count("num_hidden_groups").filter(|groups| *groups > 0).unwrap_or(1);
    arch.blocks_per_weights = (arch.layers() / groups).max(1);
    arch.embedding.dropout = drops("hidden_dropout_prob");
    arch.embedding.types = Some(config.count("type_vocab_size").unwrap_or(2));
    arch.embedding.id_buffers = 2;
    arch.embedding.columns = config.count("embedding_size").unwrap_or(128);
    arch.embedding.projection_bias = true;
    let pooler = Pooler { dropout_first: false, activation: Activation::Relu, in_modules_to_save: false };
    arch.head = HeadShape { transform_activation: function, pooler: Some(pooler), ..arch.head };
    arch
}
