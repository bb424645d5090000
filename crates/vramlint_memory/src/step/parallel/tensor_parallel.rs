//! Tensor and context parallel: what one rank computes is a model of smaller matrices, or a shorter row.
//!
//! accelerate's `parallelism_config` applies transformers' `tp_plan` to linear layers: q, k, v, gate and up are split by rows, the
//! output projections by columns, and experts by their width; embeddings, norms and the residual stream are not split. Context
//! parallelism splits every sequence. Not modelled: the head, which the plan also splits but gathers again, buffers of
//! collectives, and keys and values that circulate in the ring of context parallelism.

use crate::arch::{Arch, Attention, Experts, Layer, Mlp, SharedExpert};
use crate::setup::Setup;

/// One rank's share of a block.
pub(crate) fn shard_layer(layer: &Layer, ranks: u64) -> Layer {
    let part = |numel: u64| numel.div_ceil(ranks.max(1));
    let attention = Attention { heads: part(layer.attention.heads), kv_heads: part(layer.attention.kv_heads), ..layer.attention };
    let mlp = match layer.mlp {
        Mlp::Gated { inner, fused, bias, activation } => Mlp::Gated { inner: part(inner), fused, bias, activation },
        Mlp::Plain { inner, bias, activation } => Mlp::Plain { inner: part(inner), bias, activation },
        Mlp::Experts(mut experts) => {
            experts.inner = part(experts.inner);
            experts.shared = experts.shared.map(|shared| SharedExpert { inner: part(shared.inner), ..shared });
            Mlp::Experts(experts)
        }
    };
    let beside = layer.beside.map(|experts| Experts { inner: part(experts.inner), ..experts });
    Layer { attention, mlp, beside, ..*layer }
}

/// One rank's architecture and setup. `None` if nothing is split.
pub(crate) fn local_shard(arch: &Arch, setup: &Setup) -> Option<(Arch, Setup)> {
    let p = &setup.parallel;
    if p.tensor <= 1 && p.context <= 1 {
        return None;
    }
    let mut arch = arch.clone();
    for (kind, _) in &mut arch.layers {
        *kind = shard_layer(kind, p.tensor);
    }
    let mut setup = setup.clone();
    setup.sequence_length = setup.sequence_length.div_ceil(p.context.max(1));
    setup.prompt_length = setup.prompt_length.div_ceil(p.context.max(1));
    setup.parallel.tensor = 1;
    setup.parallel.context = 1;
    Some((arch, setup))
}
