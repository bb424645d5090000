//! Unknown families: read as a generic decoder, with an assumption.

use super::decoder::{decoder, for_each_block, ungated_mlp};
use super::sizes::{LLAMA, Sizes};
use super::unknown_experts::{dense_inner, experts, sparse_blocks};
use super::{LAYER_NORM, activation};
use crate::arch::{Activation, Arch, Certainty, Layer, Mlp, Norm, Projection, QkNorm, Rotary, RotaryJoin};
use crate::config::Config;
use crate::estimate::Assumption;

/// Reads what the keys reveal: sizes under their usual names, biases, tied embeddings, LayerNorm or RMSNorm, norms of queries and
/// keys, low-rank attention, learned positions, experts. The rest is Llama's.
pub(super) fn unknown(config: &Config, model_type: String) -> Arch {
    let name = if model_type.is_empty() { "?".to_owned() } else { model_type.clone() };
    let defaults = Sizes { inner: None, ..LLAMA };
    let mut inner = 0;
    let mut arch = decoder(config, model_type, defaults, |layer, sizes| {
        inner = sizes.inner();
        let flag = |keys: &[&str]| keys.iter().find_map(|key| config.flag(key)).unwrap_or(false);
        let everywhere = flag(&["use_bias", "bias"]);
        layer.attention.qkv_bias = everywhere || flag(&["attention_bias", "qkv_bias", "use_qkv_bias", "add_qkv_bias"]);
        layer.attention.out_bias = everywhere || flag(&["attention_bias", "attention_out_bias"]);
        if flag(&["use_qk_norm", "qk_norm", "qk_layernorm", "use_qk_layernorm"]) {
            layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: false });
        }
        latent(config, layer);
        let rms = config.has("rms_norm_eps") || config.has("rms_norm_epsilon");
        if !rms && ["layer_norm_eps", "layer_norm_epsilon", "layernorm_epsilon", "norm_epsilon"].iter().any(|key| config.has(key))
        {
            layer.norm = LAYER_NORM;
        }
        // Names of functions without a gate: what has one is called silu, swish or swiglu.
        let function = ["hidden_act", "activation_function", "activation"].into_iter().find_map(|key| config.text(key));
        if experts(config, 1).is_none() && matches!(function, Some("relu" | "relu2" | "gelu" | "gelu_new" | "gelu_fast")) {
            layer.mlp = ungated_mlp(sizes.inner(), everywhere, activation(function, Activation::Kernel));
        }
    });
    if let Some(experts) = experts(config, inner) {
        let sparse = sparse_blocks(config, arch.layers());
        let columns = dense_inner(config, arch.hidden);
        let dense = Mlp::Gated { inner: columns, fused: false, bias: false, activation: Activation::Kernel };
        for_each_block(&mut arch, |block, layer| {
            layer.mlp = if sparse.get(block).copied().unwrap_or(true) { Mlp::Experts(experts) } else { dense };
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
    arch.certainty = arch.certainty.max(Certainty::GenericDecoder);
    arch.assumptions.insert(
        0,
        Assumption {
            en: format!("unknown model type {name}: assuming a generic decoder of its size"),
            zh: format!("未知模型类型 {name}：按相同尺寸的常见解码器结构估算"),
        },
    );
    arch
}

/// Low-rank attention, if the config has the keys of DeepSeek's.
fn latent(config: &Config, layer: &mut Layer) {
    let (Some(kv_rank), Some(turned)) = (config.count("kv_lora_rank"), config.count("qk_rope_head_dim")) else { return };
    let attention = &mut layer.attention;
    let plain = config.count("qk_nope_head_dim").unwrap_or(attention.head_dim);
    attention.projection = Projection::Latent { query_rank: config.count("q_lora_rank"), kv_rank, rope_dim: turned };
    attention.kv_heads = attention.heads;
    attention.head_dim = plain + turned;
    attention.value_dim = config.count("v_head_dim").unwrap_or(plain);
    attention.rotary = Some(Rotary { parts: RotaryJoin::Together, ..Rotary::usual(turned) });
}
