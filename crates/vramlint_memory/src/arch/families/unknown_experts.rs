//! Experts of unknown families, under the names that families give them.

use super::mixtral::routed_experts;
use super::qwen_moe::number;
use crate::arch::{Experts, Router, SharedExpert};
use crate::config::{Config, Value};

/// The first of `keys` that holds a number, or a list that begins with one (text before vision).
fn first(config: &Config, keys: &[&str]) -> Option<u64> {
    let value = |key: &&str| config.count(key).or_else(|| number(config.list(key)?.first()?));
    keys.iter().filter_map(value).find(|count| *count > 0)
}

/// The experts of a block with `dense` columns where it has none; `None` for a dense model.
pub(super) fn experts(config: &Config, dense: u64) -> Option<Experts> {
    let named = ["num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts", "num_moe_experts", "n_experts"];
    first(config, &named).filter(|count| *count > 1)?;
    let inner = first(
        config,
        &[
            "moe_intermediate_size",
            "expert_intermediate_size",
            "moe_ffn_hidden_size",
            "expert_ffn_hidden_size",
            "expert_hidden_size",
        ],
    )
    .unwrap_or(dense);
    let joint = first(
        config,
        &[
            "shared_expert_intermediate_size",
            "moe_shared_expert_intermediate_size",
            "shared_experts_intermediate_size",
            "shared_intermediate_size",
            "shared_expert_dim",
            "share_expert_dim",
        ],
    );
    let several = first(config, &["n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert"]);
    let shared = joint.or(several.map(|count| inner.saturating_mul(count)));
    let routed = routed_experts(config, inner, (8, 2), Router::Softmax { normalized: true, cast: true });
    Some(Experts { shared: shared.map(|inner| SharedExpert { inner, gate: false, runs_first: false }), ..routed })
}

/// Columns of a dense block.
pub(super) fn dense_inner(config: &Config, hidden: u64) -> u64 {
    let names =
        ["dense_intermediate_size", "intermediate_size_mlp", "intermediate_size", "ffn_hidden_size", "ffn_dim", "n_inner"];
    first(config, &names).unwrap_or_else(|| hidden.saturating_mul(4))
}

/// Which blocks have experts, block by block: listed, or from a first block on, every so many.
pub(super) fn sparse_blocks(config: &Config, layers: u64) -> Vec<bool> {
    let words = config.list("mlp_layer_types").unwrap_or_default();
    let flags = config.list("moe_layer_freq").unwrap_or_default();
    let numbers = |key: &str| -> Option<Vec<u64>> { Some(config.list(key)?.iter().filter_map(number).collect()) };
    let sparse = numbers("moe_layers").filter(|blocks| !blocks.is_empty());
    let dense = numbers("mlp_only_layers").unwrap_or_default();
    let first_sparse = first(
        config,
        &["first_k_dense_replace", "num_dense_layers", "moe_layer_start_index", "n_dense_layers", "first_k_dense_layers"],
    )
    .unwrap_or(0);
    let last = config.count("moe_layer_end_index").unwrap_or(u64::MAX);
    let step = first(
        config,
        &["decoder_sparse_step", "moe_layer_freq", "moe_layer_interval", "interleave_moe_layer_step", "expert_layer_period"],
    )
    .filter(|_| flags.is_empty())
    .unwrap_or(1);
    let offset = config.count("expert_layer_offset").unwrap_or(step - 1) % step;
    (0..layers.min(10_000))
        .map(|block| {
            let at = usize::try_from(block).unwrap_or(usize::MAX);
            match (words.get(at), flags.get(at), &sparse) {
                (Some(Value::Text(word)), ..) => word != "dense",
                (_, Some(flag), _) => number(flag) != Some(0),
                (_, _, Some(listed)) => listed.contains(&block),
                _ => (first_sparse..=last).contains(&block) && block % step == offset && !dense.contains(&block),
            }
        })
        .collect()
}
