//! GPT-2.

use super::{Family, LAYER_NORM, activation, embedding, head};
use crate::arch::{Activation, Arch, Attention, Certainty, Embedding, Layer, Mlp, ModuleNames, Order, Projection};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["gpt2"], read)];

const NAMES: ModuleNames =
    ModuleNames { fused: "attn.c_attn", out: "attn.c_proj", up: "mlp.c_fc", down: "mlp.c_proj", ..ModuleNames::LLAMA };

/// GPT-2.
fn read(config: &Config, model_type: String) -> Arch {
    let hidden = config.count("n_embd").unwrap_or(768);
    let heads = config.count("n_head").unwrap_or(12);
    let head_dim = hidden / heads.max(1);
    let layer = Layer {
        attention: Attention {
            projection: Projection::Fused,
            qkv_bias: true,
            out_bias: true,
            dropout: config.number("attn_pdrop").unwrap_or(0.1) > 0.0,
            ..Attention::plain(heads, head_dim)
        },
        mlp: Mlp::Plain {
            inner: config.count("n_inner").unwrap_or(4 * hidden),
            bias: true,
            activation: activation(config.text("activation_function"), Activation::GeluNew),
        },
        order: Order::Pre,
        norm: LAYER_NORM,
        dropout: config.number("resid_pdrop").unwrap_or(0.1) > 0.0,
        scaled: false,
        scaled_by_vectors: false,
        beside: None,
        own_input: None,
        names: &NAMES,
    };
    Arch {
        model_type,
        hidden,
        vocab: config.count("vocab_size").unwrap_or(50257),
        embedding: Embedding {
            positions: Some(config.count("n_positions").unwrap_or(1024)),
            dropout: config.number("embd_pdrop").unwrap_or(0.1) > 0.0,
            ..embedding(hidden)
        },
        patches: None,
        layers: vec![(layer, config.count("n_layer").unwrap_or(12))],
        blocks_per_weights: 1,
        final_norm: Some(LAYER_NORM),
        decoder: None,
        head: head(config.flag("tie_word_embeddings").unwrap_or(true)),
        causal: true,
        unsimulated_parameters: 0,
        sees: false,
        undescribed: None,
        context_length: None,
        assumptions: Vec::new(),
        certainty: Certainty::Traced,
    }
}
