//! Attention kernels of torch.

use crate::tape::{Tape, Tensor};

/// Shapes of one attention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttentionShape {
    /// Rows of the batch.
    pub(crate) batch: u64,
    /// Query tokens of a row.
    pub(crate) queries: u64,
    /// Key tokens of a row.
    pub(crate) keys: u64,
    /// Query heads.
    pub(crate) heads: u64,
    /// Key and value heads.
    pub(crate) kv_heads: u64,
    /// Width of a query or key head.
    pub(crate) head_dim: u64,
    /// Width of a value head.
    pub(crate) value_dim: u64,
}

impl AttentionShape {
    fn widest(self) -> u64 {
        self.head_dim.max(self.value_dim)
    }

    /// Whether the memory-efficient kernel accumulates its result in a separate fp32 buffer.
    fn accumulates(self, width: u64) -> bool {
        width == 2 && self.widest() > 128
    }

    /// Workspace of the memory-efficient kernel's backward besides gradients, for half types (torch 2.15,
    /// `mem_eff_attention/kernel_backward.h`, `workspace_size`): fp32 tiles of the query gradient with a counter each and, for wide
    /// heads, of the gradients of keys and values, split over at most as many blocks as fill the device.
    fn efficient_workspace(self) -> u64 {
        let rows = self.batch * self.heads;
        let tiles = |block: u64, columns: u64| self.queries.div_ceil(block) * (block * columns + 4);
        let columns = self.widest().next_multiple_of(32);
        let floats = match columns {
            0..=64 => tiles(64, 64),
            65..=128 => tiles(128, 128),
            _ => {
                let splits = (200 / rows.max(1)).clamp(1, self.keys.div_ceil(64).max(1));
                self.queries.div_ceil(128) * columns.div_ceil(64) * (128 * 64 + 4) + 64 * splits * 2 * columns
            }
        };
        rows * floats * 4
    }
}

impl Tape {
    /// The flash kernel of `scaled_dot_product_attention` (torch 2.15, `_scaled_dot_product_flash_attention`).
    pub(crate) fn flash(&self, q: &Tensor, k: &Tensor, v: &Tensor, shape: AttentionShape) -> Tensor {
        let records = self.records(&[q, k, v]);
        let kept = records.then(|| (self.save(q), self.save(k), self.save(v)));
        let out = self.empty(shape.batch * shape.queries * shape.heads * shape.value_dim, q.width);
        let sums = self.empty(shape.batch * shape.heads * shape.queries, 4);
        let (seed, offset) = (self.empty(2, 8), self.empty(1, 8));
        let results = records.then(|| (self.save(&out), self.save(&sums), self.save(&seed), self.save(&offset)));
        drop((sums, seed, offset));
        let (q_numel, k_numel, v_numel) = (q.numel, k.numel, v.numel);
        self.record(&[q, k, v], out, move |tape, grad| {
            let width = grad.width;
            let (dq, dk, dv) = (tape.empty(q_numel, width), tape.empty(k_numel, width), tape.empty(v_numel, width));
            let rounded = shape.queries.next_multiple_of(128);
            let sums = tape.empty(shape.batch * shape.heads * rounded, 4);
            let columns = if shape.head_dim <= 64 { 64 } else { shape.head_dim.next_multiple_of(32) };
            let accumulated = tape.empty(shape.batch * rounded * shape.heads * columns, 4);
            let expanded = (shape.heads != shape.kv_heads).then(|| {
                let rows = shape.batch * shape.keys * shape.heads;
                (tape.empty(rows * shape.head_dim, width), tape.empty(rows * shape.value_dim, width))
            });
            drop((expanded, accumulated, sums, grad));
            drop((kept, results));
            vec![Some(dq), Some(dk), Some(dv)]
        })
    }

