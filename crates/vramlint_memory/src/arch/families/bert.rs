//! BERT-like encoders.

use super::decoder::{decoder, ungated_mlp};
use super::sizes::{LLAMA, Sizes};
use super::{Family, LAYER_NORM, activation};
use crate::arch::{Activation, Arch, AttentionImpl, Dropped, HeadShape, ModuleNames, Norm, Order, Pooler, Projection, Relative};
use crate::config::{Config, Value};

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["bert"], bert),
    Family::traced(&["ernie"], ernie),
    Family::traced(&["roberta", "xlm-roberta", "camembert", "xlm-roberta-xl", "data2vec-text"], roberta),
    Family::traced(&["electra"], electra),
    Family::traced(&["deberta-v2"], deberta),
    Family::traced(&["deberta"], deberta_v1),
    Family::traced(&["distilbert"], distilbert),
    Family::traced(&["mpnet"], mpnet),
];

pub(super) const BERT: Sizes = Sizes { hidden: 768, inner: Some(3072), layers: 12, heads: 12, vocab: 30522, tied: true, ..LLAMA };
const ROBERTA: Sizes = Sizes { vocab: 50265, ..BERT };
const XLM_ROBERTA_XL: Sizes = Sizes { hidden: 2560, inner: Some(10_240), layers: 36, heads: 32, vocab: 250_880, ..BERT };
const ELECTRA: Sizes = Sizes { hidden: 256, inner: Some(1024), heads: 4, ..BERT };
const DEBERTA: Sizes = Sizes { hidden: 1536, inner: Some(6144), layers: 24, heads: 24, vocab: 128_100, ..BERT };
const MPNET: Sizes = Sizes { vocab: 30527, ..BERT };
const DISTILBERT: Sizes = Sizes { layers: 6, ..BERT };

pub(super) const NAMES: ModuleNames = ModuleNames {
    qkv: ["attention.self.query", "attention.self.key", "attention.self.value"],
    out: "attention.output.dense",
    up: "intermediate.dense",
    down: "output.dense",
    ..ModuleNames::LLAMA
};
const DEBERTA_V1: Sizes = Sizes { vocab: 50265, ..BERT };
const DEBERTA_V1_NAMES: ModuleNames = ModuleNames { fused: "attention.self.in_proj", ..NAMES };
const DEBERTA_NAMES: ModuleNames =
    ModuleNames { qkv: ["attention.self.query_proj", "attention.self.key_proj", "attention.self.value_proj"], ..NAMES };
const MPNET_NAMES: ModuleNames =
    ModuleNames { qkv: ["attention.attn.q", "attention.attn.k", "attention.attn.v"], out: "attention.attn.o", ..NAMES };
const DISTILBERT_NAMES: ModuleNames = ModuleNames {
    qkv: ["attention.q_lin", "attention.k_lin", "attention.v_lin"],
    out: "attention.out_lin",
    up: "ffn.lin1",
    down: "ffn.lin2",
    ..ModuleNames::LLAMA
};

/// Common to all of them.
pub(super) fn encoder(
    config: &Config,
    model_type: String,
    defaults: Sizes,
    names: &'static ModuleNames,
    keys: [&str; 3],
    dropped: Dropped,
) -> Arch {
    let [hidden_dropout, attention_dropout, function] = keys;
    let dropout = config.number(hidden_dropout).unwrap_or(0.1) > 0.0;
    let mut arch = decoder(config, model_type, defaults, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (true, true);
        attention.rotary = None;
        attention.dropout = config.number(attention_dropout).unwrap_or(0.1) > 0.0;
        attention.softmax_fp32 = false;
        layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text(function), Activation::Kernel));
        layer.order = Order::Post { dropped, keeps_activation: dropped == Dropped::Both };
        layer.norm = LAYER_NORM;
        layer.dropout = dropout;
        layer.names = names;
    });
    arch.embedding.positions = Some(config.count("max_position_embeddings").unwrap_or(512));
    arch.embedding.norm = Some(LAYER_NORM);
    arch.embedding.dropout = dropout;
    arch.embedding.id_buffers = 1;
    arch.final_norm = None;
    arch.causal = false;
    let transform_activation = activation(config.text(function), Activation::Kernel);
    arch.head = HeadShape { bias: true, transform: true, transform_activation, ..arch.head };
    arch
}

pub(super) const KEYS: [&str; 3] = ["hidden_dropout_prob", "attention_probs_dropout_prob", "hidden_act"];

fn typed(config: &Config, model_type: String, defaults: Sizes, types: u64) -> Arch {
    let mut arch = encoder(config, model_type, defaults, &NAMES, KEYS, Dropped::Both);
    arch.embedding.types = Some(config.count("type_vocab_size").unwrap_or(types));
    arch.embedding.id_buffers = 2;
    arch
}

