//! Attention with normed queries, keys and values, whose keys and values may be those of an earlier block (transformers 5.23,
//! `Gemma4TextAttention`).

use super::attention_kernel::attend;
use super::linear::linear;
use super::modules::{AttentionModule, LentProjections, NormModule};
use super::norm::norm;
use super::rotary;
use super::shared::SharedInputs;
use crate::arch::{Attention, KeyStates, Norm, Projection};

use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Tape, Tensor};

pub(super) fn attention(
    t: &Tape,
    x: &Tensor,
    (module, projections): (&AttentionModule, &LentProjections),
    a: &Attention,
    shape: AttentionShape,
    shared: &SharedInputs,
) -> Tensor {
    let turned = |x: Tensor, by: Option<&NormModule>| {
        let x = by.map_or_else(|| x.clone(), |module| norm(t, &x, module));
        match a.rotary.zip(shared.angles(a)) {
            Some((rotary, angles)) => rotary::turn_one(t, &x, rotary, angles),
            None => x,
        }
    };
    let q = turned(linear(t, x, &projections.q), module.q_norm.as_ref());
    let (k, v) = match &projections.keys {
        Some((keys, values)) => {
            let keys = linear(t, x, keys);
            let values = values.as_ref().map_or_else(|| keys.clone(), |values| linear(t, x, values));
            let k = turned(keys, module.k_norm.as_ref());
            let plain = NormModule { norm: Norm::RmsNoWeight, columns: a.head_dim, weight: None, bias: None };
            (k, norm(t, &values, &plain))
        }
        None => shared.borrowed(a).unwrap_or_else(|| (t.empty_tensor(), t.empty_tensor())),
    };
    if matches!(a.projection, Projection::Lent { keys: KeyStates::Kept, .. }) {
        shared.lend(a, [t.lent(&k), t.lent(&v)]);
    }
    let out = attend(t, (&q, &k, &v), a, shape, shared);
    linear(t, &out, &module.out)
}
