//! BERT and its kin.

use super::{LAYER, activation, embedding, head};
use crate::arch::{Activation, Arch, Attention, Certainty, Embedding, HeadShape, Layer, Mlp, Names, Order, Projection};
use crate::config::Config;

const NAMES: Names = Names {
    qkv: ["attention.self.query", "attention.self.key", "attention.self.value"],
    out: "attention.output.dense",
    up: "intermediate.dense",
    down: "output.dense",
    ..Names::LLAMA
};

/// Reads one.
pub(super) fn read(config: &Config, kind: String) -> Arch {
    let hidden = config.count("hidden_size").unwrap_or(768);
    let heads = config.count("num_attention_heads").unwrap_or(12);
    let head_dim = hidden / heads.max(1);
    let dropout = config.number("hidden_dropout_prob").unwrap_or(0.1) > 0.0;
    let layer = Layer {
        attention: Attention {
            heads,
            kv_heads: heads,
            head_dim,
            value_dim: head_dim,
            projection: Projection::Separate,
            qkv_bias: true,
            out_bias: true,
            rotary: None,
            qk_norm: None,
            softcap: false,
            dropout: config.number("attention_probs_dropout_prob").unwrap_or(0.1) > 0.0,
            alibi: false,
            sinks: false,
            softmax_fp32: false,
            window: None,
            scaled_queries: false,
            fp32_scores: false,
            masked: false,
        },
        mlp: Mlp::Plain {
            inner: config.count("intermediate_size").unwrap_or(3072),
            bias: true,
            activation: activation(config.text("hidden_act"), Activation::Kernel),
        },
        order: Order::Post,
        norm: LAYER,
        dropout,
        scaled: false,
        names: &NAMES,
    };
    Arch {
        model_type: kind,
        hidden,
        vocab: config.count("vocab_size").unwrap_or(30522),
        embedding: Embedding {
            positions: Some(config.count("max_position_embeddings").unwrap_or(512)),
            types: Some(config.count("type_vocab_size").unwrap_or(2)),
            norm: Some(LAYER),
            dropout,
            ..embedding(hidden)
        },
        layers: vec![(layer, config.count("num_hidden_layers").unwrap_or(12))],
        final_norm: None,
        head: HeadShape { bias: true, transform: true, pooler: true, ..head(config.flag("tie_word_embeddings").unwrap_or(true)) },
        causal: false,
        tower: 0,
        assumptions: Vec::new(),
        certainty: Certainty::Traced,
    }
}
