//! Decoders of the Llama kind: the shape that most families vary.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Arch, Mlp, Norm, QkNorm};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["llama", "code_llama", "internlm3"], llama),
    Family::traced(&["mistral"], mistral),
    Family::untraced(&["ministral", "ministral3"], mistral),
    Family::traced(&["qwen2", "qwen3"], qwen),
];

const MISTRAL: Sizes = Sizes { inner: Some(14336), kv_heads: Some(8), ..LLAMA };
const QWEN: Sizes = Sizes { inner: Some(22016), kv_heads: Some(32), vocab: 151_936, ..LLAMA };
const INTERNLM3: Sizes =
    Sizes { inner: Some(10240), layers: 48, kv_heads: Some(2), head_dim: Some(128), vocab: 128_512, ..LLAMA };

/// Llama, and InternLM 3 that transformers runs as one.
pub(super) fn llama(config: &Config, model_type: String) -> Arch {
    let intern = model_type == "internlm3";
    decoder(config, model_type, if intern { INTERNLM3 } else { LLAMA }, |layer, _| {
        // InternLM 3 calls the same two switches by other names.
        if intern && let (Some(bias), Mlp::Gated { bias: inner, .. }) = (config.flag("qkv_bias"), &mut layer.mlp) {
            (layer.attention.qkv_bias, layer.attention.out_bias) = (bias, bias);
            *inner = config.flag("bias").unwrap_or(*inner);
        }
    })
}

/// Mistral and Ministral: one window for every block, if the config has one.
fn mistral(config: &Config, model_type: String) -> Arch {
    let mixed = model_type == "ministral";
    // MistralConfig has a window unless it is written as null; Ministral 3 has none unless it is written.
    let window = sliding_window(config, matches!(model_type.as_str(), "mistral" | "ministral").then_some(4096));
    let scaled = model_type == "ministral3";
    let defaults = match model_type.as_str() {
        "ministral3" => Sizes { layers: 34, head_dim: Some(128), vocab: 131_072, ..MISTRAL },
        _ => MISTRAL,
    };
    let mut arch = decoder(config, model_type, defaults, |layer, _| {
        (layer.attention.qkv_bias, layer.attention.out_bias) = (false, false);
        layer.attention.window = window;
        layer.attention.scaled_queries = scaled;
    });
    if mixed {
        let slides = sliding_blocks(config, arch.layers(), |_| window.is_some());
        for_each_block(&mut arch, |number, layer| layer.attention.window = window.filter(|_| slides[number]));
    }
    arch
}

/// Qwen 2 and 3.
fn qwen(config: &Config, model_type: String) -> Arch {
    let third = model_type.starts_with("qwen3");
    let defaults = if third { Sizes { head_dim: Some(128), ..QWEN } } else { QWEN };
    let mut arch = decoder(config, model_type, defaults, |layer, _| {
        if third {
            layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: false });
        } else {
            layer.attention.qkv_bias = true;
            layer.attention.out_bias = false;
        }
    });
    let window = sliding_window(config, Some(4096)).filter(|_| config.flag("use_sliding_window").unwrap_or(false));
    if window.is_some() {
        let first = config.count("max_window_layers").unwrap_or(28);
        let slides = sliding_blocks(config, arch.layers(), |number| number >= first);
        for_each_block(&mut arch, |number, layer| layer.attention.window = window.filter(|_| slides[number]));
    }
    arch
}
