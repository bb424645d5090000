//! Decoders before Llama: OPT, BLOOM, MPT, GPT-Neo.

use super::decoder::{decoder, ungated_mlp};
use super::sizes::Sizes;
use super::{Family, LAYER_NORM, activation};
use crate::arch::{Activation, Arch, AttentionImpl, Dropped, ModuleNames, Norm, Order, Projection};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["opt"], opt),
    Family::traced(&["bloom"], bloom),
    Family::traced(&["mpt"], mpt),
    Family::traced(&["gpt_neo"], neo),
];

const OPT: Sizes =
    Sizes { hidden: 768, inner: Some(3072), layers: 12, heads: 12, kv_heads: None, head_dim: None, vocab: 50272, tied: true };
const BLOOM: Sizes = Sizes { hidden: 64, inner: None, layers: 2, heads: 8, vocab: 250_880, ..OPT };
const MPT: Sizes = Sizes { hidden: 2048, inner: None, layers: 24, heads: 16, vocab: 50368, ..OPT };
const NEO: Sizes = Sizes { hidden: 2048, inner: None, layers: 24, heads: 16, vocab: 50257, ..OPT };

const OPT_NAMES: ModuleNames = ModuleNames { out: "self_attn.out_proj", up: "fc1", down: "fc2", ..ModuleNames::LLAMA };
const BLOOM_NAMES: ModuleNames = ModuleNames {
    fused: "self_attention.query_key_value",
    out: "self_attention.dense",
    up: "mlp.dense_h_to_4h",
    down: "mlp.dense_4h_to_h",
    ..ModuleNames::LLAMA
};
const MPT_NAMES: ModuleNames =
    ModuleNames { fused: "attn.Wqkv", out: "attn.out_proj", up: "ffn.up_proj", down: "ffn.down_proj", ..ModuleNames::LLAMA };
const NEO_NAMES: ModuleNames = ModuleNames {
    qkv: ["attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj"],
    out: "attn.attention.out_proj",
    up: "mlp.c_fc",
    down: "mlp.c_proj",
    ..ModuleNames::LLAMA
};

/// OPT: learned positions with two rows more, biases, relu; the smallest but one joins before it norms, and has narrower embeddings.
fn opt(config: &Config, model_type: String) -> Arch {
    let before = config.flag("do_layer_norm_before").unwrap_or(true);
    let mut arch = decoder(config, model_type, OPT, |layer, sizes| {
        let bias = config.flag("enable_bias").unwrap_or(true);
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.rotary = None;
        attention.scales_queries_first = true;
        layer.mlp = ungated_mlp(sizes.inner(), bias, activation(config.text("activation_function"), Activation::Relu));
        let affine = config.flag("layer_norm_elementwise_affine").unwrap_or(true);
        layer.norm = Norm::Layer { weight: affine, bias: affine };
        layer.order = if before { Order::Pre } else { Order::Post { dropped: Dropped::Both, keeps_activation: false } };
        layer.dropout = config.number("dropout").unwrap_or(0.1) > 0.0;
        layer.names = &OPT_NAMES;
    });
    arch.embedding.positions = Some(config.count("max_position_embeddings").unwrap_or(2048).saturating_add(2));
    arch.embedding.positions_per_sequence = true;
    arch.embedding.columns = config.count("word_embed_proj_dim").unwrap_or(arch.hidden);
    arch.embedding.projects_back = arch.embedding.columns != arch.hidden;
    if !before || config.flag("_remove_final_layer_norm").unwrap_or(false) {
        arch.final_norm = None;
    }
    arch
}

/// BLOOM: ALiBi, a norm after the embedding, its own GELU.
fn bloom(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, BLOOM, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        attention.rotary = None;
        attention.projection = Projection::FusedSelected;
        attention.implementation = AttentionImpl::Bloom;
        attention.dropout = config.number("attention_dropout").unwrap_or(0.0) > 0.0;
        layer.mlp = ungated_mlp(sizes.hidden.saturating_mul(4), true, Activation::BloomGelu);
        layer.norm = LAYER_NORM;
        layer.dropout = config.number("hidden_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &BLOOM_NAMES;
    });
    arch.embedding.norm = Some(LAYER_NORM);
    arch
}

/// MPT: ALiBi, no biases anywhere.
fn mpt(config: &Config, model_type: String) -> Arch {
    let bare = Norm::Layer { weight: true, bias: false };
    let own = config.object("attn_config");
    let dropout = own.and_then(|own| own.number("attn_pdrop")).unwrap_or(0.0) > 0.0;
    let expansion = config.count("expansion_ratio").unwrap_or(4);
    decoder(config, model_type, MPT, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (false, false);
        attention.rotary = None;
        attention.projection = Projection::Fused;
        attention.implementation = AttentionImpl::Mpt;
        attention.dropout = dropout;
        layer.mlp = ungated_mlp(sizes.hidden.saturating_mul(expansion), false, Activation::Kernel);
        layer.norm = bare;
        layer.dropout = dropout;
        layer.names = &MPT_NAMES;
    })
}

/// GPT-Neo: learned positions; global and local layers each store a mask and need the same memory.
fn neo(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, NEO, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (false, true);
        attention.rotary = None;
        attention.implementation = AttentionImpl::GptNeo;
        attention.dropout = config.number("attention_dropout").unwrap_or(0.0) > 0.0;
        layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text("activation_function"), Activation::GeluNew));
        layer.norm = LAYER_NORM;
        layer.dropout = config.number("resid_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &NEO_NAMES;
    });
    let rows = config.count("max_position_embeddings").unwrap_or(2048);
    arch.embedding.positions = Some(rows);
    arch.embedding.mask_buffer_bytes = rows.saturating_mul(rows).saturating_mul(arch.layers());
    arch.embedding.dropout = config.number("embed_dropout").unwrap_or(0.0) > 0.0;
    arch
}
