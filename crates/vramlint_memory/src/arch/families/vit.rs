//! Vision transformers that classify images (transformers 5.23 `modeling_vit.py`, `modeling_deit.py`).

use super::decoder::{decoder, ungated_mlp};
use super::sizes::{LLAMA, Sizes};
use super::{Family, LAYER_NORM, activation};
use crate::arch::{Activation, Arch, ModuleNames, Patches};
use crate::config::{Config, Value};

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["vit"], vit), Family::traced(&["deit"], deit)];

const VIT: Sizes = Sizes { hidden: 768, inner: Some(3072), layers: 12, heads: 12, vocab: 1, tied: true, ..LLAMA };

const NAMES: ModuleNames = ModuleNames {
    qkv: ["attention.q_proj", "attention.k_proj", "attention.v_proj"],
    out: "attention.o_proj",
    up: "mlp.fc1",
    down: "mlp.fc2",
    ..ModuleNames::LLAMA
};

/// ViT: a token for the class before those of the image.
fn vit(config: &Config, model_type: String) -> Arch {
    encoder(config, model_type, 1)
}

/// DeiT: a token for its teacher too.
fn deit(config: &Config, model_type: String) -> Arch {
    encoder(config, model_type, 2)
}

fn encoder(config: &Config, model_type: String, prefix: u64) -> Arch {
    // Images have no vocabulary: one is written so that none is missed.
    let mut sized = config.clone();
    sized.set("vocab_size", Value::Number(1.0));
    let drops = |key: &str| config.number(key).unwrap_or(0.0) > 0.0;
    let mut arch = decoder(&sized, model_type, VIT, |layer, sizes| {
        let attention = &mut layer.attention;
        (attention.qkv_bias, attention.out_bias) = (config.flag("qkv_bias").unwrap_or(true), true);
        attention.rotary = None;
        attention.dropout = drops("attention_probs_dropout_prob");
        layer.mlp = ungated_mlp(sizes.inner(), true, activation(config.text("hidden_act"), Activation::Kernel));
        layer.norm = LAYER_NORM;
        layer.dropout = drops("hidden_dropout_prob");
        layer.names = &NAMES;
    });
    arch.vocab = 0;
    arch.patches = Some(Patches {
        image: side(config, "image_size", 224),
        patch: side(config, "patch_size", 16).max(1),
        channels: config.count("num_channels").unwrap_or(3),
        prefix,
    });
    arch.embedding.dropout = drops("hidden_dropout_prob");
    arch.final_norm = Some(LAYER_NORM);
    arch.causal = false;
    arch
}

/// Pixels along a side: a number, or one for either side.
fn side(config: &Config, key: &str, other: u64) -> u64 {
    let first = || match config.list(key)?.first()? {
        Value::Number(number) => whole(*number),
        _ => None,
    };
    config.count(key).or_else(first).unwrap_or(other)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between the bounds
fn whole(number: f64) -> Option<u64> {
    (1.0..1e6).contains(&number).then_some(number as u64)
}
