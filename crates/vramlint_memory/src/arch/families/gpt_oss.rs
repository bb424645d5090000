//! gpt-oss: sinks in attention, every other block with a window, experts with biases and a clamped gate.

use super::decoder::{decoder, each, slides, window};
use super::mixtral::usual;
use super::sizes::Sizes;
use crate::arch::{Arch, Experts, Mlp, Norm, Parts, Rotary, Router, Tables};
use crate::config::Config;

const OSS: Sizes = Sizes {
    hidden: 2880,
    inner: Some(2880),
    layers: 36,
    heads: 64,
    kv_heads: Some(8),
    head_dim: Some(64),
    vocab: 201_088,
    tied: false,
};

/// Reads one.
pub(super) fn read(config: &Config, kind: String) -> Arch {
    let mut arch = decoder(config, kind, OSS, |layer, sizes| {
        let bias = config.flag("attention_bias").unwrap_or(true);
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.sinks = true;
        attention.rotary = Some(Rotary { tables: Tables::Half, parts: Parts::Both, ..Rotary::usual(sizes.head_dim()) });
        layer.norm = Norm::RmsLate { cast: false };
        let experts = usual(config, sizes.inner(), (128, 4), Router::TopSoftmax { wide: false });
        layer.mlp = Mlp::Experts(Experts { bias: true, clamped: true, ..experts });
    });
    let window = window(config, Some(128));
    let slides = slides(config, arch.layers(), |block| block.is_multiple_of(2));
    each(&mut arch, |block, layer| layer.attention.window = window.filter(|_| slides[block]));
    arch
}
