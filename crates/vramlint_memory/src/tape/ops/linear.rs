//! Matrix products.

use crate::estimate::Part;
use crate::tape::{Module, ParamId, Tape, Tensor};
use std::borrow::Borrow;

/// How a weight is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Unquantized.
    Plain(ParamId),
    /// bitsandbytes, 4 bits: unpacked to the compute type for each product.
    FourBit {
        /// The packed weight.
        id: ParamId,
        /// Its scales are quantized too.
        double: bool,
        /// Bytes of the type to which it is unpacked (`bnb_4bit_compute_dtype`); `None`: as the input.
        compute: Option<u64>,
    },
    /// bitsandbytes LLM.int8.
    Int8(ParamId),
}

impl Weight {
    /// Its parameter.
    pub(crate) const fn id(self) -> ParamId {
        match self {
            Self::Plain(id) | Self::FourBit { id, .. } | Self::Int8(id) => id,
        }
    }
}

/// A linear layer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linear {
    /// Columns of its input.
    pub(crate) input: u64,
    /// Columns of its output.
    pub(crate) output: u64,
    /// The weight.
    pub(crate) weight: Weight,
    /// The bias.
    pub(crate) bias: Option<ParamId>,
}

impl Tape {
    /// A call of a linear module: hooks run before and after the product.
    pub(crate) fn linear_module(&self, x: impl Borrow<Tensor>, layer: &Linear) -> Tensor {
        self.module(Module::leaf([Some(layer.weight.id()), layer.bias]), x, |t, x| t.linear(x, layer))
    }

    /// A weight under autocast: its copy in the compute type, cached until autocast ends.
    pub(crate) fn compute_weight(&self, id: ParamId) -> Tensor {
        let weight = self.weight(id);
        let Some(width) = self.autocast_width() else { return weight };
        if width == weight.width {
            // Adapters are in the type of autocast, or in fp32.
            let is_adapter = self.device.adapted && weight.requires_grad();
            return if self.device.mixed_halves && width == 2 && !is_adapter { self.other_half(&weight) } else { weight };
        }
        let known = self.copies.borrow().get(&id).cloned();
        if let Some(copy) = known {
            let back = weight.width;
            // A copy that a block made by its plan has no history yet.
            let is_new = copy.edge.is_none() && weight.requires_grad();
            return if is_new { self.record(&[&weight], copy, move |t, grad| vec![Some(t.copy_as(&grad, back))]) } else { copy };
        }
        let copy = self.cast(&weight, width);
        // Only leaves that need a gradient are remembered (torch 2.15, `aten/src/ATen/autocast_mode.cpp`).
        if weight.requires_grad() {
            self.copies.borrow_mut().insert(id, copy.clone());
        }
        copy
    }

    /// A copy in the other 16-bit type, made for each call: autocast remembers copies of fp32 alone (torch 2.15, `cached_cast`).
    fn other_half(&self, x: &Tensor) -> Tensor {
        let copy = self.empty(x.numel, x.width);
        self.record(&[x], copy, |t, grad| vec![Some(t.empty(grad.numel, grad.width))])
    }

    /// A copy of a stored weight in a type of `width` bytes, dequantized if necessary; the weight itself if nothing changes.
    pub(crate) fn weight_as(&self, layer: &Linear, width: u64) -> Tensor {
        match layer.weight {
            Weight::Plain(id) => self.cast(self.weight(id), width),
            Weight::FourBit { .. } | Weight::Int8(_) => {
                let half = self.empty(layer.input * layer.output, 2);
                self.cast(half, width)
            }
        }
    }

    /// `F.linear` of a stored weight, with the casts of autocast.
    pub(crate) fn linear(&self, a: impl Borrow<Tensor>, layer: &Linear) -> Tensor {
        let x = a.borrow();
        let cast = |x: &Tensor| self.autocast_width().map_or_else(|| x.clone(), |width| self.cast(x, width));
        match layer.weight {
            Weight::Plain(id) => {
                let bias = layer.bias.map(|bias| self.compute_weight(bias));
                let weight = self.compute_weight(id);
                self.matmul(cast(x), weight, bias.as_ref(), layer.output)
            }
            // Autograd functions of Python, which autocast leaves alone.
            Weight::FourBit { double, compute, .. } => self.linear_4bit(x, layer, double, compute.unwrap_or(x.width)),
            Weight::Int8(_) => self.linear_8bit(x, layer),
        }
    }

    /// `x @ weight.T (+ bias)`, rows of `columns`.
    pub(crate) fn matmul(&self, x: Tensor, weight: Tensor, bias: Option<&Tensor>, columns: u64) -> Tensor {
        self.matmul_as(x, weight, bias, columns, Part::Activations)
    }

