//! From hidden states to a loss.

use crate::estimate::{Part, Phase, Words};
use crate::model::{Batch, Head, Model};
use crate::setup::Setup;
use crate::tape::{Module, Site, Tape, Tensor};

pub(super) const LOSS: Words = Words { en: "head and loss", zh: "输出层与损失" };

/// The loss of one micro-batch.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    let labels = t.empty_as(batch.tokens(), 8, Part::Other);
    let count = t.empty_as(1, 8, Part::Other);
    let hidden = model.forward(t, ids, batch, setup, true);
    t.at(Site { phase: Phase::Loss, layer: 0, name: &LOSS });
    match &model.loaded.head {
        Head::Vocabulary { weight, bias, transform } => {
            assert!(transform.is_none(), "masked heads come later");
            let logits = t.module(Module::leaf([Some(*weight), *bias]), &hidden, |t, hidden| {
                let weight = t.compute_weight(*weight);
                let bias = bias.map(|bias| t.compute_weight(bias));
                let x = match t.autocast_width() {
                    Some(width) => t.cast(hidden, width),
                    None => hidden.clone(),
                };
                t.product_as(x, weight, bias.as_ref(), model.vocab, Part::Logits)
            });
            drop(hidden);
            let wide = t.cast_logits(&logits, 4);
            let padded = t.empty_as(batch.tokens() + 1, 8, Part::Other);
            let shifted = t.empty_as(batch.tokens(), 8, Part::Other);
            let loss = t.cross_entropy(&wide, &shifted);
            drop((wide, padded, shifted));
            let divided = t.mul(loss, crate::tape::Other::Columns(&count));
            if t.autocast_width().is_some() {
                // accelerate converts what the model returns to fp32 when autocast has ended.
                t.no_grad(|t| drop(t.cast_logits(&logits, 4)));
            }
            drop((logits, labels, count));
            divided
        }
        Head::Classes { .. } => todo!("classes"),
    }
}
