//! XLNet (transformers 5.23 `modeling_xlnet.py`).

use super::bert::encoder;
use super::sizes::{LLAMA, Sizes};
use super::{Family, activation};
use crate::arch::{Activation, Arch, Dropped, HeadShape, Mlp, ModuleNames, Pooler, Projection};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["xlnet"], read)];

const XLNET: Sizes = Sizes { hidden: 1024, inner: Some(4096), layers: 24, heads: 16, vocab: 32_000, tied: true, ..LLAMA };

const NAMES: ModuleNames = ModuleNames { up: "ff.layer_1", down: "ff.layer_2", ..ModuleNames::LLAMA };

/// XLNet: no tables of positions; contents, distances and segments have scores.
fn read(config: &Config, model_type: String) -> Arch {
    let mut arch = encoder(config, model_type, XLNET, &NAMES, ["dropout", "dropout", "ff_activation"], Dropped::Both);
    let function = activation(config.text("ff_activation"), Activation::Kernel);
    for (layer, _) in &mut arch.layers {
        layer.attention.projection = Projection::Segments;
        (layer.attention.qkv_bias, layer.attention.out_bias) = (false, false);
        if let Mlp::Plain { inner, activation, .. } = &mut layer.mlp {
            *inner = config.count("d_inner").unwrap_or(*inner);
            *activation = function;
        }
    }
    arch.embedding.positions = None;
    arch.embedding.norm = None;
    arch.embedding.id_buffers = 0;
    arch.embedding.unused_rows = 1;
    arch.embedding.dropout_behind = arch.embedding.dropout;
    let pooler = Pooler { dropout_first: false, activation: Activation::Relu, in_modules_to_save: false };
    arch.head = HeadShape { transform: false, pooler: Some(pooler), ..arch.head };
    arch
}
