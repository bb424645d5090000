//! A decoder of the usual shape, which families vary.

use super::sizes::Sizes;
use super::{activation, embedding, head};
use crate::arch::{Activation, Arch, Attention, Certainty, Layer, Mlp, ModuleNames, Norm, Order, Rotary};
use crate::config::{Config, Value};

/// A Llama-like decoder. `edit` adapts its block to a family.
pub(super) fn decoder(config: &Config, model_type: String, defaults: Sizes, edit: impl FnOnce(&mut Layer, &Sizes)) -> Arch {
    let mut assumptions = Vec::new();
    let sizes = defaults.read(config, &mut assumptions);
    let mut layer = Layer {
        attention: attention(config, &sizes),
        mlp: Mlp::Gated {
            inner: sizes.inner(),
            fused: false,
            bias: config.flag("mlp_bias").unwrap_or(false),
            activation: activation(config.text("hidden_act").or(config.text("hidden_activation")), Activation::Kernel),
        },
        order: Order::Pre,
        norm: Norm::Rms,
        dropout: false,
        scaled: false,
        scaled_by_vectors: false,
        beside: None,
        own_input: None,
        names: &ModuleNames::LLAMA,
    };
    edit(&mut layer, &sizes);
    Arch {
        model_type,
        hidden: sizes.hidden,
        vocab: sizes.vocab,
        embedding: embedding(sizes.hidden),
        patches: None,
        layers: vec![(layer, sizes.layers)],
        blocks_per_weights: 1,
        final_norm: Some(layer.norm),
        decoder: None,
        head: head(sizes.tied),
        causal: true,
        unsimulated_parameters: 0,
        sees: false,
        undescribed: None,
        context_length: None,
        assumptions,
        certainty: Certainty::Traced,
    }
}

fn attention(config: &Config, sizes: &Sizes) -> Attention {
    let bias = config.flag("attention_bias").unwrap_or(false);
    Attention {
        kv_heads: sizes.kv_heads(),
        qkv_bias: bias,
        out_bias: bias,
        rotary: Some(Rotary::usual(sizes.head_dim())),
        dropout: config.number("attention_dropout").unwrap_or(0.0) > 0.0,
        softmax_fp32: true,
        ..Attention::plain(sizes.heads, sizes.head_dim())
    }
}

/// An MLP without a gate.
pub(super) fn ungated_mlp(inner: u64, bias: bool, activation: Activation) -> Mlp {
    Mlp::Plain { inner, bias, activation }
}

/// The rotated share of a head, inside `rope_parameters` or at the top level (transformers 5.23, `modeling_rope_utils.py`).
pub(super) fn partial_rotary_factor(config: &Config, other: f64) -> f64 {
    let inside = |key| config.object(key).and_then(|rope| rope.number("partial_rotary_factor"));
    ["rope_parameters", "rope_scaling"]
        .into_iter()
        .find_map(inside)
        .or_else(|| ["partial_rotary_factor", "rotary_pct", "rope_pct"].into_iter().find_map(|key| config.number(key)))
        .unwrap_or(other)
}

/// `int(columns * share)`.
pub(super) fn rotary_columns(columns: u64, share: f64) -> u64 {
    // Heads are narrow and shares are between 0 and 1.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let part = (columns as f64 * share.clamp(0.0, 1.0)) as u64;
    part
}

/// The window of sliding blocks: the value of the key, or `other` if it is absent.
pub(super) fn sliding_window(config: &Config, other: Option<u64>) -> Option<u64> {
    if config.has("sliding_window") { config.count("sliding_window") } else { other }
}

/// Which blocks slide: `layer_types`, or the family's pattern if it is absent.
pub(super) fn sliding_blocks(config: &Config, layers: u64, usual: impl Fn(u64) -> bool) -> Vec<bool> {
    let types = config.list("layer_types").unwrap_or_default();
    (0..layers)
        .map(|number| match usize::try_from(number).ok().and_then(|at| types.get(at)) {
            Some(Value::Text(kind)) => kind.contains("sliding") || kind.contains("chunked"),
            _ => usual(number),
        })
        .collect()
}

/// Gives every block its own shape, and joins equal neighbours again.
pub(super) fn for_each_block(arch: &mut Arch, edit: impl Fn(usize, &mut Layer)) {
    let mut layers: Vec<(Layer, u64)> = Vec::new();
    let mut number = 0;
    for (shape, times) in &arch.layers {
        // No model has as many blocks; a written number may.
        for _ in 0..(*times).min(10_000) {
            let mut layer = *shape;
            edit(number, &mut layer);
            number += 1;
            match layers.last_mut() {
                Some((last, count)) if *last == layer => *count += 1,
                _ => layers.push((layer, 1)),
            }
        }
    }
    arch.layers = layers;
}
