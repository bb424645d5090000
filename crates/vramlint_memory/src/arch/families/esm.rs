//! ESM-2: an encoder of proteins with rotary embeddings and norms before both halves (transformers 5.23 `modeling_esm.py`).

use super::bert::{BERT, KEYS, NAMES, encoder};
use super::sizes::Sizes;
use super::{Family, LAYER_NORM};
use crate::arch::{Activation, Arch, Dropped, HeadShape, Mlp, Order, Pooler, Rotary, RotaryTables};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["esm"], read)];

const ESM: Sizes = Sizes { vocab: 33, ..BERT };

/// ESM: the first version has learned positions.
fn read(config: &Config, model_type: String) -> Arch {
    let mut arch = encoder(config, model_type, ESM, &NAMES, KEYS, Dropped::Both);
    let rotates = config.text("position_embedding_type") == Some("rotary");
    for (layer, _) in &mut arch.layers {
        layer.order = Order::Pre;
        layer.attention.scales_queries_first = true;
        let usual = Rotary::usual(layer.attention.head_dim);
        layer.attention.rotary = rotates.then_some(Rotary { fp32: true, tables: RotaryTables::CastTwice, ..usual });
        if let Mlp::Plain { activation, .. } = &mut layer.mlp {
            *activation = Activation::EsmGelu;
        }
    }
    if rotates {
        arch.embedding.positions = None;
    }
    arch.embedding.positions_per_sequence = true;
    arch.embedding.norm = config.flag("emb_layer_norm_before").unwrap_or(false).then_some(LAYER_NORM);
    arch.embedding.drops_tokens = config.flag("token_dropout").unwrap_or(false);
    arch.embedding.dropout = false;
    arch.final_norm = Some(LAYER_NORM);
    let pooler = Pooler { dropout_first: true, activation: Activation::Relu, in_modules_to_save: true };
    arch.head = HeadShape { transform_activation: Activation::EsmGelu, pooler: Some(pooler), ..arch.head };
    arch
}
