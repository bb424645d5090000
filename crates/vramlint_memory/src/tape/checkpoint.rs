//! Activation checkpointing: a block keeps its input, and is run again in backward.

use super::autograd::{BackwardFn, Grads, Node};
use super::edge::{Edge, LEAF};
use super::log::Site;
use super::tensor::Tensor;
use super::{Mode, Tape};
use crate::estimate::Phase;
use crate::setup::Checkpointing;
use std::rc::Rc;

/// The forward of a block: hidden states in, hidden states out.
pub(crate) type BlockFn = Rc<dyn Fn(&Tape, &Tensor) -> Tensor>;

/// Operations of a checkpointed block after the last one that saved a tensor. They need no recomputed tensors, so backward
/// runs them before it reruns the block (torch 2.15, `utils/checkpoint.py`: the first unpacking triggers the rerun).
#[derive(Default)]
pub(super) struct RecomputeTail {
    /// Operations recorded in the block so far.
    count: u32,
    /// Something was saved since the last of them.
    pub(super) saved: bool,
    nodes: Vec<(u32, Node)>,
}

/// Operations within a block are numbered from here on, far above those of the graph.
const BLOCK_NODE_BASE: u32 = 1 << 30;

/// Gradients on their way to operations of a block, by number and output.
#[derive(Default)]
struct PendingGrads(Vec<(u32, u32, Tensor)>);

impl PendingGrads {
    fn add(&mut self, tape: &Tape, node: u32, output: u32, grad: Tensor) {
        let known = self.0.iter().position(|(number, place, _)| (*number, *place) == (node, output));
        let grad = match known.map(|at| self.0.swap_remove(at)) {
            Some((_, _, old)) => tape.sum_grads(old, grad),
            None => grad,
        };
        self.0.push((node, output, grad));
    }

    fn take(&mut self, node: u32, grads: &mut Grads) {
        for (output, place) in (0..).zip(grads.iter_mut()) {
            if let Some(at) = self.0.iter().position(|(number, other, _)| (*number, *other) == (node, output)) {
                *place = Some(self.0.swap_remove(at).2);
            }
        }
    }
}

impl Tape {
    /// A tensor that leaves a checkpointed block beside its output. In the first run nothing of the block is on the graph: its gradient
    /// counts as needed, and is not summed up.
    pub(crate) fn lent(&self, x: &Tensor) -> Tensor {
        match self.mode.get() {
            Mode::Counting if x.requires_grad() => Tensor { edge: None, ..x.clone() }.requiring_grad(),
            _ => x.clone(),
        }
    }

    /// Counts an operation of a checkpointed block, and keeps it if it is one of the last.
    pub(super) fn count_node(&self, node: Node, outputs: Vec<Tensor>) -> Vec<Tensor> {
        let mut tail = self.tail.borrow_mut();
        let number = BLOCK_NODE_BASE + tail.count;
        tail.count += 1;
        let trains = node.edges.iter().flatten().any(|edge| matches!(edge, Edge::Param(_)));
        if std::mem::take(&mut tail.saved) || trains {
            tail.nodes.clear();
        } else {
            tail.nodes.push((number, node));
        }
        let edge = |output| Some(Edge::Node { node: number, output });
        (0..).zip(outputs).map(|(output, tensor)| Tensor { edge: edge(output), ..tensor }).collect()
    }

    /// Runs the last operations of a block.
    fn run_tail(&self, tail: Vec<(u32, Node)>, pending: &mut PendingGrads) {
        for (number, mut node) in tail.into_iter().rev() {
            pending.take(number, &mut node.grads);
            if node.grads.iter().all(Option::is_none) {
                continue;
            }
            self.set_site(Site { phase: Phase::Backward, ..node.site });
            self.set_gpu(node.gpu);
            let grads = (node.run)(self, node.grads);
            for (edge, grad) in node.edges.iter().zip(grads) {
                match (edge, grad) {
                    (Some(Edge::Node { node, output }), Some(grad)) if (BLOCK_NODE_BASE..u32::MAX).contains(node) => {
                        pending.add(self, *node, *output, grad);
                    }
                    (Some(edge), Some(grad)) => self.send(*edge, grad),
                    _ => {}
                }
            }
        }
    }

    /// `torch.utils.checkpoint`. If it is not reentrant, the second run ends as soon as everything is there that backward needs.
    pub(crate) fn checkpoint(&self, body: &BlockFn, input: Tensor, kind: Checkpointing) -> Tensor {
        let early_stop = kind == Checkpointing::NonReentrant;
        let offloads = kind == Checkpointing::Offloaded;
        if self.mode.get() != Mode::Grad {
            return body(self, &input);
        }
        let before = self.saves.replace(0);
        let outer = self.tail.take();
        self.mode.set(if early_stop { Mode::Counting } else { Mode::NoGrad });
        let output = body(self, &input);
        self.mode.set(Mode::Grad);
        let saves = self.saves.replace(before);
        let held = std::mem::take(&mut *self.held.borrow_mut());
        let last = output.edge.filter(|_| early_stop);
        let tail = self.tail.replace(outer).nodes;
        // Nothing in it is trained; or, reentrant, what comes in needs no gradient: then `CheckpointFunction` is not recorded.
        if if early_stop { output.edge.is_none() } else { input.edge.is_none() } {
            return Tensor { edge: None, ..output };
        }
        let output = Tensor { edge: None, ..output };
        let body = Rc::clone(body);
        let (size, edge, autocast) = ((input.numel, input.width), input.edge, self.autocast_width());
        let kept = (!offloads).then(|| input.clone());
        let run: BackwardFn = Box::new(move |tape, grads: Grads| {
            let mut pending = PendingGrads::default();
            let grad = grads.into_iter().flatten().next();
            let grad = match (last, grad) {
                (Some(Edge::Node { node, output }), Some(grad)) if (BLOCK_NODE_BASE..u32::MAX).contains(&node) => {
                    pending.add(tape, node, output, grad);
                    tape.run_tail(tail, &mut pending);
                    None
                }
                (_, grad) => grad,
            };
            let kept = kept.unwrap_or_else(|| Tensor { edge, ..tape.empty(size.0, size.1) });
            tape.rerun((&body, autocast), kept, early_stop.then_some(saves), grad, pending);
            drop(held);
            Vec::new()
        });
        // The block counts as trained although nothing of it was recorded.
        let marker = Tensor { edge: Some(input.edge.unwrap_or(LEAF)), ..input.clone() };
        drop(input);
        let outputs = self.record_many(&[&marker], vec![output], run);
        drop(marker);
        outputs.into_iter().next().unwrap_or_else(|| unreachable!("one output goes in and comes out"))
    }

    fn rerun(
        &self,
        (body, autocast): (&BlockFn, Option<u64>),
        input: Tensor,
        stop: Option<u32>,
        grad: Option<Tensor>,
        pending: PendingGrads,
    ) {
        let base = self.nodes.borrow().len();
        let before = (self.saves.replace(0), self.stop.replace(stop));
        // Under the autocast of the first run.
        let output = self.autocast(autocast, |tape| body(tape, &input));
        self.stopped.set(false);
        self.stop.set(before.1);
        self.saves.set(before.0);
        let edge = output.edge;
        drop(output);
        if let (Some(edge), Some(grad)) = (edge, grad) {
            self.send(edge, grad);
        }
        for (number, output, grad) in pending.0 {
            let node = u32::try_from(base).unwrap_or(BLOCK_NODE_BASE).saturating_add(number - BLOCK_NODE_BASE);
            self.send(Edge::Node { node, output }, grad);
        }
        self.run_nodes(base);
        drop(input);
    }
}
