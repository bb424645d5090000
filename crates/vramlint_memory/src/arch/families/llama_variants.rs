//! Llama with one or two things changed: Granite, SmolLM 3, Seed-OSS, ERNIE 4.5, Hunyuan, Helium, CWM.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Arch, Layer, Mlp, Norm, QkNorm, Rotary, RotaryTables};
use crate::config::{Config, Value};

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["granite"], granite),
    Family::traced(&["smollm3"], smollm3),
    Family::traced(&["seed_oss"], seed),
    Family::traced(&["ernie4_5"], ernie),
    Family::traced(&["hunyuan_v1_dense"], hunyuan),
    Family::traced(&["helium"], helium),
    Family::untraced(&["cwm"], cwm),
];

const SMOLLM3: Sizes = Sizes { hidden: 2048, layers: 36, heads: 16, kv_heads: Some(4), vocab: 128_256, tied: true, ..LLAMA };
const SEED: Sizes =
    Sizes { inner: Some(27648), layers: 64, heads: 80, kv_heads: Some(8), head_dim: Some(128), vocab: 155_136, ..LLAMA };
const ERNIE: Sizes = Sizes {
    hidden: 1024,
    inner: Some(3072),
    layers: 18,
    heads: 16,
    kv_heads: Some(2),
    head_dim: Some(128),
    vocab: 103_424,
    tied: true,
};
const HUNYUAN: Sizes = Sizes { vocab: 290_943, ..LLAMA };
const HELIUM: Sizes = Sizes {
    hidden: 2560,
    inner: Some(7040),
    layers: 24,
    heads: 20,
    kv_heads: Some(20),
    head_dim: Some(128),
    vocab: 48000,
    tied: false,
};
const CWM: Sizes = Sizes {
    hidden: 6144,
    inner: Some(21504),
    layers: 64,
    heads: 48,
    kv_heads: Some(8),
    head_dim: Some(128),
    vocab: 128_256,
    tied: false,
};

/// Granite: embeddings, residuals and logits have multipliers (even if they are 1).
fn granite(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, LLAMA, |layer, _| layer.scaled = true);
    arch.embedding.scaled = true;
    arch.head.scaled = true;
    arch
}

/// SmolLM 3: every fourth block has no rotary embedding.
fn smollm3(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, SMOLLM3, |_, _| {});
    let every = config.count("no_rope_layer_interval").unwrap_or(4).max(1);
    let listed = config.list("no_rope_layers").unwrap_or_default();
    let turned = |number: usize| match listed.get(number) {
        Some(Value::Number(number)) => *number > 0.0,
        _ => !(number as u64 + 1).is_multiple_of(every),
    };
    let window = sliding_window(config, None).filter(|_| config.flag("use_sliding_window").unwrap_or(false));
    let slides = sliding_blocks(config, arch.layers(), |number| !turned(usize::try_from(number).unwrap_or(0)));
    for_each_block(&mut arch, |number, layer| {
        if !turned(number) {
            layer.attention.rotary = None;
        }
        layer.attention.window = window.filter(|_| slides[number]);
    });
    arch
}

/// Seed-OSS: biases of queries, keys and values, dropout.
fn seed(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, SEED, |layer, _| {
        layer.attention.qkv_bias = config.flag("attention_bias").unwrap_or(true);
        layer.attention.out_bias = config.flag("attention_out_bias").unwrap_or(false);
        layer.attention.dropout = config.number("attention_dropout").unwrap_or(0.1) > 0.0;
        layer.dropout = config.number("residual_dropout").unwrap_or(0.1) > 0.0;
    })
}

/// Biases on request, neighbouring pairs rotated in fp32; the tables are in fp32 without experts.
pub(super) fn ernie_block(config: &Config, layer: &mut Layer, sizes: &Sizes, fp32_tables: bool) {
    let bias = config.flag("use_bias").unwrap_or(false);
    (layer.attention.qkv_bias, layer.attention.out_bias) = (bias, bias);
    if let Mlp::Gated { bias: inner, .. } = &mut layer.mlp {
        *inner = bias;
    }
    layer.attention.rotary = Some(Rotary {
        fp32: true,
        interleaved: true,
        tables: RotaryTables::Repeated { fp32: fp32_tables },
        ..Rotary::usual(sizes.head_dim())
    });
}

/// ERNIE 4.5: rotates neighbouring pairs in fp32.
fn ernie(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, ERNIE, |layer, sizes| {
        ernie_block(config, layer, sizes, true);
    })
}

/// Hunyuan: norms of queries and keys after the rotary embedding.
fn hunyuan(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, HUNYUAN, |layer, _| {
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: true });
    })
}

/// Helium: norm weights in fp32, rotates neighbouring pairs.
fn helium(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, HELIUM, |layer, sizes| {
        layer.norm = Norm::RmsOlmo2 { cast: true };
        layer.attention.out_bias = false;
        layer.attention.rotary =
            Some(Rotary { interleaved: true, tables: RotaryTables::Repeated { fp32: false }, ..Rotary::usual(sizes.head_dim()) });
    })
}

/// Code World Model: Llama with a window in three of four blocks.
fn cwm(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, CWM, |layer, _| {
        (layer.attention.qkv_bias, layer.attention.out_bias) = (false, false);
    });
    let window = sliding_window(config, Some(8192));
    let slides = sliding_blocks(config, arch.layers(), |number| !number.is_multiple_of(4));
    for_each_block(&mut arch, |number, layer| layer.attention.window = window.filter(|_| slides[number]));
    arch
}
