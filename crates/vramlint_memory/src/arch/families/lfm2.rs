//! LFM2 and LFM2-MoE: most blocks have a short convolution in the place of attention (transformers 5.23 `modeling_lfm2.py`,
//! `modeling_lfm2_moe.py`).

use super::Family;
use super::decoder::{decoder, for_each_block};
use super::mixtral::routed_experts;
use super::qwen_moe::number;
use super::sizes::Sizes;
use crate::arch::{Activation, Arch, Attention, Experts, Mlp, ModuleNames, Norm, Projection, QkNorm, Router};
use crate::config::{Config, Value};

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["lfm2"], dense), Family::traced(&["lfm2_moe"], sparse)];

const DENSE: Sizes = Sizes {
    hidden: 2560,
    inner: Some(12288),
    layers: 32,
    heads: 32,
    kv_heads: Some(8),
    head_dim: None,
    vocab: 65536,
    tied: true,
};
const SPARSE: Sizes = Sizes { hidden: 2048, inner: Some(7168), ..DENSE };

const ATTENTION_NAMES: ModuleNames = ModuleNames {
    out: "self_attn.out_proj",
    gate: "feed_forward.w1",
    up: "feed_forward.w3",
    down: "feed_forward.w2",
    ..ModuleNames::LLAMA
};
const CONVOLUTION_NAMES: ModuleNames = ModuleNames { fused: "conv.in_proj", out: "conv.out_proj", ..ATTENTION_NAMES };

fn dense(config: &Config, model_type: String) -> Arch {
    let mut arch = read(config, model_type, DENSE);
    // The older name of the width, from which the real one follows.
    let written = config.count("block_ff_dim").or_else(|| config.count("intermediate_size")).or(DENSE.inner).unwrap_or(0);
    let inner = adjusted(config, written);
    for (layer, _) in &mut arch.layers {
        layer.mlp = Mlp::Gated { inner, fused: false, bias: false, activation: Activation::Kernel };
    }
    arch
}

fn sparse(config: &Config, model_type: String) -> Arch {
    let mut arch = read(config, model_type, SPARSE);
    let first = usize::try_from(config.count("num_dense_layers").unwrap_or(2)).unwrap_or(usize::MAX);
    let router = Router::Sigmoid {
        normalized: config.flag("norm_topk_prob").unwrap_or(true),
        corrected: config.flag("use_expert_bias").unwrap_or(true),
    };
    let inner = config.count("moe_intermediate_size").unwrap_or(1792);
    let experts = Experts { legacy_names: None, ..routed_experts(config, inner, (32, 4), router) };
    for_each_block(&mut arch, |block, layer| {
        if block >= first {
            layer.mlp = Mlp::Experts(experts);
        }
    });
    arch
}

fn read(config: &Config, model_type: String, sizes: Sizes) -> Arch {
    let mut arch = decoder(config, model_type, sizes, |layer, _| {
        layer.names = &ATTENTION_NAMES;
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: false });
        layer.attention.dropout = false;
    });
    arch.head.tied = config.flag("tie_embedding").unwrap_or(arch.head.tied);
    let convolution = Attention {
        projection: Projection::Convolution {
            taps: config.count("conv_L_cache").unwrap_or(3).max(1),
            bias: config.flag("conv_bias").unwrap_or(false),
        },
        ..Attention::plain(1, 1)
    };
    let attends = attention_blocks(config);
    for_each_block(&mut arch, |block, layer| {
        if !attends(block) {
            layer.attention = convolution;
            layer.names = &CONVOLUTION_NAMES;
        }
    });
    arch
}

/// Which blocks attend: `layer_types`, or the older list of their numbers, or all.
fn attention_blocks(config: &Config) -> impl Fn(usize) -> bool {
    let types: Vec<bool> = config
        .list("layer_types")
        .unwrap_or_default()
        .iter()
        .map(|kind| matches!(kind, Value::Text(kind) if kind != "conv"))
        .collect();
    let listed: Option<Vec<usize>> = config
        .list("full_attn_idxs")
        .map(|blocks| blocks.iter().filter_map(number).filter_map(|block| usize::try_from(block).ok()).collect());
    move |block| match (types.get(block), &listed) {
        (Some(attends), _) => *attends,
        (None, Some(listed)) => listed.contains(&block),
        (None, None) => true,
    }
}

/// The width of the MLP: two thirds of what is written, times a factor, up to a multiple.
fn adjusted(config: &Config, written: u64) -> u64 {
    if config.flag("block_auto_adjust_ff_dim") == Some(false) {
        return written;
    }
    let inner = written.saturating_mul(2) / 3;
    if config.has("block_ffn_dim_multiplier") && config.number("block_ffn_dim_multiplier").is_none() {
        return inner;
    }
    let factor = config.number("block_ffn_dim_multiplier").unwrap_or(1.0).clamp(0.0, 1000.0);
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // widths are far below 2^53
    let inner = (inner.min(1 << 40) as f64 * factor) as u64;
    inner.next_multiple_of(config.count("block_multiple_of").unwrap_or(256).max(1))
}
