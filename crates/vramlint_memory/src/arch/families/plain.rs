//! Decoders with LayerNorm or an MLP without a gate: StarCoder, StableLM, Nemotron, Arcee, Apertus, Jais 2.

use super::decoder::{decoder, partial, plain, share_of, window};
use super::sizes::{LLAMA, Sizes};
use super::{LAYER, activation};
use crate::arch::{Activation, Arch, Names, Norm, Order, Parts, Projection, QkNorm, Rotary};
use crate::config::Config;

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

const STARCODER2_NAMES: Names = Names { up: "mlp.c_fc", down: "mlp.c_proj", ..Names::LLAMA };
const BIGCODE_NAMES: Names =
    Names { fused: "attn.c_attn", out: "attn.c_proj", up: "mlp.c_fc", down: "mlp.c_proj", ..Names::LLAMA };

/// StarCoder 2.
pub(super) fn starcoder2(config: &Config, kind: String) -> Arch {
    let mut arch = decoder(config, kind, STARCODER2, |layer, sizes| {
        let bias = config.flag("use_bias").unwrap_or(true);
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.window = window(config, None);
        layer.mlp = plain(sizes.inner(), bias, activation(config.text("hidden_act"), Activation::Kernel));
        layer.norm = LAYER;
        layer.dropout = config.number("residual_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &STARCODER2_NAMES;
    });
    arch.embedding.dropout = config.number("embedding_dropout").unwrap_or(0.0) > 0.0;
    arch
}

/// The first StarCoder: GPT-2 with one key head.
pub(super) fn bigcode(config: &Config, kind: String) -> Arch {
    let mut arch = decoder(config, kind, BIGCODE, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        let single = config.flag("multi_query").unwrap_or(true);
        attention.kv_heads = if single { 1 } else { sizes.heads };
        attention.projection = if single { Projection::Fused } else { Projection::FusedByHead };
        attention.rotary = None;
        attention.dropout = config.number("attn_pdrop").unwrap_or(0.1) > 0.0;
        layer.mlp = plain(sizes.inner(), true, activation(config.text("activation_function"), Activation::Kernel));
        layer.norm = LAYER;
        layer.dropout = config.number("resid_pdrop").unwrap_or(0.1) > 0.0;
        layer.names = &BIGCODE_NAMES;
    });
    let rows = config.count("n_positions").unwrap_or(1024);
    arch.embedding.positions = Some(rows);
    arch.embedding.stored_mask = rows.saturating_mul(rows);
    arch.embedding.dropout = config.number("embd_pdrop").unwrap_or(0.1) > 0.0;
    arch
}

/// StableLM: LayerNorm, a quarter of each head turned.
pub(super) fn stablelm(config: &Config, kind: String) -> Arch {
    decoder(config, kind, STABLELM, |layer, sizes| {
        let attention = &mut layer.attention;
        attention.qkv_bias = config.flag("use_qkv_bias").unwrap_or(false);
        attention.out_bias = false;
        let columns = share_of(sizes.head_dim(), partial(config, 0.25));
        attention.rotary = Some(Rotary { parts: Parts::Both, ..Rotary::usual(columns) });
        // A LayerNorm without bias for each head.
        let norm = Norm::Layer { weight: true, bias: false };
        attention.qk_norm = config.flag("qk_layernorm").unwrap_or(false).then_some(QkNorm { norm, per_head: false, late: false });
        layer.norm = LAYER;
        if config.flag("use_parallel_residual").unwrap_or(false) {
            layer.order = Order::Parallel { norms: 1, in_place: false };
        }
    })
}

/// Nemotron: LayerNorm of one plus the weight, squared ReLU, half of each head turned.
pub(super) fn nemotron(config: &Config, kind: String) -> Arch {
    decoder(config, kind, NEMOTRON, |layer, sizes| {
        let columns = share_of(sizes.head_dim(), partial(config, 0.5));
        layer.attention.rotary = Some(Rotary { parts: Parts::Both, ..Rotary::usual(columns) });
        let bias = config.flag("mlp_bias").unwrap_or(false);
        layer.mlp = plain(sizes.inner(), bias, activation(config.text("hidden_act"), Activation::ReluSquared));
        layer.norm = Norm::LayerPlusOne;
    })
}

/// Arcee: Llama with a squared ReLU instead of a gate; Jais 2 with LayerNorm besides.
pub(super) fn arcee(config: &Config, kind: String) -> Arch {
    let jais = kind == "jais2";
    decoder(config, kind, if jais { JAIS2 } else { ARCEE }, |layer, sizes| {
        let bias = config.flag("mlp_bias").unwrap_or(jais);
        layer.mlp = plain(sizes.inner(), bias, activation(config.text("hidden_act"), Activation::ReluSquared));
        if jais {
            let bias = config.flag("attention_bias").unwrap_or(true);
            (layer.attention.qkv_bias, layer.attention.out_bias) = (bias, bias);
            layer.norm = LAYER;
        }
    })
}

/// Apertus: norms of queries and keys, xIELU.
pub(super) fn apertus(config: &Config, kind: String) -> Arch {
    decoder(config, kind, APERTUS, |layer, sizes| {
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, late: false });
        layer.mlp = plain(sizes.inner(), false, activation(config.text("hidden_act"), Activation::Xielu));
    })
}
