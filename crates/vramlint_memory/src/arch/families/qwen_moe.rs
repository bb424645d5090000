//! Qwen with experts: Qwen2-MoE with a shared one, Qwen3-MoE without, and the hybrid Qwen3-Next.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::mixtral::routed_experts;
use super::sizes::Sizes;
use crate::arch::{Arch, Certainty, LegacyExpertNames, Mlp, Norm, QkNorm, Router, SharedExpert};
use crate::config::{Config, Value};
use crate::estimate::Assumption;

pub(super) const FAMILIES: &[Family] =
    &[Family::traced(&["qwen2_moe"], qwen2), Family::traced(&["qwen3_moe"], qwen3), Family::traced(&["qwen3_next"], next)];

const QWEN2: Sizes = Sizes {
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
const NEXT: Sizes = Sizes { layers: 48, heads: 16, kv_heads: Some(2), head_dim: Some(256), ..QWEN2 };

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

/// Qwen3-Next: three of four blocks use linear attention with its own kernels. Its parameters are counted; its steps are simulated as
/// those of blocks with full attention.
fn next(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, NEXT, |layer, _| {
        layer.norm = Norm::RmsGemma;
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::RmsGemma, per_head: true, after_rotary: false });
        let inner = config.count("moe_intermediate_size").unwrap_or(512);
        let shared = config.count("shared_expert_intermediate_size").unwrap_or(512);
        let normalized = config.flag("norm_topk_prob").unwrap_or(true);
        let mut experts = routed_experts(config, inner, (512, 10), Router::Softmax { normalized, cast: true });
        experts.legacy_names = Some(LegacyExpertNames::Qwen);
        experts.shared = Some(SharedExpert { inner: shared, gate: true, runs_first: true });
        layer.mlp = Mlp::Experts(experts);
    });
    let count = |key: &str, other: u64| config.count(key).unwrap_or(other);
    let (keys, values) = (
        count("linear_num_key_heads", 16) * count("linear_key_head_dim", 128),
        count("linear_num_value_heads", 32) * count("linear_value_head_dim", 128),
    );
    let value_heads = count("linear_num_value_heads", 32);
    let hidden = arch.hidden;
    let convolution = (2 * keys + values) * count("linear_conv_kernel_dim", 4);
    let projections = hidden * (2 * keys + 2 * values) + hidden * 2 * value_heads + values * hidden;
    let linear = projections + convolution + 2 * value_heads + count("linear_value_head_dim", 128);
    let Some((layer, _)) = arch.layers.first() else { return arch };
    let (heads, kv_heads, head_dim) = (layer.attention.heads, layer.attention.kv_heads, layer.attention.head_dim);
    // The queries of full attention come with a gate of their own size.
    let gates = heads * head_dim * hidden;
    let plain = hidden * (2 * heads + 2 * kv_heads) * head_dim + 2 * head_dim;
    let every = count("full_attention_interval", 4).max(1);
    let listed = config.list("layer_types").unwrap_or_default();
    let blocks = arch.layers();
    let full = (0..blocks.min(10_000))
        .filter(|block| match usize::try_from(*block).ok().and_then(|at| listed.get(at)) {
            Some(Value::Text(kind)) => kind == "full_attention",
            _ => (block + 1).is_multiple_of(every),
        })
        .count() as u64;
    arch.unsimulated_parameters = (full * gates).saturating_add((blocks - full.min(blocks)) * linear.saturating_sub(plain));
    arch.certainty = Certainty::GenericDecoder;
    arch.assumptions.push(Assumption {
        en: "assuming linear-attention blocks need as much memory as full-attention blocks".to_owned(),
        zh: "线性注意力层按普通注意力层的需求估算".to_owned(),
    });
    arch
}
