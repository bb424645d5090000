//! Operations of a mixture of experts: picking rows, products in groups, the highest of each row.

use crate::tape::{Tape, Tensor};
use std::borrow::Borrow;

impl Tape {
    /// `a[index]` over rows: `numel` elements. Backward sorts the index and adds into zeros of the input's size (torch 2.15,
    /// `index_put_with_sort_kernel`).
    pub(crate) fn index_rows(&self, a: impl Borrow<Tensor>, index: &Tensor, numel: u64) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(index));
        let out = self.empty(numel, x.width);
        let (whole, count) = (x.numel, index.numel);
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(whole, grad.width);
            let long = |t: &Self| t.empty(count, 8);
            let linear = {
                let wrapped = long(tape);
                let linear = long(tape);
                drop(wrapped);
                linear
            };
            let (sorted, order, counted) = (long(tape), long(tape), long(tape));
            tape.workspace(sort_scratch(count));
            drop((counted, order, sorted, linear, grad, kept));
            vec![Some(out)]
        })
    }

    /// `torch.sort` of integers: the sorted values and the permutation.
    pub(crate) fn sort(&self, x: &Tensor) -> (Tensor, Tensor) {
        let (sorted, order) = (self.empty(x.numel, 8), self.empty(x.numel, 8));
        drop(self.empty(x.numel, 8));
        if x.numel > SMALL_SORT {
            self.workspace(sort_scratch(x.numel) + SORT_EXTRA);
        }
        (sorted, order)
    }

    /// `F.grouped_mm`: the rows of each group times the matrix of their expert. Returns `numel` elements in the type of the weights.
    pub(crate) fn grouped_mm(&self, a: impl Borrow<Tensor>, weight: &Tensor, offsets: &Tensor, numel: u64) -> Tensor {
        let x = self.cast(a, weight.width);
        let kept_w = (self.records(&[&x]) && x.requires_grad()).then(|| self.save(weight));
        let kept_x = (self.records(&[weight]) && weight.requires_grad()).then(|| self.save(&x));
        let kept = self.records(&[&x, weight]).then(|| self.save(offsets));
        let out = self.empty(numel, weight.width);
        let (needs_x, needs_w) = (x.requires_grad(), weight.requires_grad());
        let (x_numel, w_numel) = (x.numel, weight.numel);
        let out = self.record(&[&x, weight], out, move |tape, grad| {
            let to_w = needs_w.then(|| tape.empty(w_numel, grad.width));
            let to_x = needs_x.then(|| tape.empty(x_numel, grad.width));
            drop((grad, kept_x, kept_w, kept));
            vec![to_x, to_w]
        });
        drop(x);
        out
    }

    /// `torch.baddbmm(whole, a, b, alpha=...)` of a frozen `whole`: its left factor is copied into the layout of the matmul.
    pub(crate) fn baddbmm(&self, whole: &Tensor, a: &Tensor, b: &Tensor) -> Tensor {
        let kept = self.records(&[a, b]).then(|| (self.save(a), self.save(b)));
        let out = self.empty(whole.numel, whole.width);
        {
            let _copy = self.empty(a.numel, a.width);
            self.workspace(self.device.cublas);
        }
        let (left, right) = (a.numel, b.numel);
        self.record(&[a, b], out, move |tape, grad| {
            let product = |numel: u64, copied: u64| {
                let raw = tape.empty(numel, grad.width);
                let copy = tape.empty(copied, grad.width);
                tape.workspace(tape.device.cublas);
                drop(copy);
                let scaled = tape.empty(numel, grad.width);
                drop(raw);
                scaled
            };
            let to_a = product(left, 0);
            let to_b = product(right, left);
            drop((grad, kept));
            vec![Some(to_a), Some(to_b)]
        })
    }

    /// `a.topk(k)`: values and their places, `numel` each. Backward scatters into zeros.
    pub(crate) fn topk(&self, a: impl Borrow<Tensor>, numel: u64) -> (Tensor, Tensor) {
        let x = a.borrow();
        let (values, places) = (self.empty(numel, x.width), self.empty(numel, 8));
        let kept = self.records(&[x]).then(|| self.save(&places));
        let whole = x.numel;
        let values = self.record(&[x], values, move |tape, grad| {
            let out = tape.empty(whole, grad.width);
            drop((grad, kept));
            vec![Some(out)]
        });
        (values, places)
    }

    /// `a.gather(-1, places)`.
    pub(crate) fn gather_by_index(&self, a: impl Borrow<Tensor>, places: &Tensor) -> Tensor {
        let x = a.borrow();
        let out = self.empty(places.numel, x.width);
        let kept = self.records(&[x]).then(|| self.save(places));
        let whole = x.numel;
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(whole, grad.width);
            drop((grad, kept));
            vec![Some(out)]
        })
    }

    /// A sum over one dimension down to `numel` elements; backward expands the gradient, which the preceding view copies.
    pub(crate) fn sum_dim(&self, a: impl Borrow<Tensor>, numel: u64) -> Tensor {
        let x = a.borrow();
        let out = self.empty(numel, x.width);
        let whole = x.numel;
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(whole, grad.width);
            drop(grad);
            vec![Some(out)]
        })
    }

    /// `a.sum(-1, keepdim=True)`: backward only sees the gradient as wide.
    pub(crate) fn sum_last(&self, a: impl Borrow<Tensor>, rows: u64) -> Tensor {
        let x = a.borrow();
        let out = self.empty(rows, x.width);
        let whole = x.numel;
        self.record(&[x], out, move |_, grad| vec![Some(Tensor { edge: None, numel: whole, ..grad.view() })])
    }

    /// `a.repeat(times, 1)`: backward sums over the copies.
    pub(crate) fn repeat(&self, a: impl Borrow<Tensor>, times: u64) -> Tensor {
        self.repeat_kv(a, times, false)
    }

    /// `a / b` with a number per row.
    pub(crate) fn divide(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let kept = self.records(&[a, b]).then(|| (self.save(a), self.save(b)));
        let out = self.empty(a.numel, a.width);
        self.divided(&[a, b], out, b.numel, kept)
    }

    /// `a /= b` with a number per row: autograd keeps a copy of what it overwrites.
    pub(crate) fn divide_in_place(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let recorded = self.records(&[a, b]);
        let kept = recorded.then(|| (self.save(&self.empty(a.numel, a.width)), self.save(b)));
        let out = Tensor { edge: None, ..a.clone() };
        self.divided(&[a, b], out, b.numel, kept)
    }

    fn divided(&self, inputs: &[&Tensor], out: Tensor, rows: u64, kept: impl Sized + 'static) -> Tensor {
        self.record(inputs, out, move |tape, grad| {
            let like = |t: &Self| t.empty(grad.numel, grad.width);
            let to_b = {
                let quotient = like(tape);
                let second = like(tape);
                let negative = like(tape);
                let product = like(tape);
                drop((negative, second, quotient));
                product
            };
            let to_a = like(tape);
            let to_b = tape.sum_to(&to_b, rows, false);
            drop((grad, kept));
            vec![Some(to_a), Some(to_b)]
        })
    }
}

/// Scratch of a radix sort of `count` pairs of 8-byte values (CUB, as traced): almost none while a single thread block sorts them.
fn sort_scratch(count: u64) -> u64 {
    if count <= SINGLE_TILE { 1 } else { count.saturating_mul(16) + count / 4 + 5631 }
}

/// Pairs that one block sorts.
const SINGLE_TILE: u64 = 2560;
/// Additional scratch of `torch.sort`, which is stable.
const SORT_EXTRA: u64 = 12_288;
/// Numbers that `torch.sort` sorts in place, without CUB.
const SMALL_SORT: u64 = 4096;
