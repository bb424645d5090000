//! gpt-oss: sinks in attention, every other block with a window, experts with biases and a clamped gate.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::mixtral::routed_experts;
use super::sizes::Sizes;
use crate::arch::{Arch, Experts, Mlp, Norm, Rotary, RotaryJoin, RotaryTables, Router};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["gpt_oss"], read)];

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

/// gpt-oss 20B and 120B.
fn read(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, OSS, |layer, sizes| {
        let bias = config.flag("attention_bias").unwrap_or(true);
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.sinks = true;
        attention.rotary =
            Some(Rotary { tables: RotaryTables::Half, parts: RotaryJoin::Together, ..Rotary::usual(sizes.head_dim()) });
        layer.norm = Norm::RmsOlmo2 { cast: false };
        let experts = routed_experts(config, sizes.inner(), (128, 4), Router::TopSoftmax { fp32: false });
        layer.mlp = Mlp::Experts(Experts { bias: true, clamped: true, ..experts });
    });
    let window = sliding_window(config, Some(128));
    let slides = sliding_blocks(config, arch.layers(), |block| block.is_multiple_of(2));
    for_each_block(&mut arch, |block, layer| layer.attention.window = window.filter(|_| slides[block]));
    arch
}
