//! T5, mT5 and FLAN-T5: an encoder and a decoder with biases by distance.

use super::Family;
use super::activation;
use super::decoder::{decoder, ungated_mlp};
use super::sizes::Sizes;
use crate::arch::{Activation, Arch, Decoder, Mlp, ModuleNames, Norm, Stacks};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["t5", "mt5", "umt5", "longt5"], read)];

const T5: Sizes =
    Sizes { hidden: 512, inner: Some(2048), layers: 6, heads: 8, kv_heads: None, head_dim: Some(64), vocab: 32128, tied: true };

/// `MT5Config` and `UMT5Config`.
const MT5: Sizes = Sizes { inner: Some(1024), layers: 8, heads: 6, vocab: 250_112, ..T5 };

const NAMES: ModuleNames = ModuleNames {
    qkv: ["SelfAttention.q", "SelfAttention.k", "SelfAttention.v"],
    out: "SelfAttention.o",
    gate: "DenseReluDense.wi_0",
    up: "DenseReluDense.wi_1",
    down: "DenseReluDense.wo",
    ..ModuleNames::LLAMA
};
const PLAIN_NAMES: ModuleNames = ModuleNames { up: "DenseReluDense.wi", ..NAMES };

/// T5, mT5, UMT5, LongT5.
fn read(config: &Config, model_type: String) -> Arch {
    let (sizes, function) = if model_type.ends_with("mt5") { (MT5, "gated-gelu") } else { (T5, "relu") };
    let written = config.text("feed_forward_proj").unwrap_or(function).to_owned();
    let mut arch = decoder(config, model_type, sizes, |layer, sizes| {
        let attention = &mut layer.attention;
        attention.head_dim = config.count("d_kv").filter(|columns| *columns > 0).unwrap_or(64);
        attention.value_dim = attention.head_dim;
        attention.kv_heads = attention.heads;
        (attention.qkv_bias, attention.out_bias) = (false, false);
        attention.rotary = None;
        attention.softmax_fp32 = false;
        layer.dropout = config.number("dropout_rate").unwrap_or(0.1) > 0.0;
        attention.dropout = layer.dropout;
        // T5 1.1 means the approximation by `gated-gelu` (transformers 5.23, `configuration_t5.py`).
        let gated = written.strip_prefix("gated-");
        let function = match gated {
            Some("gelu") => Activation::GeluNew,
            other => activation(other.or(Some(&written)), Activation::Relu),
        };
        let inner = sizes.inner();
        layer.mlp = match gated {
            Some(_) => Mlp::Gated { inner, fused: false, bias: false, activation: function },
            None => ungated_mlp(inner, false, function),
        };
        layer.norm = Norm::RmsT5;
        layer.names = if gated.is_some() { &NAMES } else { &PLAIN_NAMES };
    });
    let Some((layer, encoder)) = arch.layers.first().copied() else { return arch };
    let blocks = config.count("num_decoder_layers").unwrap_or(encoder);
    let buckets = config.count("relative_attention_num_buckets").unwrap_or(32);
    arch.decoder = Some(Decoder { layer, blocks, stacks: Stacks::Distances { buckets } });
    arch.embedding.dropout = layer.dropout;
    // transformers 5.23 always ties the head; the config key only decides whether T5 scales the head's input.
    let said = config.flag("scale_decoder_outputs").or(config.flag("tie_word_embeddings")).unwrap_or(true);
    arch.head.scaled = said && arch.model_type == "t5";
    arch.head.tied = true;
    arch
}
