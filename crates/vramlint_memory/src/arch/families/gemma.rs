//! Gemma, Gemma 2, Gemma 3, VaultGemma; Gemma 4 has a file of its own.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::gemma4;
use super::sizes::Sizes;
use crate::arch::{Arch, Norm, Order, QkNorm};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["gemma"], gemma),
    Family::traced(&["gemma2"], gemma2),
    Family::untraced(&["vaultgemma"], gemma2),
    Family::traced(&["gemma3_text"], gemma3),
    Family::traced(&["gemma4_text"], gemma4::gemma4),
];

const GEMMA: Sizes = Sizes {
    hidden: 3072,
    inner: Some(24576),
    layers: 28,
    heads: 16,
    kv_heads: Some(16),
    head_dim: Some(256),
    vocab: 256_000,
    tied: true,
};
pub(super) const GEMMA2: Sizes = Sizes { hidden: 2304, inner: Some(9216), layers: 26, heads: 8, kv_heads: Some(4), ..GEMMA };

/// The first: Llama with its own norm, and scaled embeddings.
fn gemma(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, GEMMA, |layer, _| layer.norm = Norm::RmsGemma);
    arch.embedding.scaled = true;
    arch
}

/// Gemma 2: norms around both halves, capped scores and logits, alternating sliding blocks. VaultGemma omits the norms after each half.
fn gemma2(config: &Config, model_type: String) -> Arch {
    let vault = model_type == "vaultgemma";
    let mut arch = decoder(config, model_type, GEMMA2, |layer, _| {
        layer.norm = Norm::RmsGemma;
        layer.order = if vault { Order::Pre } else { Order::Sandwich };
        layer.attention.softcap = cap(config, "attn_logit_softcapping", true);
    });
    alternate(config, &mut arch, |number| number % 2 == 0);
    arch.head.softcap = cap(config, "final_logit_softcapping", true);
    arch
}

/// The language part of the third: norms of queries and keys, five of six blocks slide, with rotary tables of their own.
fn gemma3(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, Sizes { vocab: 262_208, ..GEMMA2 }, |layer, _| {
        layer.norm = Norm::RmsGemma;
        layer.order = Order::Sandwich;
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::RmsGemma, per_head: true, after_rotary: false });
        layer.attention.softcap = cap(config, "attn_logit_softcapping", false);
    });
    let pattern = config.count("sliding_window_pattern").or_else(|| config.count("_sliding_window_pattern"));
    let pattern = pattern.unwrap_or(6).max(1);
    alternate(config, &mut arch, |number| !(number + 1).is_multiple_of(pattern));
    for (layer, _) in &mut arch.layers {
        if let (Some(rotary), Some(_)) = (&mut layer.attention.rotary, layer.attention.window) {
            rotary.local = true;
        }
    }
    arch.head.softcap = cap(config, "final_logit_softcapping", false);
    arch
}

fn alternate(config: &Config, arch: &mut Arch, usual: impl Fn(u64) -> bool) {
    arch.embedding.scaled = true;
    let window = sliding_window(config, Some(4096));
    let slides = sliding_blocks(config, arch.layers(), usual);
    for_each_block(arch, |number, layer| layer.attention.window = window.filter(|_| slides[number]));
}

/// Whether there is a cap: a number sets it, `null` disables it, and `other` applies if the key is absent.
pub(super) fn cap(config: &Config, key: &str, other: bool) -> bool {
    if config.has(key) { config.number(key).is_some() } else { other }
}
