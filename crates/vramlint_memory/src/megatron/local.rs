//! One rank's share of the parameters.
//!
//! Column- and row-parallel matrices are divided by the tensor ranks, experts by the expert ranks. Norms, routers and the ways down to
//! latent queries, keys and values stand on every rank (`transformer/multi_latent_attention.py`).

use crate::arch::{Arch, Attention, Experts, Layer, Mlp, Projection, SharedExpert};
use crate::setup::{Lora, Setup, Targets};

/// Numbers on one rank, apart by who shares them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    /// What ranks with other experts hold too.
    pub(super) dense: u64,
    /// Experts.
    pub(super) experts: u64,
}

impl Share {
    pub(super) fn sum(self) -> u64 {
        self.dense.saturating_add(self.experts)
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { dense: self.dense.saturating_add(other.dense), experts: self.experts.saturating_add(other.experts) }
    }
}

/// Ranks that divide matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Division {
    /// Tensor ranks.
    pub(super) tensor: u64,
    /// Expert ranks.
    pub(super) expert: u64,
    /// Tensor ranks of an expert.
    pub(super) expert_tensor: u64,
}

impl Division {
    pub(super) fn of(setup: &Setup) -> Self {
        let own = &setup.parallel.megatron;
        Self { tensor: setup.parallel.tensor.max(1), expert: own.expert.max(1), expert_tensor: own.expert_tensor.max(1) }
    }
}

/// Widths of attention on one rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heads {
    /// Columns of queries.
    pub(super) queries: u64,
    /// Columns of keys.
    pub(super) keys: u64,
    /// Columns of values.
    pub(super) values: u64,
    /// Columns of what attention returns.
    pub(super) out: u64,
}

/// Heads of one rank. Key heads that are fewer than ranks are repeated.
pub(super) fn heads(a: &Attention, tensor: u64) -> Heads {
    let (heads, groups) = (a.heads.div_ceil(tensor), a.kv_heads.div_ceil(tensor));
    let groups = if matches!(a.projection, Projection::Latent { .. }) { heads } else { groups };
    Heads { queries: heads * a.head_dim, keys: groups * a.head_dim, values: groups * a.value_dim, out: heads * a.value_dim }
}

/// A matrix with the adapter that it may get.
struct Matrix {
    name: &'static str,
    rows: u64,
    columns: u64,
    /// How many of them there are on the rank.
    count: u64,
    is_expert: bool,
}

/// The matrices of a block on one rank, named as Megatron-Core names them.
fn matrices(layer: &Layer, hidden: u64, by: Division) -> Vec<Matrix> {
    let mut all = Vec::new();
    let mut add = |name, rows, columns| all.push(Matrix { name, rows, columns, count: 1, is_expert: false });
    let (a, local) = (&layer.attention, heads(&layer.attention, by.tensor));
    match a.projection {
        Projection::Latent { query_rank, kv_rank, rope_dim } => {
            if let Some(rank) = query_rank {
                add("linear_q_down_proj", hidden, rank);
                add("linear_q_up_proj", rank, local.queries);
            } else {
                add("linear_q_proj", hidden, local.queries);
            }
            let nope = a.head_dim.saturating_sub(rope_dim);
            add("linear_kv_down_proj", hidden, kv_rank + rope_dim);
            add("linear_kv_up_proj", kv_rank, a.heads.div_ceil(by.tensor) * (nope + a.value_dim));
        }
        _ => add("linear_qkv", hidden, local.queries + local.keys + local.values),
    }
    add("linear_proj", local.out, hidden);
    match layer.mlp {
        Mlp::Gated { inner, .. } => {
            add("linear_fc1", hidden, 2 * inner.div_ceil(by.tensor));
            add("linear_fc2", inner.div_ceil(by.tensor), hidden);
        }
        Mlp::Plain { inner, .. } => {
            add("linear_fc1", hidden, inner.div_ceil(by.tensor));
            add("linear_fc2", inner.div_ceil(by.tensor), hidden);
        }
        Mlp::Experts(experts) => add_experts(&mut all, &experts, hidden, by),
    }
    if let Some(experts) = layer.beside {
        add_experts(&mut all, &experts, hidden, by);
    }
    all
}

fn add_experts(all: &mut Vec<Matrix>, experts: &Experts, hidden: u64, by: Division) {
    let (count, inner) = (experts.count.div_ceil(by.expert), experts.inner.div_ceil(by.expert_tensor));
    all.push(Matrix { name: "linear_fc1", rows: hidden, columns: 2 * inner, count, is_expert: true });
    all.push(Matrix { name: "linear_fc2", rows: inner, columns: hidden, count, is_expert: true });
    if let Some(SharedExpert { inner, .. }) = experts.shared {
        let inner = inner.div_ceil(by.tensor);
        all.push(Matrix { name: "linear_fc1", rows: hidden, columns: 2 * inner, count: 1, is_expert: false });
        all.push(Matrix { name: "linear_fc2", rows: inner, columns: hidden, count: 1, is_expert: false });
    }
}

/// The parameters of a block on one rank.
pub(super) fn block(arch: &Arch, layer: &Layer, by: Division) -> Share {
    let whole = arch.layer_parameters(layer);
    // What is no matrix is not divided: norms, biases, routers.
    let undivided = Division { tensor: 1, expert: 1, expert_tensor: 1 };
    let rest = whole.saturating_sub(numbers(&matrices(layer, arch.hidden, undivided)).sum());
    numbers(&matrices(layer, arch.hidden, by)).plus(Share { dense: rest, experts: 0 })
}

fn numbers(matrices: &[Matrix]) -> Share {
    matrices.iter().fold(Share::default(), |sum, one| {
        let numbers = one.rows.saturating_mul(one.columns).saturating_mul(one.count);
        sum.plus(if one.is_expert { Share { dense: 0, experts: numbers } } else { Share { dense: numbers, experts: 0 } })
    })
}

/// The adapters of a block on one rank: the side of an adapter that touches the residual stream stands on every rank.
pub(super) fn adapters(arch: &Arch, layer: &Layer, by: Division, lora: &Lora) -> Share {
    matrices(layer, arch.hidden, by).iter().filter(|one| is_adapted(lora, one.name)).fold(Share::default(), |sum, one| {
        let numbers = lora.r.saturating_mul(one.rows.saturating_add(one.columns)).saturating_mul(one.count);
        sum.plus(if one.is_expert { Share { dense: 0, experts: numbers } } else { Share { dense: numbers, experts: 0 } })
    })
}

/// Whether a matrix of this name gets an adapter.
pub(super) fn is_adapted(lora: &Lora, name: &str) -> bool {
    match &lora.targets {
        Targets::AllLinear | Targets::LinearLayers => true,
        Targets::Named(names) => names.iter().any(|target| target == name),
    }
}

/// Rows of the table of tokens on one rank, times its columns.
pub(super) fn table(arch: &Arch, by: Division) -> u64 {
    arch.vocab.div_ceil(by.tensor).saturating_mul(arch.embedding.columns)
}
