//! BERT and its kin.

use super::decoder::{decoder, plain};
use super::sizes::{LLAMA, Sizes};
use super::{LAYER, activation};
use crate::arch::{Activation, Arch, HeadShape, Names, Order, Pooler, Relative};
use crate::config::{Config, Value};

const BERT: Sizes = Sizes { hidden: 768, inner: Some(3072), layers: 12, heads: 12, vocab: 30522, tied: true, ..LLAMA };
const ROBERTA: Sizes = Sizes { vocab: 50265, ..BERT };
const ELECTRA: Sizes = Sizes { hidden: 256, inner: Some(1024), heads: 4, ..BERT };
const DEBERTA: Sizes = Sizes { hidden: 1536, inner: Some(6144), layers: 24, heads: 24, vocab: 128_100, ..BERT };
const DISTILBERT: Sizes = Sizes { layers: 6, ..BERT };

const NAMES: Names = Names {
    qkv: ["attention.self.query", "attention.self.key", "attention.self.value"],
    out: "attention.output.dense",
    up: "intermediate.dense",
    down: "output.dense",
    ..Names::LLAMA
};
const DEBERTA_NAMES: Names =
    Names { qkv: ["attention.self.query_proj", "attention.self.key_proj", "attention.self.value_proj"], ..NAMES };
const DISTILBERT_NAMES: Names = Names {
    qkv: ["attention.q_lin", "attention.k_lin", "attention.v_lin"],
    out: "attention.out_lin",
    up: "ffn.lin1",
    down: "ffn.lin2",
    ..Names::LLAMA
};

/// What all of them share; `late_dropout` where the attention's output is not dropped.
fn encoder(config: &Config, kind: String, defaults: Sizes, names: &'static Names, keys: [&str; 3], late_dropout: bool) -> Arch {
    let [hidden_dropout, attention_dropout, function] = keys;
    let dropout = config.number(hidden_dropout).unwrap_or(0.1) > 0.0;
    let mut arch = decoder(config, kind, defaults, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        attention.rotary = None;
        attention.dropout = config.number(attention_dropout).unwrap_or(0.1) > 0.0;
        attention.softmax_fp32 = false;
        layer.mlp = plain(sizes.inner(), true, activation(config.text(function), Activation::Kernel));
        layer.order = Order::Post { late_dropout, keeps: !late_dropout };
        layer.norm = LAYER;
        layer.dropout = dropout;
        layer.names = names;
    });
    arch.embedding.positions = Some(config.count("max_position_embeddings").unwrap_or(512));
    arch.embedding.norm = Some(LAYER);
    arch.embedding.dropout = dropout;
    arch.embedding.stored_ids = 1;
    arch.final_norm = None;
    arch.causal = false;
    arch.head = HeadShape { bias: true, transform: true, ..arch.head };
    arch
}

const KEYS: [&str; 3] = ["hidden_dropout_prob", "attention_probs_dropout_prob", "hidden_act"];

fn typed(config: &Config, kind: String, defaults: Sizes, types: u64) -> Arch {
    let mut arch = encoder(config, kind, defaults, &NAMES, KEYS, false);
    arch.embedding.types = Some(config.count("type_vocab_size").unwrap_or(types));
    arch.embedding.stored_ids = 2;
    arch
}

/// BERT: the pooler belongs to the model.
pub(super) fn bert(config: &Config, kind: String) -> Arch {
    let mut arch = typed(config, kind, BERT, 2);
    arch.head.pooler = Some(Pooler { early_dropout: false, activation: Activation::Relu, saved: false });
    arch
}

/// RoBERTa and what has its code: XLM-RoBERTa, CamemBERT.
pub(super) fn roberta(config: &Config, kind: String) -> Arch {
    let mut arch = typed(config, kind, ROBERTA, 2);
    arch.embedding.by_row = true;
    arch.head.pooler = Some(Pooler { early_dropout: true, activation: Activation::Relu, saved: true });
    arch
}

/// ELECTRA: embeddings may be narrower than the residual stream.
pub(super) fn electra(config: &Config, kind: String) -> Arch {
    let mut arch = typed(config, kind, ELECTRA, 2);
    arch.embedding.columns = config.count("embedding_size").unwrap_or(128);
    arch.embedding.projection_bias = true;
    arch.head.pooler = Some(Pooler { early_dropout: true, activation: Activation::Kernel, saved: true });
    arch
}

/// DistilBERT: no types, no dropout behind the attention. `pre_classifier` ends as the name that PEFT trains whole.
pub(super) fn distilbert(config: &Config, kind: String) -> Arch {
    let mut arch = encoder(config, kind, DISTILBERT, &DISTILBERT_NAMES, ["dropout", "attention_dropout", "activation"], true);
    arch.head.pooler = Some(Pooler { early_dropout: false, activation: Activation::Relu, saved: true });
    arch
}

/// DeBERTa v2 and v3: distances instead of positions.
pub(super) fn deberta(config: &Config, kind: String) -> Arch {
    let mut arch = encoder(config, kind, DEBERTA, &DEBERTA_NAMES, KEYS, false);
    let rows = config.count("max_position_embeddings").unwrap_or(512);
    if !config.flag("position_biased_input").unwrap_or(true) {
        arch.embedding.positions = None;
    }
    arch.embedding.types = config.count("type_vocab_size").filter(|types| *types > 0);
    arch.embedding.columns = config.count("embedding_size").unwrap_or(arch.hidden);
    let positive = |key: &str| config.count(key).filter(|count| *count > 0);
    let says = |kind: &str| match config.list("pos_att_type") {
        Some(kinds) => kinds.iter().any(|one| matches!(one, Value::Text(text) if text == kind)),
        None => config.text("pos_att_type").is_some_and(|kinds| kinds.split('|').any(|one| one.trim() == kind)),
    };
    let relative = Relative {
        span: positive("position_buckets").or_else(|| positive("max_relative_positions")).unwrap_or(rows),
        shared: config.flag("share_att_key").unwrap_or(false),
        to_positions: says("c2p"),
        from_positions: says("p2c"),
        normed: config.text("norm_rel_ebd").is_some_and(|norms| norms.contains("layer_norm")),
    };
    if config.flag("relative_attention").unwrap_or(false) {
        for (layer, _) in &mut arch.layers {
            layer.attention.relative = Some(relative);
        }
    }
    // A convolution beside the first block (DeBERTa v2 XL); its activations are not followed.
    if let Some(width) = positive("conv_kernel_size") {
        let groups = positive("conv_groups").unwrap_or(1);
        arch.tower = arch.hidden * arch.hidden / groups * width + 3 * arch.hidden;
    }
    arch.head.pooler = Some(Pooler { early_dropout: true, activation: Activation::Kernel, saved: false });
    arch
}
