//! OLMo of Ai2, and EXAONE 4 that joins its blocks as OLMo 2 does.

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Arch, Norm, Order, QkNorm, Rotary, RotaryTables};
use crate::config::Config;

pub(super) const FAMILIES: &[Family] =
    &[Family::traced(&["olmo"], olmo), Family::traced(&["olmo2", "olmo3"], olmo2), Family::untraced(&["exaone4"], exaone4)];

const OLMO: Sizes = Sizes { vocab: 50304, ..LLAMA };
const EXAONE: Sizes = Sizes { inner: Some(16384), kv_heads: Some(32), vocab: 102_400, ..LLAMA };

/// The first: norms without weights, rotary in fp32.
fn olmo(config: &Config, model_type: String) -> Arch {
    decoder(config, model_type, OLMO, |layer, sizes| {
        layer.norm = Norm::LayerNoAffine;
        layer.attention.rotary = Some(Rotary { tables: RotaryTables::Fp32, ..Rotary::usual(sizes.head_dim()) });
    })
}

/// OLMo 2 and 3: norms after both halves and over all queries and keys; in OLMo 3, three of four blocks slide.
fn olmo2(config: &Config, model_type: String) -> Arch {
    let third = model_type == "olmo3";
    let mut arch = decoder(config, model_type, OLMO, |layer, sizes| {
        let norm = Norm::RmsOlmo2 { cast: false };
        layer.norm = norm;
        layer.order = Order::PostInResidual;
        layer.attention.qk_norm = Some(QkNorm { norm, per_head: false, after_rotary: false });
        layer.attention.rotary = Some(Rotary { tables: RotaryTables::Fp32, ..Rotary::usual(sizes.head_dim()) });
    });
    if third {
        let window = sliding_window(config, Some(4096));
        let slides = sliding_blocks(config, arch.layers(), |number| !(number + 1).is_multiple_of(4));
        for_each_block(&mut arch, |number, layer| {
            layer.attention.window = window.filter(|_| slides[number]);
            layer.attention.rotary = layer.attention.rotary.map(|rotary| Rotary { local: slides[number], ..rotary });
        });
    }
    arch
}

/// EXAONE 4: if some blocks slide, the others have no rotary embedding.
fn exaone4(config: &Config, model_type: String) -> Arch {
    let mut arch = decoder(config, model_type, EXAONE, |layer, _| {
        layer.order = Order::PostInResidual;
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, after_rotary: false });
        (layer.attention.qkv_bias, layer.attention.out_bias) = (false, false);
    });
    if let Some(window) = sliding_window(config, Some(4096)) {
        // Written as a number, or (in files that also list the layers) as `LLLG`.
        let pattern = config.count("sliding_window_pattern").unwrap_or(4).max(1);
        let slides = sliding_blocks(config, arch.layers(), |number| !(number + 1).is_multiple_of(pattern));
        for_each_block(&mut arch, |number, layer| {
            if slides[number] {
                layer.attention.window = Some(window);
            } else {
                layer.attention.rotary = None;
            }
        });
    }
    arch
}
