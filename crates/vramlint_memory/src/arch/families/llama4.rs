//! The text part of Llama 4: complex rotary in three of four blocks, chunked attention, experts in every or every other block.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks};
use super::mixtral::routed_experts;
use super::qwen_moe::number;
use super::sizes::Sizes;
use crate::arch::{Arch, Experts, Mlp, Norm, QkNorm, Rotary, RotaryTables, Router, SharedExpert};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["llama4_text"], read)];

const LLAMA4: Sizes = Sizes {
    hidden: 5120,
    inner: Some(8192),
    layers: 48,
    heads: 40,
    kv_heads: Some(8),
    head_dim: Some(128),
    vocab: 202_048,
    tied: false,
};

/// The text part of Llama 4.
fn read(config: &Config, model_type: String) -> Arch {
    let mut inner = 0;
    let mut arch = decoder(config, model_type, LLAMA4, |layer, sizes| {
        inner = sizes.inner();
        layer.attention.rotary = Some(Rotary { tables: RotaryTables::Complex, ..Rotary::usual(sizes.head_dim()) });
        layer.attention.softmax_fp32 = false;
        if let Mlp::Gated { inner, bias, .. } = &mut layer.mlp {
            *inner = config.count("intermediate_size_mlp").unwrap_or(16384);
            *bias = false;
        }
    });
    let experts = Experts {
        shared: Some(SharedExpert { inner, gate: false, runs_first: false }),
        ..routed_experts(config, inner, (16, 1), Router::AllExperts)
    };
    let step = config.count("interleave_moe_layer_step").unwrap_or(1).max(1);
    let listed: Option<Vec<u64>> = config.list("moe_layers").map(|list| list.iter().filter_map(number).collect());
    let every = config.count("no_rope_layer_interval").unwrap_or(4).max(1);
    let turns = config.list("no_rope_layers").unwrap_or_default();
    let turned = |block: usize| match turns.get(block).and_then(number) {
        Some(flag) => flag > 0,
        None => !(block as u64 + 1).is_multiple_of(every),
    };
    let normalized = config.flag("use_qk_norm").unwrap_or(true);
    let tuned = config.flag("attn_temperature_tuning").unwrap_or(true);
    let chunk = if config.has("attention_chunk_size") { config.count("attention_chunk_size") } else { Some(8192) };
    let chunked = sliding_blocks(config, arch.layers(), |block| turned(usize::try_from(block).unwrap_or(0)));
    for_each_block(&mut arch, |block, layer| {
        let turned = turned(block);
        layer.attention.window = chunk.filter(|_| chunked[block]);
        if turned {
            // Without a weight, after the rotary embedding.
            layer.attention.qk_norm =
                normalized.then_some(QkNorm { norm: Norm::RmsNoWeight, per_head: true, after_rotary: true });
        } else {
            layer.attention.rotary = None;
            layer.attention.scaled_queries = tuned;
        }
        if listed.as_ref().map_or((block as u64 + 1).is_multiple_of(step), |list| list.contains(&(block as u64))) {
            layer.mlp = Mlp::Experts(experts);
        }
    });
    arch
}
