//! Multi-head latent attention (transformers 5.23, `modeling_deepseek_v2.py` and `modeling_deepseek_v3.py`): queries, keys and values
//! are projected from low-rank states; the rotated part of the keys is a single head that all heads share.

use super::attention_kernel::attend;
use super::batch::Batch;
use super::linear::linear;
use super::modules::{LatentProjections, LinearModule};
use super::norm::norm;
use super::rotary;
use super::shared::SharedInputs;
use crate::arch::Attention;
use crate::tape::ops::attention::AttentionShape;
use crate::tape::{Tape, Tensor};

/// Latent attention over normed hidden states, up to the output projection.
pub(super) fn latent(
    t: &Tape,
    x: &Tensor,
    (module, out): (&LatentProjections, &LinearModule),
    a: &Attention,
    batch: Batch,
    shared: &SharedInputs,
) -> Tensor {
    let (heads, tokens) = (a.heads, batch.tokens());
    let turned = a.rotary.map_or(0, |rotary| rotary.columns);
    let plain = a.head_dim.saturating_sub(turned);
    let queries = t.view_with_grad_copy(query(t, x, module));
    let queries = t.split(&queries, &[tokens * heads * plain, tokens * heads * turned]);
    let narrow = linear(t, x, &module.kv_down);
    let narrow = t.split(&narrow, &[narrow.numel - tokens * turned, tokens * turned]);
    let common = norm(t, &narrow[0], &module.kv_norm);
    let (turned_q, turned_k) = match a.rotary.zip(shared.angles(a)) {
        Some((rotary, angles)) => rotary::turn_parts(t, (&queries[1], &narrow[1]), rotary, angles),
        None => (queries[1].clone(), narrow[1].clone()),
    };
    let q = {
        let rest = t.cast(&queries[0], turned_q.width);
        t.cat(&[&rest, &turned_q])
    };
    let (k, v) = {
        let wide = t.view_with_grad_copy(linear(t, &common, &module.kv_up));
        let wide = t.split(&wide, &[tokens * heads * plain, tokens * heads * a.value_dim]);
        let each = t.repeat_kv(&turned_k, heads, true);
        let keys = t.empty(tokens * heads * a.head_dim, wide[0].width);
        let keys = t.copy_slice(keys, &wide[0]);
        (t.copy_slice(keys, &each), wide[1].clone())
    };
    let shape = AttentionShape {
        batch: batch.size,
        queries: batch.seq_len,
        keys: batch.seq_len,
        heads,
        kv_heads: heads,
        head_dim: a.head_dim,
        value_dim: a.value_dim,
    };
    let attended = attend(t, (&q, &k, &v), a, shape, shared);
    drop((q, k, v));
    linear(t, &attended, out)
}

fn query(t: &Tape, x: &Tensor, module: &LatentProjections) -> Tensor {
    match (module.q.as_slice(), &module.q_norm) {
        ([down, up], Some(between)) => {
            let low = norm(t, &linear(t, x, down), between);
            linear(t, &low, up)
        }
        (projections, _) => projections.iter().fold(x.clone(), |x, projection| linear(t, &x, projection)),
    }
}
