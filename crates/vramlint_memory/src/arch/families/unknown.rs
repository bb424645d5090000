//! Unknown families: read as a generic decoder, with an assumption.

use super::decoder::{decoder, for_each_block, ungated_mlp};
use super::mixtral::routed_experts;
use super::sizes::{LLAMA, Sizes};
use super::{LAYER_NORM, activation};
use crate::arch::{Activation, Arch, Certainty, Experts, Mlp, Norm, QkNorm, Router, SharedExpert};
use crate::config::Config;
use crate::estimate::Assumption;

/// Experts under the names that families give them; `None` for a dense model.
fn experts(config: &Config, inner: u64) -> Option<Experts> {
    let named = ["num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"];
    named.iter().find_map(|key| config.count(key)).filter(|count| *count > 1)?;
    let first = |keys: &[&str]| keys.iter().find_map(|key| config.count(key)).filter(|count| *count > 0);
    let inner = first(&["moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"]).unwrap_or(inner);
    let joint = first(&["shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size"]);
    let several = first(&["n_shared_experts", "num_shared_experts", "moe_num_shared_experts"]);
    let shared = joint.or(several.map(|count| inner.saturating_mul(count)));
    let routed = routed_experts(config, inner, (8, 2), Router::Softmax { normalized: true, cast: true });
    Some(Experts { shared: shared.map(|inner| SharedExpert { inner, gate: false, runs_first: false }), ..routed })
}

/// Columns of a dense block beside blocks with experts.
fn dense_inner(config: &Config) -> u64 {
    config
        .count("intermediate_size")
        .or(config.count("ffn_hidden_size"))
        .unwrap_or_else(|| 4 * config.count("hidden_size").unwrap_or(4096))
}

/// Reads what the keys reveal: sizes under their usual names, biases, tied embeddings, LayerNorm or RMSNorm, norms of queries and
/// keys, learned positions. The rest is Llama's.
pub(super) fn unknown(config: &Config, model_type: String) -> Arch {
    let name = if model_type.is_empty() { "?".to_owned() } else { model_type.clone() };
    let defaults = Sizes { inner: None, ..LLAMA };
    let mut arch = decoder(config, model_type, defaults, |layer, sizes| {
        let flag = |keys: &[&str]| keys.iter().find_map(|key| config.flag(key)).unwrap_or(false);
        let everywhere = flag(&["use_bias", "bias"]);
        layer.attention.qkv_bias = everywhere || flag(&["attention_bias", "qkv_bias", "use_qkv_bias", "add_qkv_bias"]);
        layer.attention.out_bias = everywhere || flag(&["attention_bias", "attention_out_bias"]);
        if flag(&["use_qk_norm", "qk_norm", "qk_layernorm", "use_qk_layernorm"]) {
            layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: false });
        }
        let rms = config.has("rms_norm_eps") || config.has("rms_norm_epsilon");
        if !rms && ["layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon", "norm_epsilon"].iter().any(|key| config.has(key))
        {
            layer.norm = LAYER_NORM;
        }
        if let Some(experts) = experts(config, sizes.inner()) {
            layer.mlp = Mlp::Experts(experts);
        }
        // Names of functions without a gate: what has one is called silu, swish or swiglu.
        let function = ["hidden_act", "activation_function", "activation"].into_iter().find_map(|key| config.text(key));
        if !matches!(layer.mlp, Mlp::Experts(_)) && matches!(function, Some("relu" | "relu2" | "gelu" | "gelu_new" | "gelu_fast"))
        {
            layer.mlp = ungated_mlp(sizes.inner(), everywhere, activation(function, Activation::Kernel));
        }
    });
    let first = config.count("first_k_dense_replace").or(config.count("num_dense_layers")).unwrap_or(0);
    if first > 0 && experts(config, 1).is_some() {
        let dense = Mlp::Gated { inner: dense_inner(config), fused: false, bias: false, activation: Activation::Kernel };
        for_each_block(&mut arch, |block, layer| {
            if (block as u64) < first {
                layer.mlp = dense;
            }
        });
    }
    if !config.has("rope_theta") && !config.has("rope_parameters") && !config.has("rope_scaling") {
        let rows = ["n_positions", "max_position_embeddings"].into_iter().find_map(|key| config.count(key));
        if config.text("position_embedding_type") == Some("absolute") || config.has("n_positions") {
            arch.embedding.positions = rows;
            for (layer, _) in &mut arch.layers {
                layer.attention.rotary = None;
            }
        }
    }
    arch.certainty = Certainty::GenericDecoder;
    arch.assumptions.insert(
        0,
        Assumption {
            en: format!("unknown model type {name}: assuming a generic decoder of its size"),
            zh: format!("未知模型类型 {name}：按相同尺寸的常见解码器结构估算"),
        },
    );
    arch
}
