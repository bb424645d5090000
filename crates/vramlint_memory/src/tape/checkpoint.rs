//! Activation checkpointing: a block keeps its input, and is run again in backward.

use super::autograd::{Edge, Grads, Run};
use super::tensor::Tensor;
use super::{Mode, Tape};
use std::rc::Rc;

/// The forward of a block: hidden states in, hidden states out.
pub(crate) type BlockFn = Rc<dyn Fn(&Tape, &Tensor) -> Tensor>;

impl Tape {
    /// `torch.utils.checkpoint`. `extra` are further inputs that are held. With `early_stop` (not reentrant) the second run ends as
    /// soon as everything is there that backward needs.
    pub(crate) fn checkpoint(&self, body: &BlockFn, input: Tensor, early_stop: bool) -> Tensor {
        if self.mode.get() != Mode::Grad {
            return body(self, &input);
        }
        let before = self.saves.replace(0);
        self.mode.set(if early_stop { Mode::Counting } else { Mode::NoGrad });
        let output = body(self, &input);
        self.mode.set(Mode::Grad);
        let saves = self.saves.replace(before);
        let held = std::mem::take(&mut *self.held.borrow_mut());
        // Nothing in it is trained; or, reentrant, what comes in needs no gradient: then `CheckpointFunction` is not recorded.
        if if early_stop { output.edge.is_none() } else { input.edge.is_none() } {
            return Tensor { edge: None, ..output };
        }
        let output = Tensor { edge: None, ..output };
        let body = Rc::clone(body);
        let kept = input.clone();
        let run: Run = Box::new(move |tape, grads: Grads| {
            tape.rerun(&body, kept, early_stop.then_some(saves), grads);
            drop(held);
            Vec::new()
        });
        // The block counts as trained although nothing of it was recorded.
        let marker = Tensor { edge: Some(input.edge.unwrap_or(Edge::Node { node: u32::MAX, output: 0 })), ..input.clone() };
        drop(input);
        let outputs = self.record_many(&[&marker], vec![output], run);
        drop(marker);
        outputs.into_iter().next().unwrap_or_else(|| unreachable!("one output goes in and comes out"))
    }

    fn rerun(&self, body: &BlockFn, input: Tensor, stop: Option<u32>, grads: Grads) {
        let base = self.nodes.borrow().len();
        let before = (self.saves.replace(0), self.stop.replace(stop), self.autocast.get());
        let output = body(self, &input);
        self.stopped.set(false);
        self.stop.set(before.1);
        self.saves.set(before.0);
        let edge = output.edge;
        drop(output);
        if let (Some(edge), Some(grad)) = (edge, grads.into_iter().flatten().next()) {
            self.send(edge, grad);
        }
        self.run_nodes(base);
        drop(input);
    }
}
