//! Parameters of an architecture.

use super::{
    Activation, Arch, Attention, Experts, KeyStates, Layer, Mlp, Norm, Order, Positions, Projection, QkNorm, Relative, Router,
    Stacks,
};

/// Weights of one norm over `columns`.
pub(super) fn norm(norm: Norm, columns: u64) -> u64 {
    match norm {
        Norm::Rms | Norm::RmsGemma | Norm::RmsOlmo2 { .. } | Norm::RmsT5 | Norm::RmsGemma4 | Norm::LayerCohere => columns,
        Norm::LayerNoAffine | Norm::RmsNoWeight => 0,
        Norm::LayerPlusOne | Norm::LayerDeberta => 2 * columns,
        Norm::Layer { weight, bias } => columns * (u64::from(weight) + u64::from(bias)),
    }
}

fn attention(a: &Attention, hidden: u64) -> u64 {
    let (q, k, v) = (a.heads * a.head_dim, a.kv_heads * a.head_dim, a.kv_heads * a.value_dim);
    let bias = if a.qkv_bias { q + k + v } else { 0 } + if a.out_bias { hidden } else { 0 };
    let norms = a.qk_norm.map_or(
        0,
        |QkNorm { norm: n, per_head, .. }| {
            if per_head { norm(n, a.head_dim) * 2 } else { norm(n, q) + norm(n, k) }
        },
    );
    let sinks = if a.sinks { a.heads } else { 0 };
    let out = a.heads * a.value_dim * hidden;
    match a.projection {
        Projection::Latent { query_rank, kv_rank, rope_dim } => {
            let queries = query_rank.map_or(hidden * q, |rank| hidden * rank + rank + rank * q);
            let nope = a.head_dim.saturating_sub(rope_dim);
            queries + hidden * (kv_rank + rope_dim) + kv_rank + kv_rank * a.heads * (nope + a.value_dim) + out + bias
        }
        Projection::Lent { keys, values_are_keys } => {
            let borrowed = keys == KeyStates::Borrowed;
            let sides = if borrowed { 0 } else { k + if values_are_keys { 0 } else { v } };
            let normed = a.head_dim * if borrowed { 1 } else { 2 };
            hidden * (q + sides) + out + bias + normed
        }
        // Five matrices, three biases and two segments.
        Projection::Segments => 5 * hidden * hidden + 5 * hidden,
        Projection::Convolution { taps, bias } => 4 * hidden * hidden + hidden * taps + if bias { 5 * hidden } else { 0 },
        _ => hidden * (q + k + v) + out + bias + norms + sinks + a.relative.map_or(0, |relative| distances(&relative, hidden, q)),
    }
}

/// Projections of distances that a block has for itself.
fn distances(relative: &Relative, hidden: u64, columns: u64) -> u64 {
    let own = u64::from(relative.to_positions) + u64::from(relative.from_positions);
    if relative.fused {
        // Two biases of contents; one projection of distances has a bias.
        return own * hidden * columns + 2 * columns + if relative.from_positions { columns } else { 0 };
    }
    if relative.shared { 0 } else { own * (hidden * columns + columns) }
}

fn mlp(m: &Mlp, hidden: u64) -> u64 {
    match *m {
        Mlp::Gated { inner, bias, .. } => 3 * hidden * inner + if bias { 2 * inner + hidden } else { 0 },
        Mlp::Plain { inner, bias, activation } => {
            // xIELU trains two scalars.
            let own = if activation == Activation::Xielu { 2 } else { 0 };
            2 * hidden * inner + if bias { inner + hidden } else { 0 } + own
        }
        Mlp::Experts(Experts { count, inner, shared, bias, router, .. }) => {
            let each = 3 * hidden * inner + if bias { 2 * inner + hidden } else { 0 };
            let shared = shared.map_or(0, |expert| 3 * hidden * expert.inner + if expert.gate { hidden } else { 0 });
            // A bias of the router, or a correction of its choice that is a parameter.
            let own = if bias || router == Router::BiasCorrected { count } else { 0 };
            count * each + count * hidden + own + shared
        }
    }
}

/// Norms of one block.
pub(super) fn norms(order: Order) -> u64 {
    match order {
        Order::Pre | Order::Post { .. } | Order::PostInResidual => 2,
        Order::PreSkipFirst => 1,
        Order::Sandwich | Order::Alternating { .. } => 4,
        Order::Parallel { norms, .. } => norms,
    }
}

