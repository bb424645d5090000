//! Normalisation kernels.

use crate::tape::{Tape, Tensor};
use std::borrow::Borrow;

impl Tape {
    /// `F.layer_norm` over rows of `columns`: saves its input and two fp32 values per row.
    pub(crate) fn layer_norm(
        &self,
        a: impl Borrow<Tensor>,
        columns: u64,
        weight: Option<&Tensor>,
        bias: Option<&Tensor>,
    ) -> Tensor {
        let x = a.borrow();
        let rows = x.numel / columns.max(1);
        let nothing = self.empty_tensor();
        let (w, b) = (weight.unwrap_or(&nothing), bias.unwrap_or(&nothing));
        let records = self.records(&[x, w, b]);
        let kept = records.then(|| (self.save(x), weight.map(|w| self.save(w)), bias.map(|b| self.save(b))));
        let out = self.empty(x.numel, x.width);
        let (mean, scale) = (self.empty(rows, 4), self.empty(rows, 4));
        let statistics = records.then(|| (self.save(&mean), self.save(&scale)));
        drop((mean, scale));
        let (needs_x, needs_w, needs_b) = (x.requires_grad(), w.requires_grad(), b.requires_grad());
        let (width, small) = (x.width, w.width);
        self.record(&[x, w, b], out, move |tape, grad| {
            let to_x = needs_x.then(|| tape.empty(grad.numel, width));
            let to_w = needs_w.then(|| tape.empty(columns, small));
            let to_b = needs_b.then(|| tape.empty(columns, small));
            if needs_w && rows > 64 {
                // Partial sums of the weight gradients (gamma_beta kernel): fp32, a row for each tile of 32 rows and more.
            }
            drop((kept, statistics));
            vec![to_x, to_w, to_b]
        })
    }
}
