//! ModernBERT: an encoder with rotary embeddings, gates and windows.

use super::Family;
use super::activation;
use super::decoder::{decoder, for_each_block, sliding_blocks};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Activation, Arch, HeadShape, Mlp, ModuleNames, Norm, Order, Pooler, Projection, Rotary, RotaryTables};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["modernbert"], read)];

const MODERNBERT: Sizes = Sizes { hidden: 768, inner: Some(1152), layers: 22, heads: 12, vocab: 50368, tied: true, ..LLAMA };

const NAMES: ModuleNames =
    ModuleNames { fused: "attn.Wqkv", out: "attn.Wo", gate: "mlp.Wi", down: "mlp.Wo", ..ModuleNames::LLAMA };

/// ModernBERT.
fn read(config: &Config, model_type: String) -> Arch {
    let norm = Norm::Layer { weight: true, bias: config.flag("norm_bias").unwrap_or(false) };
    let mut arch = decoder(config, model_type, MODERNBERT, |layer, sizes| {
        layer.attention.projection = Projection::Fused;
        layer.attention.softmax_fp32 = true;
        let usual = Rotary::usual(sizes.head_dim());
        layer.attention.rotary = Some(Rotary { fp32: true, tables: RotaryTables::CastTwice, ..usual });
        layer.mlp = Mlp::Gated {
            inner: sizes.inner(),
            fused: true,
            bias: config.flag("mlp_bias").unwrap_or(false),
            activation: activation(config.text("hidden_activation"), Activation::Kernel),
        };
        layer.norm = norm;
        layer.dropout = config.number("mlp_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &NAMES;
    });
    // Half of the window is on either side.
    let window = config.count("local_attention").map(|both| both / 2).or_else(|| config.count("sliding_window")).unwrap_or(64);
    let every = config.count("global_attn_every_n_layers").unwrap_or(3).max(1);
    let slides = sliding_blocks(config, arch.layers(), |number| !number.is_multiple_of(every));
    for_each_block(&mut arch, |number, layer| {
        if number == 0 {
            layer.order = Order::PreSkipFirst;
        }
        if slides[number] {
            layer.attention.window = Some(window);
            layer.attention.rotary = layer.attention.rotary.map(|rotary| Rotary { local: true, ..rotary });
        }
    });
    arch.embedding.norm = Some(norm);
    arch.embedding.dropout = config.number("embedding_dropout").unwrap_or(0.0) > 0.0;
    arch.causal = false;
    let pooler = Pooler { dropout_first: false, activation: Activation::Kernel, in_modules_to_save: false };
    let bias = config.flag("decoder_bias").unwrap_or(true);
    arch.head = HeadShape { bias, transform: true, transform_without_bias: true, pooler: Some(pooler), ..arch.head };
    arch
}
