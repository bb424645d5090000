//! Decoders with LayerNorm or an MLP without a gate: StarCoder, StableLM, Nemotron, Arcee, Apertus, Jais 2.

use super::decoder::{decoder, partial_rotary_factor, rotary_columns, sliding_window, ungated_mlp};
use super::sizes::{LLAMA, Sizes};
use super::{Family, LAYER_NORM, activation};
use crate::arch::{Activation, Arch, ModuleNames, Norm, Order, Projection, QkNorm, Rotary, RotaryJoin};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["starcoder2"], starcoder2),
    Family::traced(&["gpt_bigcode"], bigcode),
    Family::traced(&["stablelm"], stablelm),
    Family::traced(&["nemotron"], nemotron),
    Family::traced(&["arcee"], arcee),
    Family::untraced(&["jais2"], arcee),
    Family::traced(&["apertus"], apertus),
];

const STARCODER2: Sizes = Sizes {
    hidden: 3072,
    inner: Some(12288),
    layers: 30,
    heads: 24,
    kv_heads: Some(2),
    head_dim: None,
    vocab: 49152,
    tied: true,
};
const BIGCODE: Sizes =
    Sizes { hidden: 768, inner: None, layers: 12, heads: 12, kv_heads: None, head_dim: None, vocab: 50257, tied: true };
const STABLELM: Sizes = Sizes { hidden: 2560, inner: Some(6912), kv_heads: Some(32), vocab: 50304, ..LLAMA };
const NEMOTRON: Sizes = Sizes { hidden: 6144, inner: Some(24576), heads: 48, vocab: 256_000, ..LLAMA };
const ARCEE: Sizes = Sizes { hidden: 2560, inner: Some(18432), ..LLAMA };
const APERTUS: Sizes = Sizes { inner: Some(14336), vocab: 131_072, ..LLAMA };
const JAIS2: Sizes = Sizes { hidden: 3328, inner: Some(26624), heads: 26, vocab: 150_272, ..LLAMA };

const STARCODER2_NAMES: ModuleNames = ModuleNames { up: "mlp.c_fc", down: "mlp.c_proj", ..ModuleNames::LLAMA };
const BIGCODE_NAMES: ModuleNames =
    ModuleNames { fused: "attn.c_attn", out: "attn.c_proj", up: "mlp.c_fc", down: "mlp.c_proj", ..ModuleNames::LLAMA };

/// StarCoder 2.
fn starcoder2(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, STARCODER2, |layer, sizes| {
        let bias = config.flag("use_bias").unwrap_or(true);
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.window = sliding_window(config, None);
        layer.mlp = ungated_mlp(sizes.inner(), bias, activation(config.text("hidden_act"), Activation::Kernel));
        layer.norm = LAYER_NORM;
        layer.dropout = config.number("residual_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &STARCODER2_NAMES;
    });
    arch.embedding.dropout = config.number("embedding_dropout").unwrap_or(0.0) > 0.0;
    arch
}

/// The first StarCoder: GPT-2 with one key head.
fn bigcode(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, BIGCODE, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        let single = config.flag("multi_query").unwrap_or(true);
        attention.kv_heads = if single { 1 } else { sizes.heads };
        attention.projection = if single { Projection::Fused } else { Projection::FusedByHead };
        attention.rotary = None;
        attention.dropout = config.number("attn_pdrop").unwrap_or(0.1) > 0.0;
        layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text("activation_function"), Activation::Kernel));
        layer.norm = LAYER_NORM;
        layer.dropout = config.number("resid_pdrop").unwrap_or(0.1) > 0.0;
        layer.names = &BIGCODE_NAMES;
    });
    let rows = config.count("n_positions").unwrap_or(1024);
    arch.embedding.positions = Some(rows);
    arch.embedding.mask_buffer_bytes = rows.saturating_mul(rows);
    arch.embedding.dropout = config.number("embd_pdrop").unwrap_or(0.1) > 0.0;
    arch
}

/// StableLM: LayerNorm, a quarter of each head rotated.
fn stablelm(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, STABLELM, |layer, sizes| {
        let attention = &mut layer.attention;
        attention.qkv_bias = config.flag("use_qkv_bias").unwrap_or(false);
        attention.out_bias = false;
        let columns = rotary_columns(sizes.head_dim(), partial_rotary_factor(config, 0.25));
        attention.rotary = Some(Rotary { parts: RotaryJoin::Together, ..Rotary::usual(columns) });
        // A LayerNorm without bias for each head.
        let norm = Norm::Layer { weight: true, bias: false };
        attention.qk_norm =
            config.flag("qk_layernorm").unwrap_or(false).then_some(QkNorm { norm, per_head: false, after_rotary: false });
        layer.norm = LAYER_NORM;
        if config.flag("use_parallel_residual").unwrap_or(false) {
            layer.order = Order::Parallel { norms: 1, in_place: false };
        }
    })
}

/// Nemotron: LayerNorm of one plus the weight, squared ReLU, half of each head rotated.
fn nemotron(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, NEMOTRON, |layer, sizes| {
        let columns = rotary_columns(sizes.head_dim(), partial_rotary_factor(config, 0.5));
        layer.attention.rotary = Some(Rotary { parts: RotaryJoin::Together, ..Rotary::usual(columns) });
        let bias = config.flag("mlp_bias").unwrap_or(false);
        layer.mlp = ungated_mlp(sizes.inner(), bias, activation(config.text("hidden_act"), Activation::ReluSquared));
        layer.norm = Norm::LayerPlusOne;
    })
}

/// Arcee: Llama with a squared ReLU instead of a gate; Jais 2 with LayerNorm besides.
fn arcee(config: &Config, model_type: String) -> Arch {
    let jais = model_type == "jais2";
    decoder(config, model_type, if jais { JAIS2 } else { ARCEE }, |layer, sizes| {
        let bias = config.flag("mlp_bias").unwrap_or(jais);
        layer.mlp = ungated_mlp(sizes.inner(), bias, activation(config.text("hidden_act"), Activation::ReluSquared));
        if jais {
            let bias = config.flag("attention_bias").unwrap_or(true);
            (layer.attention.qkv_bias, layer.attention.out_bias) = (bias, bias);
            layer.norm = LAYER_NORM;
        }
    })
}

/// Apertus: norms of queries and keys, xIELU.
fn apertus(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, APERTUS, |layer, sizes| {
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: false });
        layer.mlp = ungated_mlp(sizes.inner(), false, activation(config.text("hidden_act"), Activation::Xielu));
    })
}
