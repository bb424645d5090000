//! Operations of latent attention, complex rotary tables and attention with sinks.

use crate::tape::{Tape, Tensor};
use std::borrow::Borrow;

impl Tape {
    /// `whole[..., a:b].copy_(part)` (torch 2.15, `CopySlices`): backward copies the gradient of the whole and slices the part's.
    pub(crate) fn copy_slice(&self, whole: Tensor, part: &Tensor) -> Tensor {
        let out = Tensor { edge: None, ..whole.clone() };
        let (filled, numel, width) = (whole.requires_grad(), part.numel, part.width);
        let out = self.record(&[&whole, part], out, move |tape, grad| {
            let rest = tape.empty(grad.numel, grad.width);
            let piece = tape.empty(numel, grad.width);
            if filled {
                drop(tape.empty(numel, grad.width));
            }
            drop(grad);
            let piece = if width == piece.width { piece } else { tape.copy_as(&piece, width) };
            vec![filled.then_some(rest), Some(piece)]
        });
        drop(whole);
        out
    }

    /// Complex multiplication by a table, both in fp32; backward conjugates the table first.
    pub(crate) fn complex_mul(&self, a: impl Borrow<Tensor>, table: &Tensor) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(table));
        let out = self.empty(x.numel, 4);
        let bytes = table.bytes();
        self.record(&[x], out, move |tape, grad| {
            let conjugate = tape.empty(bytes, 1);
            let out = tape.empty(grad.numel, 4);
            drop((conjugate, grad, kept));
            vec![Some(out)]
        })
    }

    /// `a.clamp(...)` with `ends` bounds: backward creates a byte mask for each and selects.
    pub(crate) fn clamp(&self, a: impl Borrow<Tensor>, ends: u64) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(x));
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let masks: Vec<Tensor> = (0..ends).map(|_| tape.empty(grad.numel, 1)).collect();
            let out = tape.empty(grad.numel, grad.width);
            drop((masks, grad, kept));
            vec![Some(out)]
        })
    }

    /// `a - a.max(-1, keepdim=True).values`.
    pub(crate) fn subtract_max(&self, a: &Tensor, rows: u64) -> Tensor {
        let (highest, places) = (self.empty(rows, a.width), self.empty(rows, 8));
        let kept = self.records(&[a]).then(|| self.save(&places));
        let whole = a.numel;
        let highest = self.record(&[a], highest, move |tape, grad| {
            let out = tape.empty(whole, grad.width);
            drop((grad, kept));
            vec![Some(out)]
        });
        drop(places);
        let out = self.empty(a.numel, a.width);
        self.record(&[a, &highest], out, move |tape, grad| {
            let negative = tape.empty(grad.numel, grad.width);
            let to_highest = tape.sum_to(&negative, rows, false);
            drop(negative);
            vec![Some(grad), Some(to_highest)]
        })
    }

    /// A vector expanded to `numel` elements; backward sums them.
    pub(crate) fn expand(&self, a: &Tensor, numel: u64) -> Tensor {
        let own = a.numel;
        self.record(&[a], Tensor { edge: None, numel, ..a.view() }, move |tape, grad| {
            let out = tape.sum_to(&grad, own, true);
            drop(grad);
            vec![Some(out)]
        })
    }
}
