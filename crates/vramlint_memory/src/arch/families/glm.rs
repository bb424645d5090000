//! GLM-4 (`glm`) and GLM-4-0414 (`glm4`).

use super::activation;
use super::decoder::{decoder, partial, share_of};
use super::sizes::Sizes;
use crate::arch::{Activation, Arch, Mlp, Names, Order, Parts, Rotary, Tables};
use crate::config::Config;

const GLM: Sizes = Sizes {
    hidden: 4096,
    inner: Some(13696),
    layers: 40,
    heads: 32,
    kv_heads: Some(2),
    head_dim: Some(128),
    vocab: 151_552,
    tied: false,
};
const NAMES: Names = Names { gate: "mlp.gate_up_proj", ..Names::LLAMA };

/// Half of each head is turned by neighbours, gate and up are one matrix; the second has norms around both halves.
pub(super) fn glm(config: &Config, kind: String) -> Arch {
    let second = kind == "glm4";
    decoder(config, kind, GLM, |layer, sizes| {
        let attention = &mut layer.attention;
        attention.qkv_bias = config.flag("attention_bias").unwrap_or(true);
        attention.out_bias = false;
        attention.rotary = Some(Rotary {
            interleaved: true,
            parts: Parts::Both,
            tables: Tables::Repeated { wide: false },
            ..Rotary::usual(share_of(sizes.head_dim(), partial(config, 0.5)))
        });
        layer.mlp = Mlp::Gated {
            inner: sizes.inner(),
            fused: true,
            bias: false,
            activation: activation(config.text("hidden_act"), Activation::Kernel),
        };
        layer.order = if second { Order::Sandwich } else { Order::Pre };
        layer.names = &NAMES;
    })
}
