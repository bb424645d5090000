//! Phi, and Phi-3 with the Phi-4 that are built like it.

use super::Family;
use super::LAYER_NORM;
use super::activation;
use super::decoder::{decoder, partial_rotary_factor, rotary_columns, sliding_window, ungated_mlp};
use super::sizes::Sizes;
use crate::arch::{Activation, Arch, Mlp, ModuleNames, Order, Projection, QkNorm, Rotary, RotaryJoin};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["phi"], phi), Family::traced(&["phi3"], phi3)];

const PHI: Sizes =
    Sizes { hidden: 2048, inner: Some(8192), layers: 24, heads: 32, kv_heads: None, head_dim: None, vocab: 51200, tied: false };
const PHI3: Sizes = Sizes { hidden: 3072, layers: 32, vocab: 32064, ..PHI };
const NAMES: ModuleNames = ModuleNames { out: "self_attn.dense", up: "mlp.fc1", down: "mlp.fc2", ..ModuleNames::LLAMA };
const NAMES3: ModuleNames = ModuleNames { gate: "mlp.gate_up_proj", ..ModuleNames::LLAMA };

/// Phi 1, 1.5 and 2: both halves from one LayerNorm, biases everywhere, in the head too.
fn phi(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, PHI, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        let columns = rotary_columns(attention.head_dim, partial_rotary_factor(config, 0.5));
        attention.rotary = Some(Rotary { parts: RotaryJoin::Together, ..Rotary::usual(columns) });
        attention.qk_norm = config.flag("qk_layernorm").unwrap_or(false).then_some(QkNorm {
            norm: LAYER_NORM,
            per_head: true,
            after_rotary: false,
        });
        layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text("hidden_act"), Activation::GeluNew));
        layer.norm = LAYER_NORM;
        layer.order = Order::Parallel { norms: 1, in_place: false };
        layer.dropout = config.number("resid_pdrop").unwrap_or(0.0) > 0.0;
        layer.names = &NAMES;
    });
    arch.head.bias = true;
    arch.embedding.dropout = config.number("embd_pdrop").unwrap_or(0.0) > 0.0;
    arch
}

/// Phi-3: queries, keys and values in one matrix, gate and up in another.
fn phi3(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, PHI3, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (false, false);
        attention.projection = Projection::FusedSlices;
        let columns = rotary_columns(attention.head_dim, partial_rotary_factor(config, 1.0));
        attention.rotary = Some(Rotary { parts: RotaryJoin::OneByOne, ..Rotary::usual(columns) });
        attention.window = sliding_window(config, None);
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
