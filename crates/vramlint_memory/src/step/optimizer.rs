//! Clipping and the optimizer's step.

use crate::estimate::Part;
use crate::setup::{Optimizer, Setup};
use crate::tape::{ParamId, Tape, Tensor};

/// States that stay.
#[derive(Default)]
pub(super) struct State {
    kept: Vec<Tensor>,
}

/// `clip_grad_norm_`: a norm per parameter, one over them.
pub(super) fn clip(t: &Tape, trained: &[ParamId]) {
    let norms: Vec<Tensor> = trained.iter().filter(|id| t.grad_bytes(**id).is_some()).map(|_| t.empty(1, 4)).collect();
    let stacked = t.empty(norms.len() as u64, 4);
    drop((norms, stacked));
}

/// One step.
pub(super) fn step(t: &Tape, trained: &[ParamId], setup: &Setup, state: &mut State) {
    let first = state.kept.is_empty();
    match setup.optimizer {
        Optimizer::AdamWFused | Optimizer::AdamWForeach => {
            if first {
                for id in trained {
                    let (numel, width) = t.with_param(*id, |param| (param.shape[0] * param.shape[1], param.width()));
                    state.kept.push(t.empty_as(1, 4, Part::Optimizer));
                    state.kept.push(t.empty_as(numel, width, Part::Optimizer));
                    state.kept.push(t.empty_as(numel, width, Part::Optimizer));
                }
            }
            if setup.optimizer == Optimizer::AdamWForeach {
                let temporaries: Vec<Tensor> = trained
                    .iter()
                    .map(|id| {
                        let (numel, width) = t.with_param(*id, |param| (param.shape[0] * param.shape[1], param.width()));
                        t.empty(numel, width)
                    })
                    .collect();
                drop(temporaries);
            }
        }
        Optimizer::Sgd => {}
        _ => todo!("other optimizers"),
    }
}
