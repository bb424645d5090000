//! ModernBERT: an encoder with rotary embeddings, gates and windows.

use super::activation;
use super::decoder::{decoder, each, slides};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Activation, Arch, HeadShape, Mlp, Names, Norm, Order, Pooler, Projection, Rotary, Tables};
use crate::config::Config;

const MODERNBERT: Sizes = Sizes { hidden: 768, inner: Some(1152), layers: 22, heads: 12, vocab: 50368, tied: true, ..LLAMA };

const NAMES: Names = Names { fused: "attn.Wqkv", out: "attn.Wo", gate: "mlp.Wi", down: "mlp.Wo", ..Names::LLAMA };

/// Reads one.
pub(super) fn read(config: &Config, kind: String) -> Arch {
    let norm = Norm::Layer { weight: true, bias: config.flag("norm_bias").unwrap_or(false) };
    let mut arch = decoder(config, kind, MODERNBERT, |layer, sizes| {
        layer.attention.projection = Projection::Fused;
        layer.attention.softmax_fp32 = true;
        let usual = Rotary::usual(sizes.head_dim());
        layer.attention.rotary = Some(Rotary { fp32: true, tables: Tables::CastTwice, ..usual });
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
    // Half of the window lies on either side.
    let window = config.count("local_attention").map(|both| both / 2).or_else(|| config.count("sliding_window")).unwrap_or(64);
    let every = config.count("global_attn_every_n_layers").unwrap_or(3).max(1);
    let slides = slides(config, arch.layers(), |number| !number.is_multiple_of(every));
    each(&mut arch, |number, layer| {
        if number == 0 {
            layer.order = Order::PreOnce;
        }
        if slides[number] {
            layer.attention.window = Some(window);
            layer.attention.rotary = layer.attention.rotary.map(|rotary| Rotary { local: true, ..rotary });
        }
    });
    arch.embedding.norm = Some(norm);
    arch.embedding.dropout = config.number("embedding_dropout").unwrap_or(0.0) > 0.0;
    arch.causal = false;
    let pooler = Pooler { early_dropout: false, activation: Activation::Kernel, saved: false };
    let bias = config.flag("decoder_bias").unwrap_or(true);
    arch.head = HeadShape { bias, transform: true, bare: true, pooler: Some(pooler), ..arch.head };
    arch
}
