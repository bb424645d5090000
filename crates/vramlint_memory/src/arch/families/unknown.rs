//! Unknown families: read as a generic decoder, with an assumption.

use super::decoder::{decoder, ungated_mlp};
use super::sizes::{LLAMA, Sizes};
use super::{LAYER_NORM, activation};
use crate::arch::{Activation, Arch, Certainty, Norm, QkNorm};
use crate::config::Config;
use crate::estimate::Assumption;

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
        // Names of functions without a gate: what has one is called silu, swish or swiglu.
        let function = ["hidden_act", "activation_function", "activation"].into_iter().find_map(|key| config.text(key));
        if matches!(function, Some("relu" | "relu2" | "gelu" | "gelu_new" | "gelu_fast")) {
            layer.mlp = ungated_mlp(sizes.inner(), everywhere, activation(function, Activation::Kernel));
        }
    });
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