    /// The same, the result counted as `part`.
    pub(crate) fn matmul_as(&self, x: Tensor, weight: Tensor, bias: Option<&Tensor>, columns: u64, part: Part) -> Tensor {
        if self.hooks().is_some_and(|hooks| hooks.replaces_linear()) {
            return self.zero3_linear(x, weight, bias, columns, part);
        }
        let rows = x.numel * columns / weight.numel.max(1);
        let nothing = self.empty_tensor();
        let b = bias.unwrap_or(&nothing);
        let kept_w = (self.records(&[&x]) && x.requires_grad()).then(|| self.save(&weight));
        let kept_x = (self.records(&[&weight]) && weight.requires_grad()).then(|| self.save(&x));
        let out = self.empty_as(rows * columns, x.width, part);
        let biased = bias.is_some();
        self.workspace(if biased { self.device.cublas_lt } else { self.device.cublas });
        let (needs_x, needs_w, needs_b) = (x.requires_grad(), weight.requires_grad(), b.requires_grad());
        let (x_numel, w_numel, b_numel) = (x.numel, weight.numel, b.numel);
        let early = self.frees_saved_early();
        let out = self.record(&[&x, &weight, b], out, move |tape, grad| {
            let to_input = |tape: &Self| {
                needs_x.then(|| {
                    let out = tape.empty(x_numel, grad.width);
                    tape.workspace(tape.device.cublas);
                    out.view()
                })
            };
            let to_weight = |tape: &Self| {
                needs_w.then(|| {
                    let out = tape.empty(w_numel, grad.width);
                    tape.workspace(tape.device.cublas);
                    // The gradient of `weight.T`, transposed back.
                    out.view()
                })
            };
            let (to_x, to_w) = if biased {
                let to_x = to_input(tape);
                (to_x, to_weight(tape))
            } else {
                let to_w = to_weight(tape);
                (to_input(tape), to_w)
            };
            let mut kept = Some((kept_x, kept_w));
            if early {
                kept = None;
            }
            let to_b = needs_b.then(|| tape.sum_to(&grad, b_numel, true));
            drop((grad, kept));
            vec![to_x, to_w, to_b]
        });
        drop(x);
        out
    }

    /// The product of DeepSpeed's `LinearFunctionForZeroStage3` (deepspeed 0.19.8, `runtime/zero/linear.py`), which replaces
    /// `F.linear` for good: it keeps its input though the weight be frozen, adds the bias in place, and returns its gradients
    /// together.
    fn zero3_linear(&self, x: Tensor, weight: Tensor, bias: Option<&Tensor>, columns: u64, part: Part) -> Tensor {
        let rows = x.numel * columns / weight.numel.max(1);
        let nothing = self.empty_tensor();
        let b = bias.unwrap_or(&nothing);
        let kept = self.records(&[&x, &weight, b]).then(|| (self.save(&x), self.save(&weight), self.save(b)));
        let out = self.empty_as(rows * columns, x.width, part);
        self.workspace(self.device.cublas);
        let (needs_x, needs_w, needs_b) = (x.requires_grad(), weight.requires_grad(), b.requires_grad());
        let (x_numel, w_numel, b_numel) = (x.numel, weight.numel, b.numel);
        let out = self.record(&[&x, &weight, b], out, move |tape, grad| {
            let product = |needs: bool, numel: u64| {
                needs.then(|| {
                    let out = tape.empty(numel, grad.width);
                    tape.workspace(tape.device.cublas);
                    out
                })
            };
            let to_x = product(needs_x, x_numel);
            let to_w = product(needs_w, w_numel);
            let to_b = needs_b.then(|| tape.sum_to(&grad, b_numel, true));
            drop(grad);
            drop(kept);
            vec![to_x, to_w, to_b]
        });
        drop((x, weight));
        out
    }

    /// A batched matmul of two activations, each of which may need a gradient: `numel` elements.
    pub(crate) fn bmm(&self, a: impl Borrow<Tensor>, b: impl Borrow<Tensor>, numel: u64) -> Tensor {
        let (x, y) = (a.borrow(), b.borrow());
        let kept_y = (self.records(&[x]) && x.requires_grad()).then(|| self.save(y));
        let kept_x = (self.records(&[y]) && y.requires_grad()).then(|| self.save(x));
        let out = self.empty(numel, x.width);
        self.workspace(self.device.cublas);
        let (needs_x, needs_y) = (x.requires_grad(), y.requires_grad());
        let (x_numel, y_numel) = (x.numel, y.numel);
        self.record(&[x, y], out, move |tape, grad| {
            let to = |needs: bool, numel: u64| {
                needs.then(|| {
                    let out = tape.empty(numel, grad.width);
                    tape.workspace(tape.device.cublas);
                    out.view()
                })
            };
            let to_y = to(needs_y, y_numel);
            let to_x = to(needs_x, x_numel);
            drop(grad);
            drop((kept_x, kept_y));
            vec![to_x, to_y]
        })
    }
}