/// What predicts and corrects streams, and the residual beside attention.
fn alternating(order: Order, hidden: u64) -> u64 {
    let Order::Alternating { streams, rank } = order else { return 0 };
    hidden + streams.pow(2) + streams.pow(3) + hidden * streams + hidden + 2 * hidden * rank + hidden
}

/// Parameters of one block.
pub(super) fn layer(l: &Layer, hidden: u64) -> u64 {
    let norm = norm(l.norm, hidden);
    // The router scales its input and its results.
    let beside = l.beside.map_or(0, |experts| mlp(&Mlp::Experts(experts), hidden) + hidden + experts.count + 3 * norm);
    let own = l.own_input.filter(|own| own.columns > 0).map_or(0, |own| 2 * hidden * own.columns + norm);
    let vectors = if l.scaled_by_vectors { 2 * hidden } else { 0 };
    vectors
        + attention(&l.attention, hidden)
        + mlp(&l.mlp, hidden)
        + norms(l.order) * norm
        + beside
        + own
        + alternating(l.order, hidden)
}

/// The layer and the norm before a head.
fn transform(arch: &Arch) -> u64 {
    let (columns, bias) = (arch.embedding.columns, !arch.head.transform_without_bias);
    let norm = norm(Norm::Layer { weight: true, bias }, columns);
    if arch.head.transform { arch.hidden * columns + if bias { columns } else { 0 } + norm } else { 0 }
}

/// The table of inputs of each block, the projection beside it and its norm.
fn per_layer(arch: &Arch) -> u64 {
    let columns = arch.per_layer_columns();
    let each = columns / arch.layers().max(1);
    arch.embedding.per_layer_rows.map_or(0, |rows| rows * columns + arch.hidden * columns + each)
}

/// Parameters of the model.
pub(super) fn parameters(arch: &Arch) -> u64 {
    let hidden = arch.hidden;
    let e = &arch.embedding;
    let projection = if e.columns == hidden {
        0
    } else {
        e.columns * hidden * if e.projects_back { 2 } else { 1 } + if e.projection_bias { hidden } else { 0 }
    };
    let beside = e.side_table_columns(hidden);
    let patches =
        arch.patches.map_or(0, |p| hidden * (p.weights_per_column() + 1 + p.prefix + p.registers + p.positions + p.unused));
    let embedding = (arch.vocab + e.unused_rows) * e.columns
        + patches
        + (e.positions.unwrap_or(0) + e.types.unwrap_or(0) + e.tasks.unwrap_or(0)) * beside
        + e.norm.map_or(0, |n| norm(n, beside))
        + projection
        + per_layer(arch)
        + arch.streams().map_or(0, |streams| 2 * (streams - 1) * hidden * hidden);
    let relative = arch.layers.first().and_then(|(layer, _)| layer.attention.relative);
    let distances = relative.map_or(0, |relative| (2 * relative.span + if relative.normed { 2 } else { 0 }) * hidden);
    let bias: u64 = arch.shared_bias().map_or(0, |[buckets, heads]| buckets * heads);
    let layers: u64 = arch.layers.iter().map(|(l, times)| layer(l, hidden) * times / arch.blocks_per_weights.max(1)).sum();
    let head =
        if arch.head.tied { 0 } else { arch.vocab * e.columns } + if arch.head.bias { arch.vocab } else { 0 } + transform(arch);
    let decoder = arch.decoder.map_or(0, |d| {
        let cross = attention(&d.layer.attention, hidden) + norm(d.layer.norm, hidden);
        let beside = match d.stacks {
            Stacks::Distances { buckets } => 2 * buckets * d.layer.attention.heads + norm(d.layer.norm, hidden),
            // The table and the norms of the encoder are counted with its embedding and its blocks.
            Stacks::Positions(stacks) => {
                let table = if stacks.positions == Positions::Buffer { 0 } else { stacks.rows * hidden };
                table + [stacks.embedding_norm, stacks.final_norm].into_iter().flatten().map(|n| norm(n, hidden)).sum::<u64>()
            }
        };
        d.blocks * (layer(&d.layer, hidden) + cross) + beside
    });
    embedding
        + decoder
        + distances
        + bias
        + layers
        + arch.final_norm.map_or(0, |n| norm(n, hidden))
        + head
        + arch.unsimulated_parameters
}
