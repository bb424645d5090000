//! BERT and its kin.

use super::decoder::{decoder, plain};
use super::sizes::{LLAMA, Sizes};
use super::{LAYER, activation};
use crate::arch::{Activation, Arch, HeadShape, Names, Order, Pooler};
use crate::config::Config;

const BERT: Sizes = Sizes { hidden: 768, inner: Some(3072), layers: 12, heads: 12, vocab: 30522, tied: true, ..LLAMA };
const ROBERTA: Sizes = Sizes { vocab: 50265, ..BERT };
const ELECTRA: Sizes = Sizes { hidden: 256, inner: Some(1024), heads: 4, ..BERT };
const DISTILBERT: Sizes = Sizes { layers: 6, ..BERT };

pub(super) const NAMES: Names = Names {
    qkv: ["attention.self.query", "attention.self.key", "attention.self.value"],
    out: "attention.output.dense",
    up: "intermediate.dense",
    down: "output.dense",
    ..Names::LLAMA
};
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
        layer.order = Order::Post { late_dropout };
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

/// DistilBERT: no types, no dropout behind the attention.
pub(super) fn distilbert(config: &Config, kind: String) -> Arch {
    let mut arch = encoder(config, kind, DISTILBERT, &DISTILBERT_NAMES, ["dropout", "attention_dropout", "activation"], true);
    arch.head.pooler = Some(Pooler { early_dropout: false, activation: Activation::Relu, saved: false });
    arch
}
