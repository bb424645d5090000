//! DeepSeek-V2 and V3, and GLM-4.5 and ERNIE 4.5 with experts: the first blocks are dense, an expert sees every token.

use super::Family;
use super::decoder::{decoder, for_each_block, partial_rotary_factor, rotary_columns};
use super::llama_variants::ernie_block;
use super::mixtral::routed_experts;
use super::sizes::{LLAMA, Sizes};
use crate::arch::{
    Arch, Experts, LegacyExpertNames, Mlp, Norm, Projection, QkNorm, Rotary, RotaryJoin, RotaryTables, Router, SharedExpert,
};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["deepseek_v2", "deepseek_v3"], deepseek),
    Family::traced(&["glm4_moe"], glm4_moe),
    Family::traced(&["ernie4_5_moe"], ernie),
];

const V2: Sizes = Sizes { vocab: 102_400, ..LLAMA };
const V3: Sizes = Sizes {
    hidden: 7168,
    inner: Some(18432),
    layers: 61,
    heads: 128,
    kv_heads: Some(128),
    head_dim: None,
    vocab: 129_280,
    tied: false,
};
const GLM: Sizes = Sizes {
    hidden: 4096,
    inner: Some(10944),
    layers: 46,
    heads: 96,
    kv_heads: Some(8),
    head_dim: None,
    vocab: 151_552,
    tied: false,
};
const ERNIE: Sizes = Sizes {
    hidden: 2560,
    inner: Some(12288),
    layers: 28,
    heads: 20,
    kv_heads: Some(4),
    head_dim: None,
    vocab: 103_424,
    tied: true,
};

/// Experts from block `first` on.
fn from_block(arch: &mut Arch, first: u64, experts: Experts) {
    for_each_block(arch, |block, layer| {
        if block as u64 >= first {
            layer.mlp = Mlp::Experts(experts);
        }
    });
}

/// The experts of DeepSeek: the shared ones are one of their joint width.
fn experts(config: &Config, inner: u64, counts: (u64, u64), shared: u64, router: Router) -> Experts {
    let inner = config.count("moe_intermediate_size").unwrap_or(inner);
    let shared = config.count("n_shared_experts").unwrap_or(shared);
    Experts {
        shared: Some(SharedExpert { inner: inner.saturating_mul(shared), gate: false, runs_first: false }),
        legacy_names: Some(LegacyExpertNames::Qwen),
        ..routed_experts(config, inner, counts, router)
    }
}

/// DeepSeek-V2 (complex rotary) and V3 (neighbouring pairs), with latent attention.
fn deepseek(config: &Config, model_type: String) -> Arch {
    let third = model_type == "deepseek_v3";
    let mut arch = decoder(config, model_type, if third { V3 } else { V2 }, |layer, _| {
        let count = |key: &str, other: u64| config.count(key).unwrap_or(other);
        let (plain, turned) = (count("qk_nope_head_dim", 128), count("qk_rope_head_dim", 64));
        let query_rank = if config.has("q_lora_rank") { config.count("q_lora_rank") } else { Some(1536) };
        let attention = &mut layer.attention;
        attention.projection = Projection::Latent { query_rank, kv_rank: count("kv_lora_rank", 512), rope_dim: turned };
        attention.kv_heads = attention.heads;
        attention.head_dim = plain + turned;
        attention.value_dim = count("v_head_dim", 128);
        let usual = Rotary { parts: RotaryJoin::Together, ..Rotary::usual(turned) };
        attention.rotary = Some(if third {
            Rotary { interleaved: config.flag("rope_interleave").unwrap_or(true), ..usual }
        } else {
            Rotary { tables: RotaryTables::Complex, ..usual }
        });
        if third && let Mlp::Gated { bias, .. } = &mut layer.mlp {
            *bias = false;
        }
    });
    let router = Router::Fp32 {
        sigmoid: third,
        normalized: third && config.flag("norm_topk_prob").unwrap_or(true),
        grouped: config.text("topk_method") == Some("group_limited_greedy"),
    };
    let experts = if third { experts(config, 2048, (256, 8), 1, router) } else { experts(config, 1407, (64, 6), 2, router) };
    let first = config.count("first_k_dense_replace").unwrap_or(if third { 3 } else { 0 });
    from_block(&mut arch, first, experts);
    arch
}

/// GLM-4.5: Llama attention with half of each head rotated, routed like DeepSeek-V3.
fn glm4_moe(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, GLM, |layer, sizes| {
        let attention = &mut layer.attention;
        attention.out_bias = false;
        attention.rotary = Some(Rotary {
            parts: RotaryJoin::Together,
            ..Rotary::usual(rotary_columns(sizes.head_dim(), partial_rotary_factor(config, 0.5)))
        });
        attention.qk_norm = config.flag("use_qk_norm").unwrap_or(false).then_some(QkNorm {
            norm: Norm::Rms,
            per_head: true,
            after_rotary: false,
        });
    });
    let normalized = config.flag("norm_topk_prob").unwrap_or(true);
    let experts = experts(config, 1408, (128, 8), 1, Router::Fp32 { sigmoid: true, normalized, grouped: true });
    from_block(&mut arch, config.count("first_k_dense_replace").unwrap_or(1), experts);
    arch
}

/// ERNIE 4.5 with experts: a correction that is a parameter, the shared expert first.
fn ernie(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, ERNIE, |layer, sizes| {
        ernie_block(config, layer, sizes, false);
    });
    let count = |key: &str, other: u64| config.count(key).unwrap_or(other);
    let inner = count("moe_intermediate_size", 1536);
    let shared = count("moe_num_shared_experts", 2);
    let experts = Experts {
        shared: (shared > 0).then(|| SharedExpert { inner: inner.saturating_mul(shared), gate: false, runs_first: true }),
        legacy_names: Some(LegacyExpertNames::Qwen),
        ..routed_experts(config, inner, (64, 6), Router::BiasCorrected)
    };
    let (first, every) = (count("moe_layer_start_index", 1), count("moe_layer_interval", 1).max(1));
    let last = config.count("moe_layer_end_index").unwrap_or(u64::MAX);
    for_each_block(&mut arch, |block, layer| {
        let block = block as u64;
        if (block + 1).is_multiple_of(every) && (first..=last).contains(&block) {
            layer.mlp = Mlp::Experts(experts);
        }
    });
    arch
}
