//! Convolutions over time, each channel by itself.

use crate::tape::{ParamId, Tape, Tensor};

impl Tape {
    /// `F.conv1d` of channels (batch, channels, time) that are views of another layout, so that the kernel copies them, padded on both
    /// sides: `taps - 1` more results per row and channel, which a slice leaves away (transformers 5.23, the fallback of
    /// `causal_conv1d_fn`).
    pub(crate) fn causal_convolution(&self, x: &Tensor, filter: (ParamId, Option<ParamId>), rows: u64, taps: u64) -> Tensor {
        let outer = x.width;
        let stored = (self.weight(filter.0), filter.1.map(|bias| self.weight(bias)));
        let x = self.cast(x, stored.0.width);
        let width = self.autocast_width().unwrap_or(x.width);
        let (x, weight) = (self.cast(x, width), self.cast(&stored.0, width));
        let bias = stored.1.map_or_else(|| self.empty_tensor(), |bias| self.cast(bias, width));
        let whole = x.numel + rows * (taps - 1);
        let kept = self.records(&[&x, &weight]).then(|| (self.save(&x), self.save(&weight)));
        let out = {
            let copy = self.empty(x.numel, width);
            let out = self.empty(whole, width);
            drop(copy);
            out
        };
        let (input, needs_x, needs_w, needs_b) = (x.numel, x.requires_grad(), weight.requires_grad(), bias.requires_grad());
        let (weights, biases) = (weight.numel, bias.numel);
        let out = self.record(&[&x, &weight, &bias], out, move |t, grad| {
            let copy = t.empty(input, grad.width);
            let to_x = needs_x.then(|| t.empty(input, grad.width));
            let to_w = needs_w.then(|| t.empty(weights, grad.width));
            let to_b = needs_b.then(|| t.empty(biases, grad.width));
            drop((copy, grad, kept));
            vec![to_x, to_w, to_b]
        });
        drop((x, weight));
        self.cast(self.slice(out, input), outer)
    }
}
