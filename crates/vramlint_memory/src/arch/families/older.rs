//! Decoders before Llama: OPT, BLOOM, MPT, GPT-Neo.

use super::decoder::{decoder, plain};
use super::sizes::Sizes;
use super::{LAYER, activation};
use crate::arch::{Activation, Arch, Form, Names, Norm, Order, Projection};
use crate::config::Config;

const OPT: Sizes =
    Sizes { hidden: 768, inner: Some(3072), layers: 12, heads: 12, kv_heads: None, head_dim: None, vocab: 50272, tied: true };
const BLOOM: Sizes = Sizes { hidden: 64, inner: None, layers: 2, heads: 8, vocab: 250_880, ..OPT };
const MPT: Sizes = Sizes { hidden: 2048, inner: None, layers: 24, heads: 16, vocab: 50368, ..OPT };
const NEO: Sizes = Sizes { hidden: 2048, inner: None, layers: 24, heads: 16, vocab: 50257, ..OPT };

const OPT_NAMES: Names = Names { out: "self_attn.out_proj", up: "fc1", down: "fc2", ..Names::LLAMA };
const BLOOM_NAMES: Names = Names {
    fused: "self_attention.query_key_value",
    out: "self_attention.dense",
    up: "mlp.dense_h_to_4h",
    down: "mlp.dense_4h_to_h",
    ..Names::LLAMA
};
const MPT_NAMES: Names =
    Names { fused: "attn.Wqkv", out: "attn.out_proj", up: "ffn.up_proj", down: "ffn.down_proj", ..Names::LLAMA };
const NEO_NAMES: Names = Names {
    qkv: ["attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj"],
    out: "attn.attention.out_proj",
    up: "mlp.c_fc",
    down: "mlp.c_proj",
    ..Names::LLAMA
};

/// OPT: learned positions with two rows more, biases, relu; the smallest but one joins before it norms, and has narrower embeddings.
pub(super) fn opt(config: &Config, kind: String) -> Arch {
    let before = config.flag("do_layer_norm_before").unwrap_or(true);
    let mut arch = decoder(config, kind, OPT, |layer, sizes| {
        let bias = config.flag("enable_bias").unwrap_or(true);
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.rotary = None;
        attention.scales_first = true;
        layer.mlp = plain(sizes.inner(), bias, activation(config.text("activation_function"), Activation::Relu));
        let affine = config.flag("layer_norm_elementwise_affine").unwrap_or(true);
        layer.norm = Norm::Layer { weight: affine, bias: affine };
        layer.order = if before { Order::Pre } else { Order::Post { late_dropout: false, keeps: false } };
        layer.dropout = config.number("dropout").unwrap_or(0.1) > 0.0;
        layer.names = &OPT_NAMES;
    });
    arch.embedding.positions = Some(config.count("max_position_embeddings").unwrap_or(2048).saturating_add(2));
    arch.embedding.by_row = true;
    arch.embedding.columns = config.count("word_embed_proj_dim").unwrap_or(arch.hidden);
    arch.embedding.projects_back = arch.embedding.columns != arch.hidden;
    if !before || config.flag("_remove_final_layer_norm").unwrap_or(false) {
        arch.final_norm = None;
    }
    arch
}

/// BLOOM: ALiBi, a norm behind the embedding, its own gelu.
pub(super) fn bloom(config: &Config, kind: String) -> Arch {
    let mut arch = decoder(config, kind, BLOOM, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        attention.rotary = None;
        attention.projection = Projection::FusedSelected;
        attention.form = Form::Bloom;
        attention.dropout = config.number("attention_dropout").unwrap_or(0.0) > 0.0;
        layer.mlp = plain(sizes.hidden.saturating_mul(4), true, Activation::BloomGelu);
        layer.norm = LAYER;
        layer.dropout = config.number("hidden_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &BLOOM_NAMES;
    });
    arch.embedding.norm = Some(LAYER);
    arch
}

/// MPT: ALiBi, no biases anywhere.
pub(super) fn mpt(config: &Config, kind: String) -> Arch {
    let bare = Norm::Layer { weight: true, bias: false };
    let own = config.object("attn_config");
    let dropout = own.and_then(|own| own.number("attn_pdrop")).unwrap_or(0.0) > 0.0;
    let expansion = config.count("expansion_ratio").unwrap_or(4);
    decoder(config, kind, MPT, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (false, false);
        attention.rotary = None;
        attention.projection = Projection::Fused;
        attention.form = Form::Mpt;
        attention.dropout = dropout;
        layer.mlp = plain(sizes.hidden.saturating_mul(expansion), false, Activation::Kernel);
        layer.norm = bare;
        layer.dropout = dropout;
        layer.names = &MPT_NAMES;
    })
}

/// GPT-Neo: learned positions; global and local layers hold a mask each and take the same memory.
pub(super) fn neo(config: &Config, kind: String) -> Arch {
    let mut arch = decoder(config, kind, NEO, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (false, true);
        attention.rotary = None;
        attention.form = Form::Neo;
        attention.dropout = config.number("attention_dropout").unwrap_or(0.0) > 0.0;
        layer.mlp = plain(sizes.inner(), true, activation(config.text("activation_function"), Activation::GeluNew));
        layer.norm = LAYER;
        layer.dropout = config.number("resid_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &NEO_NAMES;
    });
    let rows = config.count("max_position_embeddings").unwrap_or(2048);
    arch.embedding.positions = Some(rows);
    arch.embedding.stored_mask = rows.saturating_mul(rows).saturating_mul(arch.layers());
    arch.embedding.dropout = config.number("embed_dropout").unwrap_or(0.0) > 0.0;
    arch
}
