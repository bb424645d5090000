//! Granite 4: those without state-space blocks and without experts are Granite with gate and up in one matrix (transformers 5.23
//! `modeling_granitemoehybrid.py`).

use super::decoder::decoder;
use super::sizes::LLAMA;
use super::undescribed::state_space;
use super::{Family, activation};
use crate::arch::{Activation, Arch, Mlp, ModuleNames};
use crate::config::{Config, Value};

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["granitemoehybrid"], granite4)];

const NAMES: ModuleNames =
    ModuleNames { gate: "shared_mlp.input_linear", down: "shared_mlp.output_linear", ..ModuleNames::LLAMA };

fn granite4(config: &Config, model_type: String) -> Arch {
    let blocks = config.list("layer_types").or_else(|| config.list("layers_block_type")).unwrap_or_default();
    let attends = |block: &Value| matches!(block, Value::Text(kind) if !kind.contains("mamba") && !kind.contains("linear"));
    let described = config.count("num_local_experts") == Some(0) && !blocks.is_empty() && blocks.iter().all(attends);
    let why = (!described).then(|| state_space(&model_type));
    let turned = config.text("position_embedding_type") == Some("rope");
    let mut arch = decoder(config, model_type, LLAMA, |layer, _| {
        layer.scaled = true;
        layer.names = &NAMES;
        layer.mlp = Mlp::Gated {
            inner: config.count("shared_intermediate_size").unwrap_or(1024),
            fused: true,
            bias: false,
            activation: activation(config.text("hidden_act"), Activation::Kernel),
        };
        layer.attention.rotary = layer.attention.rotary.filter(|_| turned);
    });
    arch.embedding.scaled = true;
    arch.head.scaled = true;
    arch.undescribed = why;
    arch
}
