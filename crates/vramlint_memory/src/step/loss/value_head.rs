//! A score for every token beside the logits: a reward model that keeps the head of the language model (trl 0.24.0
//! `models/modeling_value_head.py`, LLaMA-Factory 0.9.6 `train/rm/trainer.py`).

use super::{causal, scalar, site};
use crate::estimate::Part;
use crate::model::{Batch, Model, OutputHead};
use crate::setup::{Checkpointing, Dtype, Setup};
use crate::tape::{Tape, Tensor};

/// The loss over pairs of scores. The logits are computed and converted to fp32, though no loss sees them.
pub(super) fn loss(t: &Tape, model: &Model, ids: &Tensor, batch: Batch, setup: &Setup) -> Tensor {
    // The model returns what every block gets. Checkpointing keeps that anyway, and so do norms that need no cast to fp32.
    let is_kept = setup.checkpointing != Checkpointing::None || setup.weights == Dtype::Fp32;
    let blocks = if is_kept { 0 } else { model.modules.layers.len() as u64 };
    let states = t.empty(batch.tokens() * model.hidden * blocks, setup.weights.bytes());
    let hidden = model.forward(t, ids, batch, setup, true);
    t.set_site(site());
    let OutputHead::Vocabulary { weight, bias, .. } = &model.modules.head else { return hidden };
    let logits = t.no_grad(|t| model.finish_logits(t, causal::logits(t, hidden.clone(), *weight, *bias, model.vocab)));
    let scores = {
        // The head of scores is fp32, so its input becomes fp32, and half again under autocast.
        let wide = t.cast(t.dropout(&hidden), 4);
        let input = t.autocast_width().map_or_else(|| wide.clone(), |width| t.cast(&wide, width));
        per_token(t, &input, batch.tokens())
    };
    drop(hidden);
    let wide = t.cast_logits(&logits, 4);
    drop((logits, wide, states));
    let difference = t.unary_saving_input(t.cast(&scores, 4));
    scalar(t, &difference)
}

/// One number for each token; backward keeps the input.
fn per_token(t: &Tape, input: &Tensor, tokens: u64) -> Tensor {
    let out = t.empty_as(tokens, input.width, Part::Activations);
    let kept = t.records(&[input]).then(|| t.save(input));
    let (numel, width) = (input.numel, input.width);
    t.record(&[input], out, move |tape, grad| {
        let own = tape.empty(numel, width);
        drop((grad, kept));
        vec![Some(own)]
    })
}
