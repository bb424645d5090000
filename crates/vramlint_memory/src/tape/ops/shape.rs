//! Copies that change a layout.

use crate::tape::{Tape, Tensor};
use std::borrow::Borrow;

impl Tape {
    /// `torch.cat` of parts along the last or the first dimension: one new block; gradients are views of its own.
    pub(crate) fn cat(&self, parts: &[&Tensor]) -> Tensor {
        let numel = parts.iter().map(|part| part.numel).sum();
        let width = parts.iter().map(|part| part.width).max().unwrap_or(4);
        let out = self.empty(numel, width);
        let sizes: Vec<(u64, u64)> = parts.iter().map(|part| (part.numel, part.width)).collect();
        self.record(parts, out, move |tape, grad| {
            // A part of another type gets its gradient converted.
            let part = |(numel, width)| if width == grad.width { grad.part(numel) } else { tape.empty(numel, width) };
            sizes.into_iter().map(|size| Some(part(size))).collect()
        })
    }

    /// `.contiguous()` or `.reshape()` if the layout forces a copy; the gradient returns as a view in the other layout.
    pub(crate) fn contiguous(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, |_, grad| vec![Some(grad.view())])
    }

    /// A transpose and `.contiguous()`: a copy in forward; the gradient is transposed back and copied by the following reshape.
    pub(crate) fn transpose_contiguous(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, |tape, grad| {
            let out = tape.empty(grad.numel, grad.width);
            vec![Some(out)]
        })
    }

    /// A reshape that is a view forward, and whose gradient has to be copied since it arrives in another layout.
    pub(crate) fn view_with_grad_copy(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        self.record(&[x], Tensor { edge: None, ..x.view() }, |tape, grad| {
            let out = tape.empty(grad.numel, grad.width);
            vec![Some(out)]
        })
    }

    /// A slice along a dimension: `numel` of the elements; backward writes into zeros of the input's size.
    pub(crate) fn slice(&self, a: impl Borrow<Tensor>, numel: u64) -> Tensor {
        let x = a.borrow();
        let whole = x.numel;
        self.record(&[x], Tensor { edge: None, ..x.part(numel) }, move |tape, grad| {
            let out = tape.empty(whole, grad.width);
            vec![Some(out)]
        })
    }

    /// `x[..., [i]]`: copies the selected rows; backward adds into zeros of the input's size.
    pub(crate) fn index_copy(&self, a: impl Borrow<Tensor>, numel: u64) -> Tensor {
        let x = a.borrow();
        let whole = x.numel;
        let out = self.empty(numel, x.width);
        self.record(&[x], out, move |tape, grad| vec![Some(tape.empty(whole, grad.width))])
    }

    /// `F.pad` at the end of the last dimension: `numel` elements; the gradient is a view.
    pub(crate) fn pad(&self, a: impl Borrow<Tensor>, numel: u64) -> Tensor {
        let x = a.borrow();
        let (out, own) = (self.empty(numel, x.width), x.numel);
        self.record(&[x], out, move |_, grad| vec![Some(grad.part(own))])
    }

    /// `split`, `chunk`, `unbind`: views forward; backward joins the gradients in a new block.
    pub(crate) fn split(&self, a: impl Borrow<Tensor>, sizes: &[u64]) -> Vec<Tensor> {
        let x = a.borrow();
        let outputs = sizes.iter().map(|numel| Tensor { edge: None, ..x.part(*numel) }).collect();
        let sizes = sizes.to_vec();
        let whole: u64 = sizes.iter().sum();
        self.record_many(
            &[x],
            outputs,
            Box::new(move |tape, grads| {
                let width = grads.iter().flatten().map(|grad| grad.width).max().unwrap_or(4);
                // What got no gradient is filled with zeros.
                let zeros: Vec<Tensor> = grads
                    .iter()
                    .zip(&sizes)
                    .filter(|(grad, _)| grad.is_none())
                    .map(|(_, numel)| tape.empty(*numel, width))
                    .collect();
                let out = tape.empty(whole, width);
                drop((zeros, grads));
                vec![Some(out)]
            }),
        )
    }

    /// `repeat_kv`: keys or values copied to every head; those of a single head are only seen as many. Backward sums over the heads.
    pub(crate) fn repeat_kv(&self, a: impl Borrow<Tensor>, times: u64, single: bool) -> Tensor {
        let x = a.borrow();
        if times <= 1 {
            return x.clone();
        }
        let numel = x.numel * times;
        let out = if single { Tensor { edge: None, numel, ..x.view() } } else { self.empty(numel, x.width) };
        let numel = x.numel;
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(numel, grad.width);
            vec![Some(out)]
        })
    }

    /// Rows of an embedding table.
    pub(crate) fn embedding(&self, ids: &Tensor, table: &Tensor, tokens: u64, columns: u64) -> Tensor {
        let kept = self.records(&[table]).then(|| self.save(ids));
        let out = self.empty(tokens * columns, table.width);
        let numel = table.numel;
        self.record(&[table], out, move |tape, grad| {
            let out = tape.empty(numel, grad.width);
            drop((grad, kept));
            vec![Some(out)]
        })
    }
}
