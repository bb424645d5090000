//! GLM-4 (`glm`) and GLM-4-0414 (`glm4`).

use super::Family;
use super::activation;
use super::decoder::{decoder, partial_rotary_factor, rotary_columns};
use super::sizes::Sizes;
use crate::arch::{Activation, Arch, Mlp, ModuleNames, Order, Rotary, RotaryJoin, RotaryTables};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["glm", "glm4"], glm)];

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
const NAMES: ModuleNames = ModuleNames { gate: "mlp.gate_up_proj", ..ModuleNames::LLAMA };

/// Half of each head is rotated by neighbouring pairs; gate and up are one matrix; GLM-4-0414 has norms around both halves.
fn glm(config: &Config, model_type: String) -> Arch {
    let second = model_type == "glm4";
    decoder(config, model_type, GLM, |layer, sizes| {
        let attention = &mut layer.attention;
        attention.qkv_bias = config.flag("attention_bias").unwrap_or(true);
        attention.out_bias = false;
        attention.rotary = Some(Rotary {
            interleaved: true,
            parts: RotaryJoin::Together,
            tables: RotaryTables::Repeated { fp32: false },
            ..Rotary::usual(rotary_columns(sizes.head_dim(), partial_rotary_factor(config, 0.5)))
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
