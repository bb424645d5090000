//! Operations on each number.

use crate::tape::{Tape, Tensor};
use std::borrow::Borrow;

/// The second operand of a product or a sum.
#[derive(Clone, Copy)]
pub(crate) enum Operand<'a> {
    /// Of the same shape.
    Same(&'a Tensor),
    /// Broadcast over the leading dimensions: a weight, a bias, a mask.
    Rows(&'a Tensor),
    /// Broadcast over the last dimension: a number per row.
    Columns(&'a Tensor),
    /// A number of Python.
    Scalar,
}

impl Tape {
    fn wide(a: &Tensor, b: &Tensor) -> u64 {
        a.width.max(b.width)
    }

    /// `a + b`, both of one shape.
    pub(crate) fn add(&self, a: impl Borrow<Tensor>, b: impl Borrow<Tensor>) -> Tensor {
        let (x, y) = (a.borrow(), b.borrow());
        let out = self.empty(x.numel.max(y.numel), Self::wide(x, y));
        let (wide, left, right) = (out.width, x.width, y.width);
        self.record(&[x, y], out, move |tape, grad| {
            let first = if left == wide { grad.clone() } else { tape.copy_as(&grad, left) };
            let second = if right == wide { grad.clone() } else { tape.copy_as(&grad, right) };
            drop(grad);
            vec![Some(first), Some(second)]
        })
    }

    /// `a += b`: no new block. The gradient of a wider `b` is a copy in its type.
    pub(crate) fn add_in_place(&self, a: impl Borrow<Tensor>, b: &Tensor) -> Tensor {
        let x = a.borrow();
        let out = Tensor { edge: None, ..x.clone() };
        let (wide, needs) = (b.width, b.requires_grad());
        self.record(&[x, b], out, move |tape, grad| {
            let second = needs.then(|| if wide == grad.width { grad.clone() } else { tape.copy_as(&grad, wide) });
            vec![Some(grad), second]
        })
    }

    /// `a[1:] += b`, seen by all parts of `a`: no new block; backward copies the gradient of the whole and sums over the parts.
    pub(crate) fn add_to_part(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let out = Tensor { edge: None, ..a.clone() };
        let small = b.numel;
        self.record(&[a, b], out, move |tape, grad| {
            let whole = tape.empty(grad.numel, grad.width);
            let sum = tape.empty(small, grad.width);
            drop(grad);
            vec![Some(whole), Some(sum)]
        })
    }

    /// `a *= b` for a stored number: no new block.
    pub(crate) fn scale_in_place(&self, a: &Tensor) -> Tensor {
        let out = Tensor { edge: None, ..a.clone() };
        self.record(&[a], out, |tape, grad| vec![Some(tape.empty(grad.numel, grad.width))])
    }

    /// `a + b` where `b` is one row (`Operand::Rows`), one column (`Operand::Columns`) or a scalar.
    pub(crate) fn add_broadcast(&self, a: impl Borrow<Tensor>, other: Operand<'_>) -> Tensor {
        let x = a.borrow();
        match other {
            Operand::Same(y) => self.add(x, y),
            Operand::Scalar => {
                let out = self.empty(x.numel, x.width);
                self.record(&[x], out, |_, grad| vec![Some(grad)])
            }
            Operand::Rows(y) | Operand::Columns(y) => {
                let out = self.empty(x.numel, Self::wide(x, y));
                let (numel, rows, needs) = (y.numel, matches!(other, Operand::Rows(_)), y.requires_grad());
                let width = x.width;
                self.record(&[x, y], out, move |tape, grad| {
                    let small = needs.then(|| tape.sum_to(&grad, numel, rows));
                    let own = if grad.width == width { grad } else { tape.copy_as(&grad, width) };
                    vec![Some(own), small]
                })
            }
        }
    }

    /// `a * b`.
    pub(crate) fn mul(&self, a: impl Borrow<Tensor>, b: Operand<'_>) -> Tensor {
        let x = a.borrow();
        let (y, broadcast, rows) = match b {
            Operand::Same(y) => (y, false, false),
            Operand::Rows(y) => (y, true, true),
            Operand::Columns(y) => (y, true, false),
            Operand::Scalar => {
                let out = self.empty(x.numel, x.width);
                if self.records(&[x]) {
                    // The number itself is kept as a tensor on the host.
                    drop(self.save(&self.empty_tensor()));
                }
                return self.record(&[x], out, |tape, grad| {
                    let out = tape.empty(grad.numel, grad.width);
                    vec![Some(out)]
                });
            }
        };
        let kept_y = (self.records(&[x]) && x.requires_grad()).then(|| self.save(y));
        let kept_x = (self.records(&[y]) && y.requires_grad()).then(|| self.save(x));
        let out = self.empty(x.numel, Self::wide(x, y));
        let (left, right, small) = (x.width, y.width, y.numel);
        let (mut kept, again) = (Some((kept_x, kept_y)), self.frees_saved_early());
        let (needs_x, needs_y) = (x.requires_grad(), y.requires_grad());
        self.record(&[x, y], out, move |tape, grad| {
            let to_x = needs_x.then(|| tape.empty(grad.numel, grad.width));
            let to_y = needs_y.then(|| tape.empty(grad.numel, grad.width));
            // Tensors saved by the rerun of a checkpointed block are freed at use, before gradients are cast and summed.
            if again {
                kept = None;
            }
            let to_x = to_x.map(|g| if g.width == left { g } else { tape.copy_as(&g, left) });
            let to_y = to_y.map(|full| if broadcast { tape.sum_to(&full, small, rows) } else { full });
            let to_y = to_y.map(|g| if g.width == right { g } else { tape.copy_as(&g, right) });
            drop(kept);
            vec![to_x, to_y]
        })
    }

    /// `a / b` for a number `b` of Python.
    pub(crate) fn div_scalar(&self, a: impl Borrow<Tensor>) -> Tensor {
        self.mul(a, Operand::Scalar)
    }

    /// `a / b`, where `b` has a number for each row: both are kept, and the gradient of `b` is one expression of four terms.
    pub(crate) fn div_columns(&self, a: Tensor, b: &Tensor) -> Tensor {
        let records = self.records(&[&a, b]);
        let kept = records.then(|| (self.save(&a), self.save(b)));
        let out = self.empty(a.numel, a.width);
        let (small, needs) = (b.numel, b.requires_grad());
        let out = self.record(&[&a, b], out, move |tape, grad| {
            let to_a = tape.empty(grad.numel, grad.width);
            let to_b = needs.then(|| {
                let terms = [0; 3].map(|_| tape.empty(grad.numel, grad.width));
                let full = tape.empty(grad.numel, grad.width);
                drop(terms);
                full
            });
            drop(grad);
            let to_b = to_b.map(|full| tape.sum_to(&full, small, false));
            drop(kept);
            vec![Some(to_a), to_b]
        });
        drop(a);
        out
    }

    /// `torch.where(mask, a, b)`.
    pub(crate) fn select_where(&self, mask: Tensor, a: Tensor, b: Tensor) -> Tensor {
        let kept = self.records(&[&a, &b]).then(|| self.save(&mask));
        let out = self.empty(a.numel, a.width);
        let out = self.record(&[&a, &b], out, move |tape, grad| {
            let (first, second) = (tape.empty(grad.numel, grad.width), tape.empty(grad.numel, grad.width));
            drop(kept);
            vec![Some(first), Some(second)]
        });
        drop((mask, a, b));
        out
    }

    /// A function whose gradient needs its input: `silu`, `gelu`.
    pub(crate) fn unary_saving_input(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(x));
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(grad.numel, grad.width);
            drop(kept);
            vec![Some(out)]
        })
    }

    /// `torch.erf(a)`: keeps its input. The gradient is one expression whose terms live until it ends (torch 2.15, `derivatives.yaml`).
    pub(crate) fn erf(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(x));
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let terms = [0; 4].map(|_| tape.empty(grad.numel, grad.width));
            let out = tape.empty(grad.numel, grad.width);
            drop((terms, grad, kept));
            vec![Some(out)]
        })
    }

    /// A function whose gradient needs its result: `tanh`, `relu`, `sigmoid`, `exp`.
    pub(crate) fn unary_saving_output(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel, x.width);
        let kept = self.records(&[x]).then(|| self.save(&out));
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(grad.numel, grad.width);
            drop(kept);
            vec![Some(out)]
        })
    }

    /// `-a`.
    pub(crate) fn neg(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, |tape, grad| vec![Some(tape.empty(grad.numel, grad.width))])
    }

    /// `a.pow(2)`.
    pub(crate) fn square(&self, a: impl Borrow<Tensor>) -> Tensor {
        self.power(a)
    }

    /// The standard deviation of all numbers: keeps them and its result.
    pub(crate) fn deviation(&self, x: &Tensor) -> Tensor {
        let kept = self.records(&[x]).then(|| self.save(x));
        let out = self.empty(1, x.width);
        let (numel, width) = (x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let centred = tape.empty(numel, width);
            let out = tape.empty(numel, width);
            drop((centred, grad, kept));
            vec![Some(out)]
        })
    }

    /// `a.pow(n)` for a number `n` of Python.
    pub(crate) fn power(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(x));
        let out = self.empty(x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let power = tape.empty(grad.numel, grad.width);
            let scaled = tape.empty(grad.numel, grad.width);
            let out = tape.empty(grad.numel, grad.width);
            drop((scaled, power, kept));
            vec![Some(out)]
        })
    }

    /// `torch.rsqrt(a)`.
    pub(crate) fn rsqrt(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty(x.numel, x.width);
        let kept = self.records(&[x]).then(|| self.save(&out));
        self.record(&[x], out, move |tape, grad| {
            let cube = tape.empty(grad.numel, grad.width);
            let half = tape.empty(grad.numel, grad.width);
            let out = tape.empty(grad.numel, grad.width);
            drop((half, cube, kept));
            vec![Some(out)]
        })
    }

    /// `a.mean(-1)`: `rows` elements.
    pub(crate) fn mean_last(&self, a: impl Borrow<Tensor>, rows: u64) -> Tensor {
        let x = a.borrow();
        let out = self.empty(rows, x.width);
        self.reduce_scratch(rows, x.numel / rows.max(1), true);
        let (numel, width) = (x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(numel, width);
            drop(grad);
            vec![Some(out)]
        })
    }

    /// `a.to(dtype)`: the same tensor if nothing changes.
    pub(crate) fn cast(&self, a: impl Borrow<Tensor>, width: u64) -> Tensor {
        let x = a.borrow();
        if x.width == width {
            return x.clone();
        }
        let out = self.empty(x.numel, width);
        let back = x.width;
        self.record(&[x], out, move |tape, grad| {
            let out = tape.copy_as(&grad, back);
            vec![Some(out)]
        })
    }

    /// A copy in a type of `width` bytes, outside the graph.
    pub(crate) fn copy_as(&self, x: &Tensor, width: u64) -> Tensor {
        if x.width == width { Tensor { edge: None, ..x.clone() } } else { self.empty(x.numel, width) }
    }

    /// `F.dropout` in training: the result and a byte mask.
    pub(crate) fn dropout(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        if self.evaluates() {
            return x.clone();
        }
        let mask = self.empty(x.numel, 1);
        let out = self.empty(x.numel, x.width);
        let kept = self.records(&[x]).then(|| self.save(&mask));
        drop(mask);
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(grad.numel, grad.width);
            drop(kept);
            vec![Some(out)]
        })
    }

    /// `softmax(a)` over the last dimension, in a type of `width` bytes.
    pub(crate) fn softmax(&self, a: impl Borrow<Tensor>, width: u64) -> Tensor {
        let x = a.borrow();
        // The kernel reads a half type and writes fp32 in one go.
        let out = self.empty(x.numel, width);
        let kept = self.records(&[x]).then(|| self.save(&out));
        let back = x.width;
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty(grad.numel, back);
            let product = tape.empty(grad.numel, grad.width);
            drop((product, kept));
            vec![Some(out)]
        })
    }

    /// The sum of `full` over its rows (or columns) down to `numel` elements.
    pub(crate) fn sum_to(&self, full: &Tensor, numel: u64, rows: bool) -> Tensor {
        let out = self.empty(numel, full.width);
        self.reduce_scratch(numel, full.numel / numel.max(1), !rows);
        out
    }

    /// Staging memory of a reduction, freed at once.
    pub(crate) fn reduce_scratch(&self, outputs: u64, inputs: u64, fastest: bool) {
        let (staging, semaphores) = super::super::reduce::scratch(self.device, outputs, inputs, fastest);
        if staging > 0 {
            let _staging = self.block(staging, crate::estimate::Part::Other);
            self.workspace(semaphores);
        }
    }

    /// A tensor without memory.
    pub(crate) fn empty_tensor(&self) -> Tensor {
        self.empty(0, 1)
    }
}
