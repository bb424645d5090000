//! Blocks that play the plan of an equal one.

use super::batch::Batch;
use super::decoder::{Model, run_block};
use super::modules::LayerModule;
use super::shared::SharedInputs;
use crate::arch::Layer;
use crate::setup::Checkpointing;
use crate::tape::{Plan, Tape, Tensor};
use std::rc::Rc;

/// A plan is written for at least this many equal blocks.
const EQUAL_BLOCKS: usize = 3;

/// Plans of one forward, by the shape of the block.
#[derive(Default)]
pub(super) struct Plans(Vec<(Layer, Rc<Plan>)>);

/// How the blocks of a forward are called.
#[derive(Clone, Copy)]
pub(super) struct BlockCall {
    pub(super) batch: Batch,
    pub(super) checkpointing: Checkpointing,
    /// The GPU of the block before it, and its own.
    pub(super) gpus: [u8; 2],
    /// Those of masks and of angles.
    pub(super) homes: [u8; 2],
}

impl Plans {
    /// Runs a block by a plan; `None` if it has to be run itself.
    pub(super) fn run(
        &mut self,
        t: &Tape,
        model: &Model,
        (index, layer): (usize, &LayerModule),
        (x, shared): (&Tensor, &Rc<SharedInputs>),
        call: BlockCall,
    ) -> Option<Tensor> {
        let modules = &model.modules;
        let equal = modules.layers.iter().filter(|other| other.shape == layer.shape).take(EQUAL_BLOCKS).count();
        if equal < EQUAL_BLOCKS || !t.plays(x) || !layer.is_self_contained() || modules.placement.is_spread() {
            return None;
        }
        let ids = modules.blocks.get(index)?;
        let others = shared.tensors()?;
        let known = self.0.iter().find(|(shape, plan)| *shape == layer.shape && t.fits(plan, x, &others, ids));
        let plan = if let Some((_, plan)) = known {
            Rc::clone(plan)
        } else {
            let (own, frame) = (layer.clone(), shared.frame());
            let body = move |t: &Tape, x: &Tensor, others: &[Tensor]| {
                let shared = Rc::new(frame.filled(others));
                run_block(t, (x, None), &own, &shared, call)
            };
            let plan = Rc::new(t.plan(Box::new(body), (x, &others), layer.number, ids)?);
            self.0.push((layer.shape, Rc::clone(&plan)));
            plan
        };
        Some(t.run_plan(&plan, (x, &others), layer.number, ids))
    }
}
