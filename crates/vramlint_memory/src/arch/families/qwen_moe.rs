//! Qwen with experts: Qwen2-MoE with a shared one, Qwen3-MoE without.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::mixtral::routed_experts;
use super::sizes::Sizes;
use crate::arch::{Arch, LegacyExpertNames, Mlp, Norm, QkNorm, Router, SharedExpert};
use crate::config::{Config, Value};

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["qwen2_moe"], qwen2), Family::traced(&["qwen3_moe"], qwen3)];

pub(super) const QWEN2: Sizes = Sizes {
    hidden: 2048,
    inner: Some(5632),
    layers: 24,
    heads: 16,
    kv_heads: Some(16),
    head_dim: None,
    vocab: 151_936,
    tied: false,
};
const QWEN3: Sizes = Sizes { inner: Some(6144), heads: 32, kv_heads: Some(4), ..QWEN2 };

/// Which blocks have experts: every `decoder_sparse_step`-th that `mlp_only_layers` does not list.
fn sparse(config: &Config) -> impl Fn(usize) -> bool {
    let step = config.count("decoder_sparse_step").unwrap_or(1);
    let dense: Vec<u64> = config.list("mlp_only_layers").unwrap_or_default().iter().filter_map(number).collect();
    move |block| {
        let block = block as u64;
        step > 0 && (block + 1).is_multiple_of(step) && !dense.contains(&block)
    }
}

/// An integer of a list.
pub(super) fn number(value: &Value) -> Option<u64> {
    match value {
        // Numbers of blocks are small.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Value::Number(number) if *number >= 0.0 => Some(*number as u64),
        _ => None,
    }
}

/// Qwen2-MoE: an expert with a gate of its own sees every token.
fn qwen2(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, QWEN2, |layer, _| {
        layer.attention.qkv_bias = config.flag("qkv_bias").unwrap_or(true);
        layer.attention.out_bias = false;
    });
    let normalized = config.flag("norm_topk_prob").unwrap_or(false);
    let inner = config.count("moe_intermediate_size").unwrap_or(1408);
    let shared = config.count("shared_expert_intermediate_size").unwrap_or(5632);
    let mut experts = routed_experts(config, inner, (60, 4), Router::Softmax { normalized, cast: true });
    experts.shared = Some(SharedExpert { inner: shared, gate: true, runs_first: true });
    let sparse = sparse(config);
    let window = sliding_window(config, Some(4096)).filter(|_| config.flag("use_sliding_window").unwrap_or(false));
    let first = config.count("max_window_layers").unwrap_or(28);
    let slides = sliding_blocks(config, arch.layers(), |block| block.is_multiple_of(2) && block < first);
    for_each_block(&mut arch, |block, layer| {
        if sparse(block) {
            layer.mlp = Mlp::Experts(experts);
        }
        layer.attention.window = window.filter(|_| slides[block]);
    });
    arch
}

/// Qwen3-MoE: norms of queries and keys.
fn qwen3(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, QWEN3, |layer, _| {
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: false });
        layer.attention.window =
            sliding_window(config, Some(4096)).filter(|_| config.flag("use_sliding_window").unwrap_or(false));
    });
    let normalized = config.flag("norm_topk_prob").unwrap_or(false);
    let inner = config.count("moe_intermediate_size").unwrap_or(768);
    let mut experts = routed_experts(config, inner, (128, 8), Router::Softmax { normalized, cast: true });
    experts.legacy_names = Some(LegacyExpertNames::Qwen);
    let sparse = sparse(config);
    for_each_block(&mut arch, |block, layer| {
        if sparse(block) {
            layer.mlp = Mlp::Experts(experts);
        }
    });
    arch
}
