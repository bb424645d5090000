//! Muse Glimmer: norms after both halves too, a gate over the results of the heads (transformers 5.23 `modeling_muse_glimmer.py`).

use super::Family;
use super::decoder::{decoder, sliding_window};
use super::sizes::Sizes;
use crate::arch::{Arch, Norm, Order, QkNorm};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::untraced(&["muse_glimmer_text"], muse)];

const MUSE: Sizes = Sizes {
    hidden: 6656,
    inner: Some(19968),
    layers: 52,
    heads: 32,
    kv_heads: Some(2),
    head_dim: Some(128),
    vocab: 202_048,
    tied: false,
};

/// The gates count as parameters that only sit there.
fn muse(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, MUSE, |layer, _| {
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::RmsNoWeight, per_head: true, after_rotary: false });
        layer.attention.window = sliding_window(config, Some(2048));
        layer.order = Order::Sandwich;
    });
    let gates =
        arch.layers.iter().map(|(layer, times)| times * layer.attention.heads * layer.attention.head_dim * arch.hidden).sum();
    arch.unsimulated_parameters = gates;
    arch.head.softcap = config.number("final_logit_softcapping").is_some();
    arch
}