/// BERT: the pooler belongs to the model.
fn bert(config: &Config, model_type: String) -> Arch {
    let mut arch = typed(config, model_type, BERT, 2);
    arch.head.pooler = Some(Pooler { dropout_first: false, activation: Activation::Relu, in_modules_to_save: false });
    arch
}

/// ERNIE 1 to 3: a BERT with embeddings of kinds of tasks.
fn ernie(config: &Config, model_type: String) -> Arch {
    let mut arch = bert(config, model_type);
    let rows = config.count("task_type_vocab_size").unwrap_or(3);
    arch.embedding.tasks = config.flag("use_task_id").unwrap_or(false).then_some(rows);
    arch
}

/// RoBERTa and what has its code: XLM-RoBERTa, CamemBERT.
fn roberta(config: &Config, model_type: String) -> Arch {
    let sizes = match model_type.as_str() {
        "xlm-roberta" => BERT,
        "xlm-roberta-xl" => XLM_ROBERTA_XL,
        _ => ROBERTA,
    };
    let mut arch = typed(config, model_type, sizes, 2);
    arch.embedding.positions_per_sequence = true;
    arch.head.pooler = Some(Pooler { dropout_first: true, activation: Activation::Relu, in_modules_to_save: true });
    arch
}

/// ELECTRA: embeddings may be narrower than the residual stream.
fn electra(config: &Config, model_type: String) -> Arch {
    let mut arch = typed(config, model_type, ELECTRA, 2);
    arch.embedding.columns = config.count("embedding_size").unwrap_or(128);
    arch.embedding.projection_bias = true;
    arch.head.pooler = Some(Pooler { dropout_first: true, activation: Activation::Kernel, in_modules_to_save: true });
    arch
}

/// DistilBERT: no token types, no dropout after the attention. PEFT trains a full copy of `pre_classifier`, whose name ends in `classifier`.
fn distilbert(config: &Config, model_type: String) -> Arch {
    let mut arch =
        encoder(config, model_type, DISTILBERT, &DISTILBERT_NAMES, ["dropout", "attention_dropout", "activation"], Dropped::Mlp);
    arch.head.pooler = Some(Pooler { dropout_first: false, activation: Activation::Relu, in_modules_to_save: true });
    arch
}

/// MPNet: no token types; a bias by distance, which all blocks share.
fn mpnet(config: &Config, model_type: String) -> Arch {
    let mut arch = encoder(config, model_type, MPNET, &MPNET_NAMES, KEYS, Dropped::Both);
    let buckets = config.count("relative_attention_num_buckets").unwrap_or(32);
    for (layer, _) in &mut arch.layers {
        layer.attention.implementation = AttentionImpl::SharedBias { buckets };
    }
    arch.embedding.positions_per_sequence = true;
    arch.head.pooler = Some(Pooler { dropout_first: true, activation: Activation::Relu, in_modules_to_save: true });
    arch
}

/// DeBERTa v2 and v3: distances instead of positions.
fn deberta(config: &Config, model_type: String) -> Arch {
    let mut arch = encoder(config, model_type, DEBERTA, &DEBERTA_NAMES, KEYS, Dropped::Both);
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
        fused: false,
    };
    if config.flag("relative_attention").unwrap_or(false) {
        for (layer, _) in &mut arch.layers {
            layer.attention.relative = Some(relative);
        }
    }
    // A convolution next to the first block (DeBERTa v2 XL); its activations are not simulated.
    if let Some(width) = positive("conv_kernel_size") {
        let groups = positive("conv_groups").unwrap_or(1);
        arch.unsimulated_parameters = arch.hidden * arch.hidden / groups * width + 3 * arch.hidden;
    }
    arch.head.pooler = Some(Pooler { dropout_first: true, activation: Activation::Kernel, in_modules_to_save: false });
    arch
}

/// The first version of DeBERTa: one matrix for queries, keys and values, norms written in Python.
fn deberta_v1(config: &Config, model_type: String) -> Arch {
    let mut arch = deberta(config, model_type);
    let read = Sizes::read(DEBERTA_V1, config, &mut Vec::new());
    arch.vocab = read.vocab;
    for (layer, _) in &mut arch.layers {
        layer.norm = Norm::LayerDeberta;
        layer.names = &DEBERTA_V1_NAMES;
        layer.attention.projection = Projection::Fused;
        layer.attention.qkv_bias = false;
        layer.attention.relative =
            layer.attention.relative.map(|own| Relative { fused: true, shared: false, normed: false, ..own });
    }
    arch.embedding.norm = Some(Norm::LayerDeberta);
    arch
}
