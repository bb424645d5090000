//! Blocks that play the plan of an equal one.

use super::batch::Batch;
use super::build::Modules;
use super::decoder::run_block;
use super::modules::LayerModule;
use super::shared::{SharedFrame, SharedInputs};
use crate::arch::Layer;
use crate::setup::Checkpointing;
use crate::tape::{Plan, Tape, Tensor};
use std::cell::RefCell;
use std::rc::Rc;

/// A plan is written for at least this many equal blocks.
const EQUAL_BLOCKS: usize = 3;

/// A plan, and the blocks and calls that it is for.
struct KnownPlan {
    shape: Layer,
    call: BlockCall,
    frame: SharedFrame,
    plan: Rc<Plan>,
}

/// The plans of one model.
#[derive(Default)]
pub(super) struct Plans(RefCell<Vec<KnownPlan>>);

/// How the blocks of a forward are called.
#[derive(Clone, Copy, PartialEq, Eq)]
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
        &self,
        t: &Tape,
        modules: &Modules,
        (index, layer): (usize, &LayerModule),
        (x, shared): (&Tensor, &Rc<SharedInputs>),
        call: BlockCall,
    ) -> Option<Tensor> {
        let equal = modules.layers.iter().filter(|other| other.shape == layer.shape).take(EQUAL_BLOCKS).count();
        if equal < EQUAL_BLOCKS || !t.plays(x) || !layer.is_self_contained() || modules.placement.is_spread() {
            return None;
        }
        let ids = modules.blocks.get(index)?;
        let others = shared.tensors()?;
        let is_for = |known: &&KnownPlan| {
            known.shape == layer.shape && known.call == call && known.frame.is_of(shared) && t.fits(&known.plan, x, &others, ids)
        };
        let known = self.0.borrow().iter().rev().find(is_for).map(|known| Rc::clone(&known.plan));
        let plan = if let Some(plan) = known {
            plan
        } else {
            let (own, frame) = (layer.clone(), shared.frame());
            let body = move |t: &Tape, x: &Tensor, others: &[Tensor]| {
                let shared = Rc::new(frame.filled(others));
                run_block(t, (x, None), &own, &shared, call)
            };
            let plan = Rc::new(t.plan(Box::new(body), (x, &others), layer.number, ids)?);
            let known = KnownPlan { shape: layer.shape, call, frame: shared.frame(), plan: Rc::clone(&plan) };
            self.0.borrow_mut().push(known);
            plan
        };
        Some(t.run_plan(&plan, (x, &others), layer.number, ids))
    }
}
