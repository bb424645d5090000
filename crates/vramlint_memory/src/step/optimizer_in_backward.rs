//! An optimizer that steps inside backward: as soon as the gradient of a parameter is complete, its own optimizer steps and the
//! gradient is freed (torchtune 0.7.0, `training/memory.py`, `register_optim_in_bwd_hooks`). Gradients never live together, so nothing
//! clips or accumulates them.

use super::optimizer::{self, OptimizerState};
use super::{STEP, Site};
use crate::estimate::Phase;
use crate::setup::Setup;
use crate::tape::{Hooks, Module, ParamId, Tape};
use std::cell::RefCell;
use std::collections::HashMap;

/// One optimizer for each parameter.
pub(super) struct OptimizerInBackward {
    setup: Setup,
    states: RefCell<HashMap<ParamId, OptimizerState>>,
}

impl OptimizerInBackward {
    pub(super) fn new(setup: &Setup) -> Self {
        Self { setup: setup.clone(), states: RefCell::default() }
    }

    /// Bytes of states in managed memory.
    pub(super) fn managed(&self) -> u64 {
        self.states.borrow().values().map(|state| state.managed).sum()
    }
}

impl Hooks for OptimizerInBackward {
    fn before_forward(&self, _t: &Tape, _module: &Module) {}

    fn after_forward(&self, _t: &Tape, _module: &Module) {}

    fn before_backward(&self, _t: &Tape, _module: &Module) {}

    fn after_backward(&self, _t: &Tape, _module: &Module) {}

    fn gradient(&self, t: &Tape, id: ParamId) {
        let before = t.site();
        t.set_site(Site { phase: Phase::Optimizer, name: &STEP, ..before });
        optimizer::step(t, &[id], &self.setup, self.states.borrow_mut().entry(id).or_default());
        drop(t.take_grad(id));
        t.set_site(before);
    }
}
