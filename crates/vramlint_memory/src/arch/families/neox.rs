//! Decoders of EleutherAI and what followed them: GPT-NeoX, GPT-J, Falcon.

use super::decoder::{decoder, partial_rotary_factor, rotary_columns, ungated_mlp};
use super::sizes::Sizes;
use super::{Family, LAYER_NORM, activation};
use crate::arch::{Activation, Arch, ModuleNames, Order, Projection, Rotary, RotaryJoin, RotaryTables};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] =
    &[Family::traced(&["gpt_neox"], neox), Family::traced(&["gptj", "codegen"], gptj), Family::traced(&["falcon"], falcon)];

const NEOX: Sizes =
    Sizes { hidden: 6144, inner: Some(24576), layers: 44, heads: 64, kv_heads: None, head_dim: None, vocab: 50432, tied: false };
const GPTJ: Sizes = Sizes { hidden: 4096, inner: None, layers: 28, heads: 16, vocab: 50400, ..NEOX };
const FALCON: Sizes = Sizes { hidden: 4544, inner: None, layers: 32, heads: 71, vocab: 65024, tied: true, ..NEOX };

const NEOX_NAMES: ModuleNames = ModuleNames {
    fused: "attention.query_key_value",
    out: "attention.dense",
    up: "mlp.dense_h_to_4h",
    down: "mlp.dense_4h_to_h",
    ..ModuleNames::LLAMA
};
const CODEGEN: Sizes = Sizes { vocab: 50400, ..GPTJ };
const CODEGEN_NAMES: ModuleNames = ModuleNames { fused: "attn.qkv_proj", ..GPTJ_NAMES };
const GPTJ_NAMES: ModuleNames = ModuleNames {
    qkv: ["attn.q_proj", "attn.k_proj", "attn.v_proj"],
    out: "attn.out_proj",
    up: "mlp.fc_in",
    down: "mlp.fc_out",
    ..ModuleNames::LLAMA
};
const FALCON_NAMES: ModuleNames =
    ModuleNames { fused: "self_attention.query_key_value", out: "self_attention.dense", ..NEOX_NAMES };

/// GPT-NeoX and Pythia.
fn neox(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, NEOX, |layer, sizes| {
        let attention = &mut layer.attention;
        let bias = config.flag("attention_bias").unwrap_or(true);
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.projection = Projection::FusedByHead;
        let columns = rotary_columns(attention.head_dim, partial_rotary_factor(config, 0.25));
        attention.rotary = Some(Rotary { parts: RotaryJoin::Together, ..Rotary::usual(columns) });
        layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text("hidden_act"), Activation::Kernel));
        layer.norm = LAYER_NORM;
        layer.order = if config.flag("use_parallel_residual").unwrap_or(true) {
            Order::Parallel { norms: 2, in_place: false }
        } else {
            Order::Pre
        };
        layer.dropout = config.number("hidden_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &NEOX_NAMES;
    });
    arch.embedding.dropout = config.number("hidden_dropout").unwrap_or(0.0) > 0.0;
    arch
}

/// GPT-J and CodeGen: attention written out, scores from fp32 queries and keys.
fn gptj(config: &Config, model_type: String) -> Arch {
    let codegen = model_type == "codegen";
    let mut arch = decoder(config, model_type, if codegen { CODEGEN } else { GPTJ }, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (false, false);
        let rows = config.count("n_positions").or_else(|| config.count("max_position_embeddings")).unwrap_or(2048);
        let written = if config.has("rotary_dim") { config.count("rotary_dim") } else { Some(64) };
        attention.rotary = Some(Rotary {
            interleaved: true,
            parts: if written.is_some() { RotaryJoin::OneByOne } else { RotaryJoin::Whole },
            tables: RotaryTables::Stored { rows, fp32: codegen },
            ..Rotary::usual(written.unwrap_or(sizes.hidden))
        });
        attention.fp32_scores = true;
        attention.dropout = config.number("attn_pdrop").unwrap_or(0.0) > 0.0;
        layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text("activation_function"), Activation::GeluNew));
        layer.norm = LAYER_NORM;
        layer.order = Order::Parallel { norms: 1, in_place: false };
        layer.dropout = config.number("resid_pdrop").unwrap_or(0.0) > 0.0;
        layer.names = if codegen { &CODEGEN_NAMES } else { &GPTJ_NAMES };
        if codegen {
            layer.attention.projection = Projection::FusedByGroup;
        }
    });
    arch.head.bias = true;
    arch.embedding.dropout = config.number("embd_pdrop").unwrap_or(0.0) > 0.0;
    arch
}

/// Falcon: one key head (7B), a key head for each group (40B, 180B), or a block of the old kind with ALiBi (RW).
fn falcon(config: &Config, model_type: String) -> Arch {
    // Falcon's own config states it; catalogue rows with the usual keys only imply it by the number of key heads.
    let some_heads =
        config.count("num_key_value_heads").is_some_and(|heads| heads > 1 && Some(heads) < config.count("num_attention_heads"));
    let grouped = config.flag("new_decoder_architecture").unwrap_or(some_heads);
    let single = config.flag("multi_query").unwrap_or(true);
    let parallel = config.flag("parallel_attn").unwrap_or(true);
    let alibi = config.flag("alibi").unwrap_or(false);
    decoder(config, model_type, FALCON, |layer, sizes| {
        let bias = config.flag("bias").unwrap_or(false);
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (bias, bias);
        attention.kv_heads = match (grouped, single) {
            (true, _) => sizes.kv_heads(),
            (false, true) => 1,
            (false, false) => sizes.heads,
        };
        attention.projection =
            if grouped || single { Projection::FusedPicked { repeat_kv: grouped } } else { Projection::FusedSlices };
        attention.always_masked = true;
        attention.softmax_fp32 = false;
        attention.alibi = alibi;
        if alibi {
            attention.rotary = None;
        }
        layer.mlp = ungated_mlp(sizes.inner(), bias, activation(config.text("activation"), Activation::Kernel));
        layer.norm = LAYER_NORM;
        let norms = if grouped { config.count("num_ln_in_parallel_attn").unwrap_or(2).clamp(1, 2) } else { 1 };
        layer.order = if grouped || parallel { Order::Parallel { norms, in_place: true } } else { Order::Pre };
        layer.dropout = config.number("hidden_dropout").unwrap_or(0.0) > 0.0;
        layer.names = &FALCON_NAMES;
    })
}
