//! Log-probabilities row by row from full logits, as TRL did before its fused head (`selective_log_softmax`).

use crate::estimate::Part;
use crate::tape::{Tape, Tensor};
use std::borrow::Borrow;

/// The maximum number of pieces: more would only lengthen the trace.
const GROUPS: u64 = 64;

/// `rows × length` elements out of `rows × length × vocab`.
pub(super) fn log_probs(t: &Tape, logits: Tensor, rows: u64, length: u64, vocab: u64) -> Tensor {
    // Many rows are grouped: the same bytes in fewer pieces.
    let groups = rows.clamp(1, GROUPS);
    let each = rows * length * vocab / groups;
    let length = rows * length / groups;
    if logits.width == 4 {
        let picked = t.gather(&logits, groups * length);
        let parts = t.split(&logits, &vec![each; usize::try_from(groups).unwrap_or(1)]);
        let sums: Vec<Tensor> = parts.into_iter().map(|part| t.log_sum_exp(part, length)).collect();
        drop(logits);
        let sums = t.cat(&sums.iter().collect::<Vec<_>>());
        return t.add(picked, sums);
    }
    let parts = t.split(&logits, &vec![each; usize::try_from(groups).unwrap_or(1)]);
    drop(logits);
    let picked: Vec<Tensor> = parts
        .into_iter()
        .map(|part| {
            let probabilities = t.log_softmax(part);
            t.gather(&probabilities, length)
        })
        .collect();
    t.cat(&picked.iter().collect::<Vec<_>>())
}

impl Tape {
    /// `F.log_softmax`, counted as logits.
    pub(super) fn log_softmax(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty_as(x.numel, x.width, Part::Logits);
        let kept = self.records(&[x]).then(|| self.save(&out));
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty_as(grad.numel, grad.width, Part::Logits);
            drop((grad, kept));
            vec![Some(out)]
        })
    }

    /// `torch.gather` of `numel` elements: backward writes into zeros of the input's size.
    pub(super) fn gather(&self, x: &Tensor, numel: u64) -> Tensor {
        let out = self.empty(numel, x.width);
        let (whole, width) = (x.numel, x.width);
        self.record(&[x], out, move |tape, grad| {
            let out = tape.empty_as(whole, width, Part::Logits);
            drop(grad);
            vec![Some(out)]
        })
    }

    /// `torch.logsumexp` over the last dimension.
    fn log_sum_exp(&self, a: impl Borrow<Tensor>, rows: u64) -> Tensor {
        let x = a.borrow();
        let kept = self.records(&[x]).then(|| self.save(x));
        let shifted = self.empty_as(x.numel, x.width, Part::Logits);
        let out = self.empty(rows, x.width);
        drop(shifted);
        let numel = x.numel;
        self.record(&[x], out, move |tape, grad| {
            let difference = tape.empty_as(numel, grad.width, Part::Logits);
            let out = tape.empty_as(numel, grad.width, Part::Logits);
            drop((difference, grad, kept));
            vec![Some(out)]
        })
    }

    /// Logits divided by a temperature.
    pub(super) fn scale_logits(&self, a: impl Borrow<Tensor>) -> Tensor {
        let x = a.borrow();
        let out = self.empty_as(x.numel, x.width, Part::Logits);
        self.record(&[x], out, |tape, grad| {
            let out = tape.empty_as(grad.numel, grad.width, Part::Logits);
            vec![Some(out)]
        })
    }
}
