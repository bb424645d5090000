//! Mixtures of experts in every block of a Llama: Mixtral, OLMoE, Granite MoE, Phi-3.5-MoE.

use super::Family;
use super::LAYER_NORM;
use super::decoder::{decoder, sliding_window};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Arch, Experts, Layer, LegacyExpertNames, Mlp, Norm, QkNorm, Router};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["mixtral"], mixtral),
    Family::traced(&["olmoe"], olmoe),
    Family::traced(&["granitemoe"], granitemoe),
    Family::traced(&["phimoe"], phimoe),
];

const MIXTRAL: Sizes = Sizes { inner: Some(14336), kv_heads: Some(8), ..LLAMA };
const OLMOE: Sizes =
    Sizes { hidden: 2048, inner: Some(2048), layers: 16, heads: 16, kv_heads: None, head_dim: None, vocab: 50304, tied: false };
const PHIMOE: Sizes = Sizes { inner: Some(6400), kv_heads: Some(8), vocab: 32064, ..LLAMA };

/// How many experts there are and how many see a token, under the keys that families use.
pub(super) fn counts(config: &Config, count: u64, active: u64) -> (u64, u64) {
    let first = |keys: &[&str]| keys.iter().find_map(|key| config.count(key)).filter(|count| *count > 0);
    let experts = ["num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "num_moe_experts", "n_experts"];
    let seen = ["num_experts_per_tok", "num_experts_per_token", "moe_k", "moe_topk", "top_k_experts", "experts_per_token"];
    let (count, active) = (first(&experts).unwrap_or(count), first(&seen).unwrap_or(active));
    (count, active.min(count))
}

/// Experts without biases and without a shared one.
pub(super) fn routed_experts(config: &Config, inner: u64, (count, active): (u64, u64), router: Router) -> Experts {
    let (count, active) = counts(config, count, active);
    Experts { count, active, inner, shared: None, bias: false, router, clamped: false, legacy_names: None }
}

/// Mixtral.
fn mixtral(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, MIXTRAL, |layer, sizes| {
        (layer.attention.qkv_bias, layer.attention.out_bias) = (false, false);
        layer.attention.window = sliding_window(config, None);
        let experts = routed_experts(config, sizes.inner(), (8, 2), Router::Softmax { normalized: true, cast: false });
        layer.mlp = Mlp::Experts(Experts { legacy_names: Some(LegacyExpertNames::Mixtral), ..experts });
    })
}

/// OLMoE: norms over all heads of queries and keys.
fn olmoe(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, OLMOE, |layer, sizes| {
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: false, after_rotary: false });
        let normalized = config.flag("norm_topk_prob").unwrap_or(false);
        let experts = routed_experts(config, sizes.inner(), (64, 8), Router::Softmax { normalized, cast: true });
        layer.mlp = Mlp::Experts(Experts { legacy_names: Some(LegacyExpertNames::Qwen), ..experts });
    })
}

/// Granite MoE: embeddings, residuals and logits have multipliers; the softmax runs over the highest logits.
fn granitemoe(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, LLAMA, |layer: &mut Layer, sizes| {
        layer.scaled = true;
        layer.mlp = Mlp::Experts(routed_experts(config, sizes.inner(), (8, 2), Router::TopSoftmax { fp32: true }));
    });
    arch.embedding.scaled = true;
    arch.head.scaled = true;
    arch
}

/// Phi-3.5-MoE: LayerNorm, biases, a router of its own.
fn phimoe(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, PHIMOE, |layer, sizes| {
        layer.norm = LAYER_NORM;
        layer.attention.window = sliding_window(config, None);
        layer.mlp = Mlp::Experts(routed_experts(config, sizes.inner(), (16, 2), Router::SparseMixer));
    });
    arch.head.bias = config.flag("lm_head_bias").unwrap_or(false);
    arch
}
