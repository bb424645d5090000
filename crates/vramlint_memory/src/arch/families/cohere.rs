//! Cohere (Command R, Aya) and Cohere 2 (Command R7B, Command A).

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::sizes::Sizes;
use crate::arch::{Arch, Norm, Order, QkNorm, Rotary};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["cohere", "cohere2"], cohere)];

const COHERE: Sizes =
    Sizes { hidden: 8192, inner: Some(22528), layers: 40, heads: 64, kv_heads: None, head_dim: None, vocab: 256_000, tied: true };

/// Both halves share one norm; scaled logits. In Cohere 2, three of four blocks slide, and only those have a rotary embedding.
fn cohere(config: &Config, model_type: String) -> Arch {
    let second = model_type == "cohere2";
    let mut arch = decoder(config, model_type, COHERE, |layer, sizes| {
        layer.norm = Norm::LayerCohere;
        layer.order = Order::Parallel { norms: 1, in_place: false };
        let attention = &mut layer.attention;
        attention.rotary = Some(Rotary { fp32: true, interleaved: true, ..Rotary::usual(sizes.head_dim()) });
        attention.qk_norm = (!second && config.flag("use_qk_norm").unwrap_or(false)).then_some(QkNorm {
            norm: Norm::LayerCohere,
            per_head: false,
            after_rotary: false,
        });
    });
    arch.head.scaled = true;
    if second {
        let window = sliding_window(config, Some(4096));
        let pattern = config.count("sliding_window_pattern").unwrap_or(4).max(1);
        let slides = sliding_blocks(config, arch.layers(), |number| !(number + 1).is_multiple_of(pattern));
        for_each_block(&mut arch, |number, layer| {
            layer.attention.window = window.filter(|_| slides[number]);
            if !slides[number] {
                layer.attention.rotary = None;
            }
        });
    }
    arch
}
