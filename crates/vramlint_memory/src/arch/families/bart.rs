//! BART and its kin: an encoder and a decoder with embeddings of positions.

use super::decoder::{decoder, ungated_mlp};
use super::sizes::Sizes;
use super::{Family, LAYER_NORM, activation};
use crate::arch::{Activation, Arch, Decoder, Dropped, ModuleNames, Order, PositionStacks, Positions, Stacks};
use crate::config::Config;
use crate::estimate::Assumption;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["bart", "mbart", "pegasus", "marian", "m2m_100"], read)];

/// `BartConfig` and `MBartConfig`.
const BART: Sizes =
    Sizes { hidden: 1024, inner: Some(4096), layers: 12, heads: 16, kv_heads: None, head_dim: None, vocab: 50265, tied: true };

const NAMES: ModuleNames = ModuleNames { out: "self_attn.out_proj", up: "fc1", down: "fc2", ..ModuleNames::LLAMA };

/// Keys of one stack, under the names that decoders have.
const KEYS: [(&str, &str); 3] =
    [("layers", "num_hidden_layers"), ("attention_heads", "num_attention_heads"), ("ffn_dim", "intermediate_size")];

/// What a family is beside the sizes (transformers 5.23, `modeling_bart.py` and those of the others).
struct Kind {
    positions: Positions,
    /// Rows of the table beyond the longest sequence.
    offset: u64,
    embedding_norm: bool,
    norms_first: bool,
    logits_bias: bool,
    vocab: u64,
    function: Activation,
}

impl Kind {
    fn of(model_type: &str) -> Self {
        let bart = Self {
            positions: Positions::Learned,
            offset: 2,
            embedding_norm: true,
            norms_first: false,
            logits_bias: true,
            vocab: BART.vocab,
            function: Activation::Kernel,
        };
        let sinusoidal = Self { positions: Positions::Frozen, offset: 0, embedding_norm: false, ..bart };
        match model_type {
            "mbart" => Self { norms_first: true, ..bart },
            "pegasus" => Self { norms_first: true, ..sinusoidal },
            "marian" => Self { vocab: 58101, ..sinusoidal },
            "m2m_100" => Self {
                positions: Positions::Buffer,
                embedding_norm: false,
                norms_first: true,
                logits_bias: false,
                vocab: 128_112,
                function: Activation::Relu,
                ..bart
            },
            _ => bart,
        }
    }
}

/// BART, mBART, Pegasus, Marian, M2M100.
fn read(config: &Config, model_type: String) -> Arch {
    let kind = Kind::of(&model_type);
    let drops = |key: &str, other: f64| config.number(key).unwrap_or(other) > 0.0;
    let stack = |side: &str| {
        let mut own = config.clone();
        for (key, usual) in KEYS {
            if let Some(count) = config.get(&format!("{side}_{key}")) {
                own.set(usual, count.clone());
            }
        }
        decoder(&own, String::new(), Sizes { vocab: kind.vocab, ..BART }, |layer, sizes| {
            let attention = &mut layer.attention;
            (attention.qkv_bias, attention.out_bias) = (true, true);
            attention.rotary = None;
            attention.softmax_fp32 = false;
            attention.dropout = drops("attention_dropout", 0.0);
            layer.dropout = drops("dropout", 0.1);
            layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text("activation_function"), kind.function));
            layer.norm = LAYER_NORM;
            layer.order =
                if kind.norms_first { Order::Pre } else { Order::Post { dropped: Dropped::Both, keeps_activation: false } };
            layer.names = &NAMES;
        })
    };
    let mut arch = stack("encoder");
    arch.model_type = model_type;
    let of_decoder = stack("decoder");
    let Some((layer, blocks)) = of_decoder.layers.first().copied() else { return arch };
    let rows = config.count("max_position_embeddings").unwrap_or(1024) + kind.offset;
    let stacks = PositionStacks {
        positions: kind.positions,
        rows,
        embedding_norm: kind.embedding_norm.then_some(LAYER_NORM),
        final_norm: kind.norms_first.then_some(LAYER_NORM),
        activation_dropout: drops("activation_dropout", 0.0),
        logits_bias: kind.logits_bias,
        clamps_fp16: kind.norms_first,
        caches: arch.model_type == "m2m_100",
    };
    arch.decoder = Some(Decoder { layer, blocks, stacks: Stacks::Positions(stacks) });
    arch.embedding.positions = (kind.positions != Positions::Buffer).then_some(rows);
    arch.embedding.norm = stacks.embedding_norm;
    arch.embedding.dropout = layer.dropout;
    arch.final_norm = stacks.final_norm;
    arch.causal = false;
    if config.flag("share_encoder_decoder_embeddings") == Some(false) {
        arch.undescribed = Some(Assumption {
            en: "estimates do not describe Marian models whose encoder and decoder have vocabularies of their own".to_owned(),
            zh: "估算尚未覆盖编码器与解码器各有词表的 Marian 模型".to_owned(),
        });
    }
    arch
}
