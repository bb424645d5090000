//! The autograd graph and its execution in the order of torch's engine: the node recorded last runs first.

use super::edge::Edge;
use super::log::Site;
use super::tensor::Tensor;
use super::{Mode, Tape};
use crate::estimate::Phase;
use std::rc::Rc;

/// Gradients in the order of a node's outputs (its arguments) or of its inputs (its results).
pub(crate) type Grads = Vec<Option<Tensor>>;

/// Maps the gradients of a node's outputs to those of its inputs. Captured tensors are freed when it has run.
pub(super) type BackwardFn = Box<dyn FnOnce(&Tape, Grads) -> Grads>;

/// A recorded operation.
pub(super) struct Node {
    pub(super) run: BackwardFn,
    pub(super) edges: Vec<Option<Edge>>,
    pub(super) grads: Grads,
    pub(super) site: Site,
    /// Where it runs in backward: the GPU of its forward.
    pub(super) gpu: u8,
    /// It also runs if no gradient has come.
    pub(super) always: bool,
}

/// Something that an operation keeps for backward.
pub(crate) struct Saved(#[allow(dead_code, reason = "held for as long as the node lives")] Option<Tensor>);

impl Tape {
    /// Keeps a tensor for backward. Inside a checkpointed block it is only counted.
    pub(crate) fn save(&self, tensor: &Tensor) -> Saved {
        match self.mode.get() {
            Mode::NoGrad => return Saved(None),
            Mode::Counting => {
                self.saves.set(self.saves.get() + 1);
                self.tail.borrow_mut().saved = true;
                return Saved(None);
            }
            Mode::Grad => self.saves.set(self.saves.get() + 1),
        }
        if self.stop.get() == Some(self.saves.get()) {
            // torch stops recomputing as soon as everything that was saved is there again.
            self.stopped.set(true);
        }
        Saved(Some(tensor.detach()))
    }

    /// Keeps a tensor on a node outside of what checkpointing sees (a Python attribute of an autograd function).
    pub(crate) fn hold(&self, tensor: &Tensor) -> Saved {
        match self.mode.get() {
            Mode::NoGrad => Saved(None),
            Mode::Counting => {
                self.held.borrow_mut().push(tensor.detach());
                Saved(None)
            }
            Mode::Grad => Saved(Some(tensor.detach())),
        }
    }

    /// Whether a node frees its saved tensors as soon as it has run. It does in the rerun of a checkpointed block
    /// (`torch.utils.checkpoint`, not reentrant). Otherwise the engine frees them only after it has cast and reduced the gradients to
    /// the type and shape of the inputs (torch 2.15, `torch/csrc/autograd/engine.cpp`, `evaluate_function`).
    pub(crate) fn frees_saved_early(&self) -> bool {
        self.stop.get().is_some()
    }

    /// Whether an operation on these tensors is recorded.
    pub(crate) fn records(&self, inputs: &[&Tensor]) -> bool {
        self.mode.get() != Mode::NoGrad && inputs.iter().any(|input| input.requires_grad())
    }

    /// Records an operation with one output.
    pub(crate) fn record(
        &self,
        inputs: &[&Tensor],
        output: Tensor,
        run: impl FnOnce(&Self, Tensor) -> Grads + 'static,
    ) -> Tensor {
        let run: BackwardFn = Box::new(move |tape, mut grads| match grads.pop().flatten() {
            Some(grad) => run(tape, grad),
            None => Vec::new(),
        });
        self.record_many(inputs, vec![output], run).pop().unwrap_or_else(|| unreachable!("one output goes in and comes out"))
    }

    /// Records an operation with several outputs.
    pub(super) fn record_many(&self, inputs: &[&Tensor], outputs: Vec<Tensor>, run: BackwardFn) -> Vec<Tensor> {
        if !self.records(inputs) {
            return outputs;
        }
        let edges: Vec<Option<Edge>> = inputs.iter().map(|input| input.edge).collect();
        if self.mode.get() == Mode::Counting {
            let node = Node { run, edges, grads: vec![None; outputs.len()], site: self.site(), gpu: self.gpu(), always: false };
            return self.count_node(node, outputs);
        }
        for edge in edges.iter().flatten() {
            if let Edge::Param(id) = edge {
                self.with_param(*id, |param| param.uses += 1);
                self.note_use(*id);
            }
        }
        let mut nodes = self.nodes.borrow_mut();
        let node = u32::try_from(nodes.len()).unwrap_or(u32::MAX - 1);
        let grads = vec![None; outputs.len()];
        nodes.push(Node { run, edges, grads, site: self.site(), gpu: self.gpu(), always: false });
        outputs
            .into_iter()
            .zip(0..)
            .map(|(tensor, output)| Tensor { edge: Some(Edge::Node { node, output }), ..tensor })
            .collect()
    }

    /// Records a block that plays a plan; returns the number of its node. It runs even if no gradient comes.
    pub(super) fn push_node(&self, edges: Vec<Option<Edge>>, run: impl FnOnce(&Self, Grads) -> Grads + 'static) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let number = u32::try_from(nodes.len()).unwrap_or(u32::MAX - 1);
        let (site, gpu) = (self.site(), self.gpu());
        nodes.push(Node { run: Box::new(run), edges, grads: vec![None], site, gpu, always: true });
        number
    }

    /// Drops the nodes above the first `base` of the stack, as backward drops those that no gradient reaches.
    pub(super) fn drop_nodes(&self, base: usize) {
        while self.nodes.borrow().len() > base {
            let node = self.nodes.borrow_mut().pop();
            drop(node);
        }
    }

    /// Runs the graph from `loss`.
    pub(crate) fn backward(&self, loss: Tensor) {
        let Some(edge) = loss.edge else { return };
        let seed = self.empty(loss.numel, loss.width);
        drop(loss);
        self.send(edge, seed);
        self.run_nodes(0);
    }

    /// Runs the nodes above the first `base` of the stack.
    pub(super) fn run_nodes(&self, base: usize) {
        loop {
            let node = {
                let mut nodes = self.nodes.borrow_mut();
                if nodes.len() <= base {
                    break;
                }
                nodes.pop()
            };
            let Some(node) = node else { break };
            if !node.always && node.grads.iter().all(Option::is_none) {
                continue;
            }
            let phase = if node.site.phase == Phase::Loss { Phase::Loss } else { Phase::Backward };
            self.set_site(Site { phase, ..node.site });
            self.set_gpu(node.gpu);
            let grads = (node.run)(self, node.grads);
            for (edge, grad) in node.edges.iter().zip(grads) {
                if let (Some(edge), Some(grad)) = (edge, grad) {
                    self.send(*edge, grad);
                }
            }
        }
    }

    pub(super) fn send(&self, edge: Edge, grad: Tensor) {
        match edge {
            Edge::Param(id) => self.accumulate_param(id, grad),
            Edge::Node { node, output } => {
                let slot = |nodes: &mut Vec<Node>| nodes.get_mut(node as usize)?.grads.get_mut(output as usize)?.take();
                let old = slot(&mut self.nodes.borrow_mut());
                let sum = match old {
                    Some(old) => self.sum_grads(old, grad),
                    None => grad,
                };
                if let Some(place) = self.nodes.borrow_mut().get_mut(node as usize).and_then(|n| n.grads.get_mut(output as usize))
                {
                    *place = Some(sum);
                }
            }
        }
    }

    /// Two gradients of one tensor: added into the first if nothing else references it, otherwise into a new block.
    pub(super) fn sum_grads(&self, old: Tensor, new: Tensor) -> Tensor {
        if !old.view && Rc::strong_count(&old.block) == 1 {
            drop(new);
            return old;
        }
        let sum = self.empty(old.numel, old.width.max(new.width));
        drop(old);
        drop(new);
        sum
    }
}
