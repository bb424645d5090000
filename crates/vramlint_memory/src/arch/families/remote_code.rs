//! Models whose code came with their weights: Qwen 1, ChatGLM 2 and 3, Baichuan, InternLM. Never traced: transformers 5 does not run them.
//!
//! Shapes of `modeling_qwen.py` (QwenLM/Qwen), `modeling_chatglm.py` (diffusers 0.36 `pipelines/kolors/text_encoder.py`),
//! `modeling_baichuan.py` (baichuan-inc/Baichuan-7B) and `modeling_internlm.py` (InternLM/InternLM).

use super::Family;
use super::decoder::{decoder, rotary_columns};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Activation, Arch, Mlp, ModuleNames, Projection, Rotary, RotaryJoin};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[
    Family::untraced(&["baichuan"], baichuan),
    Family::untraced(&["chatglm"], chatglm),
    Family::untraced(&["internlm"], internlm),
    Family::untraced(&["qwen"], qwen),
];

const QWEN: Sizes = Sizes { inner: Some(22016), vocab: 151_936, ..LLAMA };
const CHATGLM: Sizes = Sizes { inner: Some(13696), layers: 28, head_dim: Some(128), vocab: 65024, ..LLAMA };
const BAICHUAN: Sizes = Sizes { vocab: 64000, ..LLAMA };
const INTERNLM: Sizes = Sizes { vocab: 103_168, ..LLAMA };

const QWEN_NAMES: ModuleNames = ModuleNames {
    fused: "attn.c_attn",
    out: "attn.c_proj",
    gate: "mlp.w2",
    up: "mlp.w1",
    down: "mlp.c_proj",
    ..ModuleNames::LLAMA
};
const CHATGLM_NAMES: ModuleNames = ModuleNames {
    fused: "self_attention.query_key_value",
    out: "self_attention.dense",
    gate: "mlp.dense_h_to_4h",
    down: "mlp.dense_4h_to_h",
    ..ModuleNames::LLAMA
};
const BAICHUAN_NAMES: ModuleNames = ModuleNames { fused: "self_attn.W_pack", ..ModuleNames::LLAMA };

/// Qwen 1: one projection with a bias; `intermediate_size` counts gate and up together.
fn qwen(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, QWEN, |layer, sizes| {
        layer.attention.projection = Projection::Fused;
        (layer.attention.qkv_bias, layer.attention.out_bias) = (true, false);
        layer.mlp = Mlp::Gated { inner: sizes.inner() / 2, fused: false, bias: false, activation: Activation::Kernel };
        layer.names = &QWEN_NAMES;
    })
}

/// ChatGLM 2 and 3: one projection, half of each head rotated, gate and up in one.
fn chatglm(config: &Config, model_type: String) -> Arch {
    let flag = |key: &str, other: bool| config.flag(key).unwrap_or(other);
    decoder(config, model_type, CHATGLM, |layer, sizes| {
        let all = flag("add_bias_linear", false);
        let attention = &mut layer.attention;
        attention.projection = Projection::Fused;
        attention.kv_heads =
            if flag("multi_query_attention", true) { config.count("multi_query_group_num").unwrap_or(2) } else { sizes.heads };
        (attention.qkv_bias, attention.out_bias) = (all || flag("add_qkv_bias", true), all);
        attention.rotary = Some(Rotary {
            interleaved: true,
            parts: RotaryJoin::Together,
            ..Rotary::usual(rotary_columns(sizes.head_dim(), 0.5))
        });
        layer.mlp = Mlp::Gated { inner: sizes.inner(), fused: true, bias: all, activation: Activation::Kernel };
        layer.names = &CHATGLM_NAMES;
    })
}

/// Baichuan: one projection; the larger sizes have `ALiBi` instead of rotary positions.
fn baichuan(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, BAICHUAN, |layer, sizes| {
        layer.attention.projection = Projection::Fused;
        if sizes.heads > 32 {
            layer.attention.rotary = None;
            layer.attention.alibi = true;
        }
        layer.names = &BAICHUAN_NAMES;
    })
}

/// InternLM: Llama with biases in the attention.
fn internlm(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, INTERNLM, |layer, _| {
        let bias = config.flag("bias").unwrap_or(true);
        (layer.attention.qkv_bias, layer.attention.out_bias) = (bias, bias);
    })
}
