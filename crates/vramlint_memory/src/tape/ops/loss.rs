//! Losses over a vocabulary.

use crate::estimate::Part;
use crate::tape::{Tape, Tensor};
use std::borrow::Borrow;

impl Tape {
    /// A cast of logits, counted as such.
    pub(crate) fn cast_logits(&self, a: impl Borrow<Tensor>, width: u64) -> Tensor {
        let x = a.borrow();
        if x.width == width {
            return x.clone();
        }
        let out = self.empty_as(x.numel, width, Part::Logits);
        let back = x.width;
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty_as(grad.numel, back, Part::Logits);
            drop(grad);
            vec![Some(out)]
        })
    }

    /// `F.cross_entropy` over rows of logits: log-softmax and its gradient, each as large as the logits. Autocast leaves log-softmax
    /// in its type and gathers the label probabilities in fp32.
    pub(crate) fn cross_entropy(&self, a: impl Borrow<Tensor>, labels: &Tensor) -> Tensor {
        let x = a.borrow();
        let probabilities = self.empty_as(x.numel, x.width, Part::Logits);
        let kept = self.records(&[x]).then(|| self.save(&probabilities));
        let (numel, width) = (x.numel, x.width);
        let probabilities = self.record(&[x], probabilities, move |tape, grad| {
            let out = tape.empty_as(numel, width, Part::Logits);
            drop((grad, kept));
            vec![Some(out)]
        });
        let probabilities = if self.autocast_width().is_some() { self.cast_logits(probabilities, 4) } else { probabilities };
        let width = probabilities.width;
        let loss = self.empty(1, width);
        let weight = self.empty(1, width);
        let kept = self.records(&[&probabilities]).then(|| (self.save(&probabilities), self.save(labels), self.save(&weight)));
        drop(weight);
        self.record(&[&probabilities], loss, move |tape, grad| {
            let out = tape.empty_as(numel, width, Part::Logits);
            drop((grad, kept));
            vec![Some(out)]
        })
    }
}
