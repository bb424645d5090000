//! OLMo of Ai2, and EXAONE 4 that joins its blocks as OLMo 2 does.

use super::decoder::{decoder, each, slides, window};
use super::sizes::{LLAMA, Sizes};
use crate::arch::{Arch, Norm, Order, QkNorm, Rotary, Tables};
use crate::config::Config;

const OLMO: Sizes = Sizes { vocab: 50304, ..LLAMA };
const EXAONE: Sizes = Sizes { inner: Some(16384), kv_heads: Some(32), vocab: 102_400, ..LLAMA };

/// The first: norms without weights, rotary in fp32.
pub(super) fn olmo(config: &Config, kind: String) -> Arch {
    decoder(config, kind, OLMO, |layer, sizes| {
        layer.norm = Norm::LayerBare;
        layer.attention.rotary = Some(Rotary { tables: Tables::Wide, ..Rotary::usual(sizes.head_dim()) });
    })
}

/// The second and third: norms behind both halves and over all queries and keys; in the third, three of four blocks slide.
pub(super) fn olmo2(config: &Config, kind: String) -> Arch {
    let third = kind == "olmo3";
    let mut arch = decoder(config, kind, OLMO, |layer, sizes| {
        let norm = Norm::RmsLate { cast: false };
        layer.norm = norm;
        layer.order = Order::Behind;
        layer.attention.qk_norm = Some(QkNorm { norm, per_head: false, late: false });
        layer.attention.rotary = Some(Rotary { tables: Tables::Wide, ..Rotary::usual(sizes.head_dim()) });
    });
    if third {
        let window = window(config, Some(4096));
        let slides = slides(config, arch.layers(), |number| !(number + 1).is_multiple_of(4));
        each(&mut arch, |number, layer| {
            layer.attention.window = window.filter(|_| slides[number]);
            layer.attention.rotary = layer.attention.rotary.map(|rotary| Rotary { local: slides[number], ..rotary });
        });
    }
    arch
}

/// EXAONE 4: where blocks slide, the others do not turn queries and keys.
pub(super) fn exaone4(config: &Config, kind: String) -> Arch {
    let mut arch = decoder(config, kind, EXAONE, |layer, _| {
        layer.order = Order::Behind;
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::Rms, per_head: true, late: false });
        (layer.attention.qkv_bias, layer.attention.out_bias) = (false, false);
    });
    if let Some(window) = window(config, Some(4096)) {
        // Written as a number, or (in files that also list the layers) as `LLLG`.
        let pattern = config.count("sliding_window_pattern").unwrap_or(4).max(1);
        let slides = slides(config, arch.layers(), |number| !(number + 1).is_multiple_of(pattern));
        each(&mut arch, |number, layer| {
            if slides[number] {
                layer.attention.window = Some(window);
            } else {
                layer.attention.rotary = None;
            }
        });
    }
    arch
}
