//! Gemma 4: heads of two widths, keys and values that later blocks borrow, inputs of each block, experts beside the MLP (transformers
//! 5.23 `modeling_gemma4.py`).

use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::gemma::{GEMMA2, cap};
use super::mixtral::routed_experts;
use super::sizes::Sizes;
use crate::arch::{Arch, KeyStates, Mlp, Norm, Order, OwnInput, Projection, QkNorm, Rotary, Router};
use crate::config::{Config, Value};

const GEMMA4: Sizes = Sizes { layers: 30, head_dim: Some(256), vocab: 262_144, ..GEMMA2 };

pub(super) fn gemma4(config: &Config, model_type: String) -> Arch {
    let columns = config.count("hidden_size_per_layer_input").filter(|_| config.has("hidden_size_per_layer_input"));
    let columns = if config.has("hidden_size_per_layer_input") { columns.unwrap_or(0) } else { 256 };
    let mut arch = decoder(config, model_type, GEMMA4, |layer, _| {
        layer.norm = Norm::RmsGemma4;
        layer.order = Order::Sandwich;
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::RmsGemma4, per_head: true, after_rotary: false });
        layer.own_input = Some(OwnInput { columns });
        layer.beside = (config.flag("enable_moe_block") == Some(true)).then(|| {
            let inner = config.count("moe_intermediate_size").unwrap_or(704);
            let counts = (config.count("num_experts").unwrap_or(128), config.count("top_k_experts").unwrap_or(8));
            routed_experts(config, inner, counts, Router::Softmax { normalized: true, cast: false })
        });
    });
    arch.embedding.scaled = true;
    let rows = config.count("vocab_size_per_layer_input").unwrap_or(262_144);
    arch.embedding.per_layer_rows = (columns > 0).then_some(rows);
    arch.head.softcap = cap(config, "final_logit_softcapping", false);
    arch.causal = config.text("use_bidirectional_attention") != Some("all");
    shape_blocks(config, &mut arch);
    arch
}

/// Blocks with a window and those without, and which of them borrow keys and values.
fn shape_blocks(config: &Config, arch: &mut Arch) {
    let blocks = arch.layers();
    let window = sliding_window(config, Some(512));
    let mut slides = sliding_blocks(config, blocks, |block| !(block + 1).is_multiple_of(6));
    if let Some(last) = slides.last_mut() {
        *last = false;
    }
    let wide = config.count("global_head_dim").unwrap_or_else(|| overridden(config, "head_dim").unwrap_or(512));
    let values_are_keys = config.flag("attention_k_eq_v") == Some(true);
    let fewer = config
        .count("num_global_key_value_heads")
        .or_else(|| overridden(config, "num_key_value_heads"))
        .filter(|_| values_are_keys);
    let keys = key_states(&slides, config.count("num_kv_shared_layers").unwrap_or(0));
    let doubled = config.flag("use_double_wide_mlp") == Some(true);
    for_each_block(arch, |block, layer| {
        let keys = keys[block];
        let attention = &mut layer.attention;
        attention.window = window.filter(|_| slides[block]);
        attention.projection = Projection::Lent { keys, values_are_keys: values_are_keys && !slides[block] };
        if !slides[block] {
            (attention.head_dim, attention.value_dim) = (wide, wide);
            attention.kv_heads = fewer.unwrap_or(attention.kv_heads);
            attention.rotary = Some(Rotary::usual(wide));
        }
        if let (KeyStates::Borrowed, true, Mlp::Gated { inner, .. }) = (keys, doubled, &mut layer.mlp) {
            *inner = inner.saturating_mul(2);
        }
    });
}

/// Where the keys of each block come from if the last ones borrow: the last block of each kind that projects its own keeps them.
pub(super) fn key_states(slides: &[bool], borrowed: u64) -> Vec<KeyStates> {
    let first = slides.len().saturating_sub(usize::try_from(borrowed).unwrap_or(usize::MAX));
    let kept: Vec<usize> = [true, false].iter().filter_map(|kind| (0..first).rfind(|at| slides[*at] == *kind)).collect();
    let state = |block: usize| match block {
        _ if borrowed == 0 => KeyStates::Own,
        _ if block >= first => KeyStates::Borrowed,
        _ if kept.contains(&block) => KeyStates::Kept,
        _ => KeyStates::Own,
    };
    (0..slides.len()).map(state).collect()
}

/// What `per_layer_config`, as newer configs write it, says of a block with full attention.
fn overridden(config: &Config, key: &str) -> Option<u64> {
    let blocks = config.object("per_layer_config")?;
    blocks.keys().find_map(|block| match blocks.object(block)?.get(key)? {
        Value::Number(_) => blocks.object(block)?.count(key),
        _ => None,
    })
}
