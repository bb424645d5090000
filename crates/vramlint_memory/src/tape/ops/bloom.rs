//! What BLOOM does by hand (transformers 5.23, `modeling_bloom.py`).

use crate::tape::{Tape, Tensor};

impl Tape {
    /// `GeLUFunction`: keeps its input; temporaries of its size both ways.
    pub(crate) fn bloom_gelu(&self, x: &Tensor) -> Tensor {
        let kept = self.records(&[x]).then(|| self.save(x));
        let like = |t: &Self| t.empty(x.numel, x.width);
        let out = {
            let half = like(self);
            let (scaled, inner) = (like(self), like(self));
            drop(like(self));
            let product = like(self);
            drop((scaled, inner));
            let gate = like(self);
            drop(product);
            let shifted = like(self);
            drop(gate);
            let out = like(self);
            drop((half, shifted));
            out
        };
        let (numel, width) = (x.numel, x.width);
        self.record(&[x], out, move |t, grad| {
            let like = || t.empty(numel, width);
            let gate = like();
            let first = like();
            let second = like();
            let (third, fourth) = (like(), like());
            drop((second, third));
            drop((first, fourth));
            let whole = like();
            let out = like();
            drop((gate, whole, grad, kept));
            vec![Some(out)]
        })
    }

    /// `torch.baddbmm` over a constant: each gradient is multiplied by the factor of the product.
    pub(crate) fn bloom_scores(&self, x: &Tensor, y: &Tensor, numel: u64) -> Tensor {
        let kept_y = (self.records(&[x]) && x.requires_grad()).then(|| self.save(y));
        let kept_x = (self.records(&[y]) && y.requires_grad()).then(|| self.save(x));
        let out = self.empty(numel, x.width);
        self.workspace(self.device.cublas);
        let (needs, numels) = ([x.requires_grad(), y.requires_grad()], [x.numel, y.numel]);
        self.record(&[x, y], out, move |tape, grad| {
            let to = |index: usize| {
                needs[index].then(|| {
                    let raw = tape.empty(numels[index], grad.width);
                    tape.workspace(tape.device.cublas);
                    let out = tape.empty(raw.numel, raw.width);
                    out.view()
                })
            };
            let to_x = to(0);
            let to_y = to(1);
            drop(grad);
            drop((kept_x, kept_y));
            vec![to_x, to_y]
        })
    }
}
