//! A substitute architecture for a model of which only the size is known.

use super::llama;
use crate::arch::{Arch, Certainty};
use crate::config::Config;
use crate::estimate::Assumption;

/// A Llama with about this many parameters: the proportions of the released sizes.
pub(in crate::arch) fn from_parameter_count(parameters: u64) -> Arch {
    // Hidden width, layers, heads, key heads, inner width, vocabulary of released models, by size.
    const SIZES: &[(u64, u64, u64, u64, u64, u64)] = &[
        (768, 12, 12, 12, 2048, 32000),
        (1024, 24, 16, 8, 2816, 64000),
        (2048, 16, 32, 8, 8192, 128_256),
        (3072, 28, 24, 8, 8192, 128_256),
        (4096, 32, 32, 8, 14336, 128_256),
        (5120, 40, 40, 8, 13824, 128_256),
        (5120, 64, 40, 8, 27648, 152_064),
        (8192, 80, 64, 8, 28672, 128_256),
        (16384, 126, 128, 8, 53248, 128_256),
    ];
    let mut best: Option<(u64, Arch)> = None;
    for (hidden, layers, heads, kv_heads, inner, vocab) in SIZES {
        let mut config = Config::default();
        #[allow(clippy::cast_precision_loss)] // small counts
        for (key, value) in [
            ("hidden_size", *hidden),
            ("num_hidden_layers", *layers),
            ("num_attention_heads", *heads),
            ("num_key_value_heads", *kv_heads),
            ("intermediate_size", *inner),
            ("vocab_size", *vocab),
        ] {
            config.set(key, crate::config::Value::Number(value as f64));
        }
        let mut arch = llama::llama(&config, "llama".to_owned());
        // Layers take up the remaining parameters, so the total is off by less than a layer; the rest are unsimulated parameters.
        let one = crate::arch::parameter_count::layer(&arch.layers[0].0, *hidden);
        let rest = arch.parameters() - one * layers;
        let fitting = (parameters.saturating_sub(rest) / one).max(1);
        let off = fitting.abs_diff(*layers) * 1000 / layers;
        arch.layers[0].1 = fitting;
        if best.as_ref().is_none_or(|(least, _)| off < *least) {
            best = Some((off, arch));
        }
    }
    let (_, mut arch) = best.unwrap_or_else(|| unreachable!("the table is not empty"));
    arch.unsimulated_parameters = parameters.saturating_sub(arch.parameters());
    arch.certainty = Certainty::ParameterCount;
    arch.assumptions = vec![Assumption {
        en: format!("only the parameter count is known: assuming a Llama with {} layers of width {}", arch.layers(), arch.hidden),
        zh: format!("只知道参数量：按 {} 层、宽度 {} 的 Llama 结构估算", arch.layers(), arch.hidden),
    }];
    arch
}
