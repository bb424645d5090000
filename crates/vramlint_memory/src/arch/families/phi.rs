//! Phi, and Phi-3 with the Phi-4 that are built like it.

use super::LAYER;
use super::activation;
use super::decoder::{decoder, partial, plain, share_of, window};
use super::sizes::Sizes;
use crate::arch::{Activation, Arch, Mlp, Names, Order, Parts, Projection, QkNorm, Rotary};
use crate::config::Config;

const PHI: Sizes =
    Sizes { hidden: 2048, inner: Some(8192), layers: 24, heads: 32, kv_heads: None, head_dim: None, vocab: 51200, tied: false };
const PHI3: Sizes = Sizes { hidden: 3072, layers: 32, vocab: 32064, ..PHI };
const NAMES: Names = Names { out: "self_attn.dense", up: "mlp.fc1", down: "mlp.fc2", ..Names::LLAMA };
const NAMES3: Names = Names { gate: "mlp.gate_up_proj", ..Names::LLAMA };

/// Phi 1, 1.5 and 2: both halves from one LayerNorm, biases everywhere, in the head too.
pub(super) fn phi(config: &Config, kind: String) -> Arch {
    let mut arch = decoder(config, kind, PHI, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        let columns = share_of(attention.head_dim, partial(config, 0.5));
        attention.rotary = Some(Rotary { parts: Parts::Both, ..Rotary::usual(columns) });
        attention.qk_norm =
            config.flag("qk_layernorm").unwrap_or(false).then_some(QkNorm { norm: LAYER, per_head: true, late: false });
        layer.mlp = plain(sizes.inner(), true, activation(config.text("hidden_act"), Activation::GeluNew));
        layer.norm = LAYER;
        layer.order = Order::Parallel { norms: 1, in_place: false };
        layer.dropout = config.number("resid_pdrop").unwrap_or(0.0) > 0.0;
        layer.names = &NAMES;
    });
    arch.head.bias = true;
    arch.embedding.dropout = config.number("embd_pdrop").unwrap_or(0.0) > 0.0;
    arch
}

/// Phi-3: queries, keys and values in one matrix, gate and up in another.
pub(super) fn phi3(config: &Config, kind: String) -> Arch {
    decoder(config, kind, PHI3, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (false, false);
        attention.projection = Projection::FusedSlices;
        let columns = share_of(attention.head_dim, partial(config, 1.0));
        attention.rotary = Some(Rotary { parts: Parts::Each, ..Rotary::usual(columns) });
        attention.window = window(config, None);
        layer.mlp = Mlp::Gated {
            inner: sizes.inner(),
            fused: true,
            bias: false,
            activation: activation(config.text("hidden_act"), Activation::Kernel),
        };
        layer.dropout = config.number("resid_pdrop").unwrap_or(0.0) > 0.0;
        layer.names = &NAMES3;
    })
}
