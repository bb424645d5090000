//! Gemma 3n: streams of hidden states, inputs of each block, keys and values that later blocks borrow, MLPs of which most is zero
//! (transformers 5.23 `modeling_gemma3n.py`).

use super::Family;
use super::decoder::{decoder, for_each_block, sliding_blocks, sliding_window};
use super::gemma::cap;
use super::gemma4::key_states;
use super::qwen_moe::number;
use super::sizes::Sizes;
use crate::arch::{Activation, Arch, Mlp, Norm, Order, OwnInput, Projection, QkNorm};
use crate::config::{Config, Value};

pub(super) const FAMILIES: &[Family] = &[Family::traced(&["gemma3n_text"], read)];

/// What the parts that see and hear have in the published sizes, with what joins them to the text: what the checkpoints hold beside the
/// text, keys of borrowing blocks left out.
pub(super) const TOWERS: u64 = 983_281_504;

const GEMMA3N: Sizes = Sizes {
    hidden: 2048,
    inner: Some(16384),
    layers: 35,
    heads: 8,
    kv_heads: Some(2),
    head_dim: Some(256),
    vocab: 262_400,
    tied: true,
};

fn read(config: &Config, model_type: String) -> Arch {
    let count = |key: &str, other: u64| config.count(key).unwrap_or(other);
    let columns = count("hidden_size_per_layer_input", 256);
    let mut arch = decoder(config, model_type, GEMMA3N, |layer, _| {
        layer.norm = Norm::RmsGemma4;
        layer.order = Order::Alternating { streams: count("altup_num_inputs", 4).max(1), rank: count("laurel_rank", 64) };
        layer.attention.qk_norm = Some(QkNorm { norm: Norm::RmsGemma4, per_head: true, after_rotary: false });
        layer.own_input = Some(OwnInput { columns });
    });
    arch.embedding.scaled = true;
    arch.embedding.per_layer_rows = Some(count("vocab_size_per_layer_input", 262_144));
    arch.head.softcap = cap(config, "final_logit_softcapping", true);
    let window = sliding_window(config, Some(512));
    let slides = sliding_blocks(config, arch.layers(), |block| !(block + 1).is_multiple_of(5));
    let keys = key_states(&slides, count("num_kv_shared_layers", 15));
    let widths: Vec<u64> = config.list("intermediate_size").unwrap_or_default().iter().filter_map(number).collect();
    let sparse = sparse_blocks(config, slides.len());
    for_each_block(&mut arch, |block, layer| {
        let attention = &mut layer.attention;
        attention.window = window.filter(|_| slides[block]);
        attention.projection = Projection::Lent { keys: keys[block], values_are_keys: false };
        attention.rotary = attention.rotary.map(|mut rotary| {
            rotary.local = slides[block];
            rotary
        });
        if let Mlp::Gated { inner, activation, .. } = &mut layer.mlp {
            *inner = widths.get(block).copied().unwrap_or(*inner);
            if sparse.get(block) == Some(&true) {
                *activation = Activation::GaussianTopK;
            }
        }
    });
    arch
}

/// Which blocks keep only the highest of their gates: as listed, or the first ten.
fn sparse_blocks(config: &Config, blocks: usize) -> Vec<bool> {
    match config.get("activation_sparsity_pattern") {
        Some(Value::Number(share)) => vec![*share > 0.0; blocks],
        Some(Value::List(shares)) => shares.iter().map(|share| matches!(share, Value::Number(share) if *share > 0.0)).collect(),
        _ => (0..blocks).map(|block| block < 10).collect(),
    }
}
