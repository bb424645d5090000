//! Decoders of the Llama kind: the shape that most families vary.

use super::{activation, embedding, head};
use crate::arch::{Activation, Arch, Attention, Certainty, Experts, Layer, Mlp, Norm, Order, Projection, QkNorm, Rotary};
use crate::config::Config;
use crate::estimate::Assumption;

/// Reads one; what is missing is assumed, and said.
pub(super) fn read(config: &Config, kind: String) -> Arch {
    let mut assumptions = Vec::new();
    let mut need = |key: &str, other: u64| {
        config.count(key).unwrap_or_else(|| {
            assumptions.push(Assumption {
                en: format!("the architecture does not say {key}: {other} is assumed"),
                zh: format!("架构没有写明 {key}：按 {other} 计算"),
            });
            other
        })
    };
    let hidden = need("hidden_size", 4096);
    let layers = need("num_hidden_layers", 32);
    let heads = need("num_attention_heads", 32);
    let vocab = need("vocab_size", 32000);
    let inner = need("intermediate_size", 4 * hidden);
    let kv_heads = config.count("num_key_value_heads").unwrap_or(heads);
    let head_dim = config.count("head_dim").unwrap_or(hidden / heads.max(1));
    let qwen = matches!(kind.as_str(), "qwen2" | "qwen2_moe");
    let qk_norm = matches!(kind.as_str(), "qwen3" | "qwen3_moe").then_some(QkNorm { norm: Norm::Rms, per_head: true });
    let experts = match kind.as_str() {
        "mixtral" => Some(Experts {
            count: config.count("num_local_experts").unwrap_or(8),
            active: config.count("num_experts_per_tok").unwrap_or(2),
            inner,
            shared: None,
            shared_gate: false,
            bias: false,
        }),
        _ => None,
    };
    let dense = Mlp::Gated {
        inner,
        fused: false,
        bias: config.flag("mlp_bias").unwrap_or(false),
        activation: activation(config.text("hidden_act"), Activation::Kernel),
    };
    let layer = Layer {
        attention: Attention {
            heads,
            kv_heads,
            head_dim,
            value_dim: head_dim,
            projection: Projection::Separate,
            qkv_bias: config.flag("attention_bias").unwrap_or(qwen),
            out_bias: !qwen && config.flag("attention_bias").unwrap_or(false),
            rotary: Some(Rotary { columns: head_dim, fp32: false, interleaved: false }),
            qk_norm,
            softcap: false,
            dropout: false,
            alibi: false,
            sinks: false,
            softmax_fp32: true,
            window: config.count("sliding_window"),
        },
        mlp: experts.map_or(dense, Mlp::Experts),
        order: Order::Pre,
        norm: Norm::Rms,
        dropout: false,
        scaled: false,
    };
    Arch {
        certainty: if matches!(kind.as_str(), "llama" | "qwen2" | "qwen3" | "mistral" | "mixtral") {
            Certainty::Traced
        } else {
            Certainty::Usual
        },
        model_type: kind,
        hidden,
        vocab,
        embedding: embedding(hidden),
        layers: vec![(layer, layers)],
        final_norm: Some(Norm::Rms),
        head: head(config.flag("tie_word_embeddings").unwrap_or(false)),
        causal: true,
        tower: 0,
        assumptions,
    }
}
