//! Vision transformers that classify images (transformers 5.23 `modeling_vit.py`, `modeling_deit.py`, `modeling_dinov2.py`).

use super::decoder::{decoder, ungated_mlp};
use super::sizes::{LLAMA, Sizes};
use super::{Family, LAYER_NORM, activation};
use crate::arch::{Activation, Arch, Mlp, ModuleNames, Patches};
use crate::config::{Config, Value};
use crate::estimate::Assumption;

pub(super) const FAMILIES: &[Family] = &[
    Family::traced(&["vit"], vit),
    Family::traced(&["deit"], deit),
    Family::traced(&["dinov2", "dinov2_with_registers"], dinov2),
];

const VIT: Sizes = Sizes { hidden: 768, inner: Some(3072), layers: 12, heads: 12, vocab: 1, tied: true, ..LLAMA };

const NAMES: ModuleNames = ModuleNames {
    qkv: [
        "attention.q_proj|attention.attention.query",
        "attention.k_proj|attention.attention.key",
        "attention.v_proj|attention.attention.value",
    ],
    out: "attention.o_proj|attention.output.dense",
    up: "mlp.fc1|intermediate.dense",
    down: "mlp.fc2|output.dense",
    ..ModuleNames::LLAMA
};
const GATED: ModuleNames = ModuleNames { gate: "mlp.gate_proj", up: "mlp.up_proj", down: "mlp.down_proj", ..NAMES };

/// Pixels along a side of the images that the processors of DINOv2 make, whatever size their tables of positions have.
const DINOV2_IMAGE: u64 = 224;

/// ViT: a token for the class before those of the image.
fn vit(config: &Config, model_type: String) -> Arch {
    encoder(config, model_type, (16, 1))
}

/// DeiT: a token for its teacher too.
fn deit(config: &Config, model_type: String) -> Arch {
    encoder(config, model_type, (16, 2))
}

/// DINOv2: learned vectors scale what is added, positions are interpolated, and a classifier sees the mean of the tokens too.
fn dinov2(config: &Config, model_type: String) -> Arch {
    let mut arch = encoder(config, model_type, (14, 1));
    let ratio = config.number("mlp_ratio").unwrap_or(4.0);
    let inner = columns(arch.hidden, ratio);
    let gated = config.flag("use_swiglu_ffn").unwrap_or(false);
    for (layer, _) in &mut arch.layers {
        layer.scaled_by_vectors = true;
        layer.attention.softmax_fp32 = false;
        layer.mlp = if gated {
            // Two thirds of the columns, in groups of 8.
            let inner = (inner * 2 / 3).div_ceil(8) * 8;
            (layer.names, layer.dropout) = (&GATED, false);
            Mlp::Gated { inner, fused: false, bias: true, activation: Activation::Kernel }
        } else {
            layer.dropout = false;
            ungated_mlp(inner, true, activation(config.text("hidden_act"), Activation::Kernel))
        };
    }
    let registers = if arch.model_type == "dinov2_with_registers" { 4 } else { 0 };
    if let Some(patches) = &mut arch.patches {
        patches.registers = config.count("num_register_tokens").unwrap_or(registers);
        patches.unused = u64::from(config.flag("use_mask_token").unwrap_or(true));
        patches.classifies_mean = true;
        if patches.image > DINOV2_IMAGE {
            patches.image = DINOV2_IMAGE;
            arch.assumptions.push(Assumption {
                en: format!("images have {DINOV2_IMAGE} × {DINOV2_IMAGE} pixels, as the processor of the model makes them"),
                zh: format!("图像为 {DINOV2_IMAGE} × {DINOV2_IMAGE} 像素，即该模型处理器的输出尺寸"),
            });
        }
    }
    arch
}

fn encoder(config: &Config, model_type: String, (patch, prefix): (u64, u64)) -> Arch {
    // Images have no vocabulary, and the width of an MLP may be a ratio: both are written so that none is missed.
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
    let mut patches = Patches {
        image: side(config, "image_size", 224),
        patch: side(config, "patch_size", patch).max(1),
        channels: config.count("num_channels").unwrap_or(3),
        prefix,
        registers: 0,
        positions: 0,
        unused: 0,
        classifies_mean: false,
    };
    patches.positions = patches.tokens();
    arch.patches = Some(patches);
    arch.embedding.dropout = drops("hidden_dropout_prob");
    arch.final_norm = Some(LAYER_NORM);
    arch.causal = false;
    arch
}

/// `int(hidden * ratio)`.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // widths and small ratios
fn columns(hidden: u64, ratio: f64) -> u64 {
    (hidden as f64 * ratio.clamp(0.0, 64.0)) as u64
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
