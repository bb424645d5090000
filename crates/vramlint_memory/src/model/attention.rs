//! Attention.

use super::attention_kernel::attend;
use super::batch::Batch;
use super::latent;
use super::lent_keys;
use super::linear::linear;
use super::modules::{AttentionModule, NormModule, Projections};
use super::mpnet;
use super::norm::norm;
use super::qkv;
use super::rotary;
use super::shared::SharedInputs;
use super::short_convolution::short_convolution;
use super::{attention_sinks, eager_attention};
use super::{deberta, deberta_v1};
use crate::arch::{Attention, AttentionImpl};
use crate::setup::Attention as Kernel;
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Operand, Tape, Tensor};

/// Attention over normed hidden states.
pub(crate) fn attention(
    t: &Tape,
    x: &Tensor,
    module: &AttentionModule,
    a: &Attention,
    batch: Batch,
    shared: &SharedInputs,
) -> Tensor {
    let shape = AttentionShape {
        batch: batch.size,
        queries: batch.seq_len,
        keys: batch.seq_len,
        heads: a.heads,
        kv_heads: a.kv_heads,
        head_dim: a.head_dim,
        value_dim: a.value_dim,
    };
    if let Projections::Latent(latent) = &module.projections {
        return latent::latent(t, x, (latent, &module.out), a, batch, shared);
    }
    if let Projections::Lent(lent) = &module.projections {
        return lent_keys::attention(t, x, (module, lent), a, shape, shared);
    }
    if let Projections::Convolution(convolution) = &module.projections {
        return short_convolution(t, x, (convolution, &module.out), batch, shared.padded);
    }
    if let (Some(relative), Some(distances)) = (a.relative, &shared.distances) {
        let attend = if relative.fused { deberta_v1::attend } else { deberta::attend };
        let out = attend(t, x, module, relative, distances, shape, a.dropout);
        return linear(t, &out, &module.out);
    }
    if let Some(bias) = &shared.bias {
        return mpnet::attention(t, x, module, (a, shape), bias, shared.mask(a));
    }
    let (mut q, mut k, v) = qkv::project_qkv(t, x, module, a, batch);
    if let Some((rotary, angles)) = a.rotary.zip(shared.angles(a)) {
        (q, k) = rotary::turn(t, (&q, &k), rotary, angles, a.head_dim, batch);
    }
    if a.qk_norm.is_some_and(|kind| kind.after_rotary) {
        let normed = |x: &Tensor, module: &Option<NormModule>| module.map_or_else(|| x.clone(), |module| norm(t, x, &module));
        q = normed(&q, &module.q_norm);
        k = normed(&k, &module.k_norm);
    }
    if a.scaled_queries {
        let scale = t.empty(batch.seq_len, q.width);
        q = t.mul(&q, Operand::Columns(&scale));
    }
    let width = k.width;
    let (k, v) = (t.cached(k, width), t.cached(v, width));
    let spread = qkv::kernel_heads(&module.projections, a, shape);
    let out = match module.sinks {
        // Kernels of flash attention take sinks as an argument of their own (transformers 5.23 `modeling_gpt_oss.py`, `s_aux`).
        Some(id) if shared.kernel != Kernel::Flash => {
            attention_sinks::sinks(t, (&q, &k, &v), id, a.dropout, spread, shared.mask(a))
        }
        _ if a.implementation != AttentionImpl::Common || a.fp32_scores => {
            eager_attention::family_attention(t, [q, k, v], a, spread, shared.mask(a))
        }
        _ => attend(t, (&q, &k, &v), a, spread, shared),
    };
    linear(t, &out, &module.out)
}
