//! Hybrids of Qwen, in which three of four blocks use linear attention: Qwen3-Next, Qwen3.5 and Qwen3.5-MoE.

use super::Family;
use super::decoder::decoder;
use super::mixtral::routed_experts;
use super::qwen_moe::QWEN2;
use super::sizes::Sizes;
use crate::arch::{Arch, Certainty, Experts, Layer, LegacyExpertNames, Mlp, Norm, QkNorm, Router, SharedExpert};
use crate::config::{Config, Value};
use crate::estimate::Assumption;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["qwen3_next"], next),
    Family::untraced(&["qwen3_5_text"], dense),
    Family::untraced(&["qwen3_5_moe_text"], sparse),
];

const NEXT: Sizes = Sizes { layers: 48, heads: 16, kv_heads: Some(2), head_dim: Some(256), ..QWEN2 };
const DENSE: Sizes = Sizes {
    hidden: 4096,
    inner: Some(12288),
    layers: 32,
    heads: 16,
    kv_heads: Some(4),
    head_dim: Some(256),
    vocab: 248_320,
    tied: false,
};
const SPARSE: Sizes = Sizes { layers: 40, heads: 16, kv_heads: Some(2), head_dim: Some(256), vocab: 248_320, ..QWEN2 };

/// Qwen3-Next.
fn next(config: &Config, model_type: String) -> Arch {
    hybrid(config, model_type, NEXT, Some((512, 10)))
}

/// Qwen3.5 without experts.
fn dense(config: &Config, model_type: String) -> Arch {
    hybrid(config, model_type, DENSE, None)
}

/// Qwen3.5 with experts.
fn sparse(config: &Config, model_type: String) -> Arch {
    hybrid(config, model_type, SPARSE, Some((256, 8)))
}

/// The experts of a block: one with a gate of its own sees every token.
fn experts(config: &Config, counts: (u64, u64)) -> Experts {
    let inner = config.count("moe_intermediate_size").unwrap_or(512);
    let shared = config.count("shared_expert_intermediate_size").unwrap_or(512);
    let normalized = config.flag("norm_topk_prob").unwrap_or(true);
    Experts {
        legacy_names: Some(LegacyExpertNames::Qwen),
        shared: Some(SharedExpert { inner: shared, gate: true, runs_first: true }),
        ..routed_experts(config, inner, counts, Router::Softmax { normalized, cast: true })
    }
}

/// Linear attention has its own kernels: its parameters are counted, and its steps are simulated as those of blocks with full attention.
fn hybrid(config: &Config, model_type: String, sizes: Sizes, counts: Option<(u64, u64)>) -> Arch {
    let mut arch = decoder(config, model_type, sizes, |layer: &mut Layer, _| {
        layer.norm = Norm::RmsGemma;
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::RmsGemma, per_head: true, after_rotary: false });
        if let Some(counts) = counts {
            layer.mlp = Mlp::Experts(experts(config, counts));
        }
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