    /// The memory-efficient kernel (torch 2.15, `_scaled_dot_product_efficient_attention`): fp32, or with a mask, of which every
    /// call keeps an expanded copy in the type of the queries.
    pub(crate) fn mem_efficient(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        shape: AttentionShape,
        mask: Option<&Tensor>,
    ) -> Tensor {
        // A mask in the type of the queries (ALiBi) is used as is.
        let bias = mask.map(|mask| match mask.width {
            1 => self.empty(shape.batch * shape.queries * shape.keys.next_multiple_of(8), q.width),
            width if width == q.width => mask.clone(),
            _ => self.empty(mask.numel, q.width),
        });
        let records = self.records(&[q, k, v]);
        let kept = records.then(|| (self.save(q), self.save(k), self.save(v), bias.as_ref().map(|bias| self.save(bias))));
        let (seed, offset) = (self.empty(1, 8), self.empty(1, 8));
        let out = self.empty(shape.batch * shape.queries * shape.heads * shape.value_dim, q.width);
        let sums = self.empty(shape.batch * shape.heads * shape.queries.next_multiple_of(32), 4);
        let results = records.then(|| (self.save(&out), self.save(&sums), self.save(&seed), self.save(&offset)));
        if shape.accumulates(q.width) {
            self.workspace(shape.batch * shape.queries * shape.heads * shape.value_dim * 4);
        }
        drop((sums, seed, offset, bias));
        let (q_numel, k_numel, v_numel) = (q.numel, k.numel, v.numel);
        self.record(&[q, k, v], out, move |tape, grad| {
            let width = grad.width;
            let (dq, dk, dv) = (tape.empty(q_numel, width), tape.empty(k_numel, width), tape.empty(v_numel, width));
            let rows = shape.batch * shape.keys * shape.heads;
            let grouped = shape.heads != shape.kv_heads;
            let expanded = grouped.then(|| (tape.empty(rows * shape.head_dim, width), tape.empty(rows * shape.value_dim, width)));
            let sums = shape.batch * shape.heads * shape.queries.next_multiple_of(32);
            if width == 4 {
                let product = tape.empty(grad.numel, 4);
                let raw = tape.empty(sums, 4);
                let delta = tape.empty(sums, 4);
                drop((raw, product));
                // Accumulators of the query gradient, and a flag for each of its tiles.
                tape.workspace(q_numel * 4 + sums / 4);
                drop(delta);
            } else {
                let delta = tape.empty(sums, 4);
                tape.workspace(shape.efficient_workspace());
                drop(delta);
            }
            drop((expanded, grad));
            drop((kept, results));
            vec![Some(dq), Some(dk), Some(dv)]
        })
    }

    /// The memory-efficient kernel with a bias for each head (T5), which may need a gradient; one for all rows of the batch.
    pub(crate) fn mem_efficient_biased(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        shape: AttentionShape,
        bias: &Tensor,
    ) -> Tensor {
        let records = self.records(&[q, k, v, bias]);
        let kept = records.then(|| (self.save(q), self.save(k), self.save(v), self.save(bias)));
        let (seed, offset) = (self.empty(1, 8), self.empty(1, 8));
        let out = self.empty(shape.batch * shape.queries * shape.heads * shape.value_dim, q.width);
        let sums = self.empty(shape.batch * shape.heads * shape.queries.next_multiple_of(32), 4);
        let results = records.then(|| (self.save(&out), self.save(&sums), self.save(&seed), self.save(&offset)));
        drop((sums, seed, offset));
        let numels = [q.numel, k.numel, v.numel];
        let small = bias.requires_grad().then_some((bias.numel, bias.width));
        self.record(&[q, k, v, bias], out, move |tape, grad| {
            let [dq, dk, dv] = numels.map(|numel| tape.empty(numel, grad.width));
            let whole = small.map(|_| tape.empty(shape.batch * shape.heads * shape.queries * shape.keys, grad.width));
            let sums = shape.batch * shape.heads * shape.queries.next_multiple_of(32);
            let delta = tape.empty(sums, 4);
            tape.workspace(numels[0] * 4 + sums / 4);
            drop((delta, grad, kept, results));
            let to_bias = whole.zip(small).map(|(whole, (numel, width))| {
                let sum = tape.sum_to(&whole, numel, true);
                tape.copy_as(&sum, width)
            });
            vec![Some(dq), Some(dk), Some(dv), to_bias]
        })
    }
}
