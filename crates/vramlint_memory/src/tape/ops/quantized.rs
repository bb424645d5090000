//! Products with weights that bitsandbytes 0.50 has quantized.

use super::{Linear, Weight};
use crate::estimate::Part;
use crate::tape::{ParamId, Tape, Tensor};

/// Weights that share a scale.
const BLOCK: u64 = 64;

impl Tape {
    /// `Linear4bit`: the weight is unpacked for each product, forward and backward, to a type of `compute` bytes.
    pub(super) fn linear_4bit(&self, x: &Tensor, layer: &Linear, double: bool, compute: u64) -> Tensor {
        let outer = x.width;
        let x = self.cast(x, compute);
        let bias = layer.bias.map(|bias| self.cast(self.weight(bias), compute));
        let numel = layer.input * layer.output;
        let rows = x.numel / layer.input.max(1);
        let scales = move |t: &Self| t.empty(numel / BLOCK, 4);
        let temporary = double.then(|| (scales(self), scales(self)));
        let weight = self.empty(numel, compute);
        let out = self.empty(rows * layer.output, compute);
        self.workspace(if bias.is_some() { self.device.cublas_lt } else { self.device.cublas });
        drop((temporary, weight, bias));
        let input = x.numel;
        let out = self.record(&[&x], out, move |t, grad| {
            let temporary = double.then(|| scales(t));
            let weight = t.empty(numel, compute);
            drop(temporary);
            let out = t.empty(input, compute);
            t.workspace(t.device.cublas);
            drop((weight, grad));
            vec![Some(out)]
        });
        drop(x);
        self.cast(out, outer)
    }

    /// `Linear8bitLt`: quantizes the input and multiplies integers. The input stays on the autograd node itself, even
    /// if checkpointing would drop it.
    pub(super) fn linear_8bit(&self, x: &Tensor, layer: &Linear) -> Tensor {
        let rows = x.numel / layer.input.max(1);
        let numel = layer.input * layer.output;
        let (scales, codes) = {
            let half = self.empty(x.numel, 2);
            let quantized = (self.empty(rows, 4), self.empty(x.numel, 1));
            let absolute = self.empty(x.numel, 2);
            let outliers = self.empty(x.numel, 1);
            drop((absolute, outliers, half));
            quantized
        };
        let out = {
            let whole = self.empty(rows * layer.output, 4);
            let half = self.empty(rows * layer.output, 2);
            let out = self.empty(rows * layer.output, x.width);
            drop((half, whole));
            out
        };
        let kept = self.records(&[x]).then(|| self.hold(x));
        drop((codes, scales));
        let (input, width) = (x.numel, x.width);
        self.record(&[x], out, move |t, grad| {
            let weight = t.empty(numel, width);
            let out = t.empty(input, width);
            t.workspace(t.device.cublas);
            drop((weight, grad, kept));
            vec![Some(out)]
        })
    }

    /// A weight as it was before it was quantized to 4 bits; what was unpacked belongs to no graph.
    pub(crate) fn dequantized(&self, weight: Weight) -> Tensor {
        let numel = self.numel(weight.id());
        match weight {
            Weight::Plain(id) | Weight::Int8(id) => self.weight(id),
            Weight::FourBit { double, compute, .. } => {
                let scales = double.then(|| (self.empty(numel / BLOCK, 4), self.empty(numel / BLOCK, 4)));
                let out = self.empty(numel, compute.unwrap_or(2));
                drop(scales);
                out
            }
        }
    }

    /// The rows of `count` groups times a matrix each, of which one at a time is dequantized: `numel` elements.
    pub(crate) fn product_one_by_one(&self, x: &Tensor, weight: Weight, numel: u64, count: u64) -> Tensor {
        let one = self.numel(weight.id()) / count.max(1);
        let out = self.empty(numel, x.width);
        drop(self.empty(one, x.width));
        let input = x.numel;
        self.record(&[x], out, move |t, grad| {
            let out = t.empty(input, grad.width);
            drop(t.empty(one, grad.width));
            drop(grad);
            vec![Some(out)]
        })
    }

    /// Quantizes a parameter to 4-bit codes; returns its scales and tables.
    pub(crate) fn quantize_four_bit(&self, id: ParamId, double: bool) -> Vec<Tensor> {
        let weights = |numel, width| self.empty_as(numel, width, Part::Weights);
        let numel = self.with_param(id, |param| param.shape[0] * param.shape[1]);
        let scales = weights(numel.div_ceil(BLOCK), 4);
        let codes = weights(numel.div_ceil(2), 1);
        let table = weights(64, 1);
        let mut states = vec![table];
        if double {
            // The scales themselves are quantized, in blocks of 256, around their mean.
            states.push(weights(4, 1));
            let centred = weights(scales.numel, 4);
            let second = weights(scales.numel.div_ceil(256), 4);
            states.push(weights(scales.numel, 1));
            states.extend([second, weights(256, 4)]);
            drop((centred, scales));
        } else {
            states.push(scales);
        }
        self.set_memory(id, codes);
        states
    }

    /// Turns a parameter into 8-bit codes with a scale per row.
    pub(crate) fn quantize_int8(&self, id: ParamId) -> Vec<Tensor> {
        let weights = |numel, width| self.empty_as(numel, width, Part::Weights);
        let [rows, columns] = self.with_param(id, |param| param.shape);
        let half = weights(rows * columns, 2);
        let scales = weights(rows, 4);
        let codes = weights(rows * columns, 1);
        drop(half);
        self.set_memory(id, codes);
        vec![scales]
    }
}
