//! What a model returns and a training loop of its own goes on naming: `outputs = model(**batch)`. Its tensors live through backward, and
//! in a loop through the next forward, until the name is bound again.

use super::{Tape, Tensor};
use std::cell::{Cell, RefCell};

/// The tensors of the last call and of the one that runs.
#[derive(Default)]
pub(super) struct ReturnedOutputs {
    /// Whether the model returns its keys and values.
    caches: Cell<bool>,
    /// Whether the loop names what the model returns.
    named: Cell<bool>,
    /// Whether what autocast computed comes back in fp32.
    widened: Cell<bool>,
    running: RefCell<Vec<Tensor>>,
    bound: RefCell<Vec<Tensor>>,
    /// Results of the steps of a loss that the loop still names, by the number of the step.
    steps: RefCell<Vec<(usize, Tensor)>>,
}

impl ReturnedOutputs {
    /// Whether outputs are named, and whether caches are among them.
    pub(super) fn flags(&self) -> (bool, bool) {
        (self.named.get(), self.caches.get())
    }

    /// Sets what [`Self::flags`] gives.
    pub(super) fn set_flags(&self, (named, caches): (bool, bool)) {
        self.named.set(named);
        self.caches.set(caches);
    }

    /// Whether what autocast computed comes back in fp32.
    pub(super) fn is_widened(&self) -> bool {
        self.widened.get()
    }

    /// A tensor is part of what the model returns.
    pub(super) fn push(&self, output: Tensor) {
        self.running.borrow_mut().push(output);
    }

    /// What the model has returned so far.
    pub(super) fn take(&self) -> Vec<Tensor> {
        self.running.take()
    }
}

impl Tape {
    /// A call of the model begins.
    pub(crate) fn begin_call(&self, named: bool, caches: bool) {
        self.returned.named.set(named);
        self.returned.caches.set(caches);
    }

    /// Whether the calls return in fp32 what autocast computed.
    pub(crate) fn set_widened_outputs(&self, widened: bool) {
        self.returned.widened.set(widened);
    }

    /// See [`Tape::set_widened_outputs`].
    pub(crate) fn widens_outputs(&self) -> bool {
        self.returned.widened.get() && self.autocast_width().is_some()
    }

    /// A tensor is part of what the model returns.
    pub(crate) fn return_output(&self, output: &Tensor) {
        if self.returned.named.get() {
            self.returned.running.borrow_mut().push(Tensor { edge: None, ..output.clone() });
        }
    }

    /// Keys or values in the cache that the model returns (transformers 5.23 `cache_utils.py`, `DynamicLayer.update`): a copy of `width`
    /// bytes, the type of the keys.
    pub(crate) fn cached(&self, states: Tensor, width: u64) -> Tensor {
        if !self.returned.caches.get() {
            return states;
        }
        let copy = if states.width == width { self.cat(&[&states]) } else { self.cast(&states, width) };
        // The model holds it until it returns, whether or not the loop names what it returns.
        self.returned.running.borrow_mut().push(Tensor { edge: None, ..copy.clone() });
        copy
    }

    /// A loop goes on naming the result of a step of its loss.
    pub(crate) fn keep_bound(&self, step: usize, result: &Tensor) {
        self.returned.steps.borrow_mut().push((step, Tensor { edge: None, ..result.clone() }));
    }

    /// The name of the result of a step is bound anew.
    pub(crate) fn rebind(&self, step: usize) {
        self.returned.steps.borrow_mut().retain(|(number, _)| *number != step);
    }

    /// The function that named results of steps has returned.
    pub(crate) fn forget_bound(&self) {
        self.returned.steps.borrow_mut().clear();
    }

    /// The call has returned what its caller holds from now on.
    pub(crate) fn take_returned(&self) -> Vec<Tensor> {
        self.begin_call(false, false);
        self.returned.running.take()
    }

    /// One of several calls has returned what its caller does not name.
    pub(crate) fn end_unnamed_call(&self) {
        if !self.returned.named.get() {
            self.returned.running.take();
        }
    }

    /// The call has returned: the name is bound anew, and backward calls no model. After backward it means that the name is gone.
    pub(crate) fn end_call(&self) {
        let running = self.returned.running.take();
        let named = self.returned.named.get();
        drop(self.returned.bound.replace(if named { running } else { Vec::new() }));
        self.begin_call(false, false);
    }
}
