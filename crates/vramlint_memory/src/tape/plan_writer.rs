//! Writes plans: runs a block on a tape of its own, forward and backward.

use super::autograd::{Grads, Node};
use super::edge::{Edge, LEAF};
use super::hooks::{Hooks, Module};
use super::log::{EventKind, Log, Site};
use super::plan::{
    BackwardStage, CallState, ENTRY, HookCall, Kept, Mark, Marked, Plan, PlannedBody, PlannedModule, SentGrad, Stage, TensorShape,
};
use super::tensor::{Block, Tensor};
use super::{Param, ParamId, Tape};
use crate::estimate::Part;
use std::rc::Rc;

/// What is noted while a block runs.
pub(super) struct PlanNotes {
    /// The parameters of the block, in ascending order.
    ids: Vec<ParamId>,
    marks: Vec<Marked>,
    modules: Vec<PlannedModule>,
    /// It has used a parameter of another module.
    strays: bool,
}

impl PlanNotes {
    /// The place of a parameter among those of the block.
    pub(super) fn place(&mut self, id: ParamId) -> u32 {
        let found = self.ids.binary_search(&id);
        self.strays |= found.is_err();
        u32::try_from(found.unwrap_or(0)).unwrap_or(u32::MAX)
    }
}

impl PlanNotes {
    /// The number of a module.
    fn module(&mut self, module: PlannedModule) -> u32 {
        let known = self.modules.iter().position(|other| *other == module);
        let number = known.unwrap_or(self.modules.len());
        if known.is_none() {
            self.modules.push(module);
        }
        u32::try_from(number).unwrap_or(u32::MAX)
    }
}

/// Notes the calls of hooks.
struct NotedHooks {
    replaces_linear: bool,
}

impl NotedHooks {
    fn note(t: &Tape, call: HookCall, module: &Module) {
        let planned = match module {
            Module::Block(_) => PlannedModule::Block,
            Module::Leaf(ids) => PlannedModule::Leaf(ids.iter().map(|id| t.place_of(*id)).collect()),
        };
        let number = t.notes.borrow_mut().as_mut().map_or(0, |notes| notes.module(planned));
        t.note(Mark::Hook(call, number));
    }
}

impl Hooks for NotedHooks {
    fn before_forward(&self, t: &Tape, module: &Module) {
        Self::note(t, HookCall::BeforeForward, module);
    }

    fn after_forward(&self, t: &Tape, module: &Module) {
        Self::note(t, HookCall::AfterForward, module);
    }

    fn before_backward(&self, t: &Tape, module: &Module) {
        Self::note(t, HookCall::BeforeBackward, module);
    }

    fn after_backward(&self, t: &Tape, module: &Module) {
        Self::note(t, HookCall::AfterBackward, module);
    }

    fn gradient(&self, _: &Tape, _: ParamId) {}

    fn replaces_linear(&self) -> bool {
        self.replaces_linear
    }
}

impl Tape {
    /// The place of a parameter on a tape that writes a plan, which knows only those of its block.
    pub(super) fn place_of(&self, id: ParamId) -> u32 {
        self.notes.borrow_mut().as_mut().map_or(id.0, |notes| notes.place(id))
    }

    /// Notes what happens between two events.
    fn note(&self, mark: Mark) {
        let (at, site) = (self.event_count(), self.site());
        if let Some(notes) = &mut *self.notes.borrow_mut() {
            notes.marks.push(Marked { at, site, mark });
        }
    }

    fn is_noting(&self) -> bool {
        self.notes.borrow().is_some()
    }

    /// Notes that the graph uses a parameter.
    pub(super) fn note_use(&self, id: ParamId) {
        if self.is_noting() {
            self.note(Mark::Use(self.place_of(id)));
        }
    }

    /// Notes a gradient that goes to a parameter, and leaves it to the one that plays. Otherwise gives it back.
    pub(super) fn note_grad(&self, id: ParamId, grad: Tensor) -> Option<Tensor> {
        if !self.is_noting() {
            return Some(grad);
        }
        let shared = Rc::strong_count(&grad.block) > 1;
        let sent = SentGrad { param: self.place_of(id), tensor: kept(&grad), shared };
        self.note(Mark::Send(sent));
        if !shared {
            grad.block.give_away();
        }
        None
    }

    /// A tape that stands as this one did in `state`, with the parameters of one block.
    fn scratch(&self, state: CallState, ids: &[ParamId], layer_site: Site) -> Self {
        let mut tape = Self::new(self.device);
        tape.log = Rc::new(std::cell::RefCell::new(Log::small()));
        tape.plays.set(false);
        tape.mode.set(state.mode);
        tape.autocast.set(state.autocast);
        tape.phase.set(state.phase);
        tape.site.set(layer_site);
        tape.returned.set_flags(state.returns);
        tape.set_widened_outputs(self.returned.is_widened());
        let params = ids.iter().map(|id| self.with_param(*id, |param| param.twin(&tape.log)));
        tape.params = std::cell::RefCell::new(params.collect());
        tape.notes =
            std::cell::RefCell::new(Some(PlanNotes { ids: ids.to_vec(), marks: Vec::new(), modules: Vec::new(), strays: false }));
        if let Some(hooks) = self.hooks() {
            tape.set_hooks(Some(Rc::new(NotedHooks { replaces_linear: hooks.replaces_linear() })));
        }
        tape
    }

    /// A tensor of this shape.
    fn stand_in(&self, shape: TensorShape) -> Tensor {
        // The gradient of the input goes to the first node.
        let edge = if shape.is_leaf { LEAF } else { Edge::Node { node: 0, output: 0 } };
        let block = if shape.has_memory { self.block(1, Part::Other) } else { Block::without_memory(&self.log) };
        Tensor { block, numel: shape.numel, width: shape.width, edge: shape.needs_grad.then_some(edge), view: shape.view }
    }

    /// Takes what was noted since `start`: events on memory that others may refer to become marks.
    fn take_stage(&self, start: usize, end: usize, shared: &[u32]) -> Stage {
        let log = self.log.borrow();
        let mut notes = self.notes.borrow_mut();
        let noted = notes.as_mut().map(|notes| (std::mem::take(&mut notes.marks), notes.modules.clone()));
        let (noted, modules) = noted.unwrap_or_default();
        let mut noted = noted.into_iter().peekable();
        let mut shared = shared.to_vec();
        let mut stage = Stage::new(log.record.sites.clone(), modules, self.site());
        for (number, event) in log.record.events[..end].iter().enumerate().skip(start) {
            while let Some(marked) = noted.next_if(|marked| marked.at <= number) {
                shared.extend(shares(&marked.mark));
                stage.marks.push(Marked { at: stage.events.len(), ..marked });
            }
            if event.kind == EventKind::Free && shared.contains(&event.block) {
                let site = Site::default();
                stage.marks.push(Marked { at: stage.events.len(), site, mark: Mark::Release(event.block) });
            } else {
                stage.events.push(*event);
            }
        }
        let at = stage.events.len();
        stage.marks.extend(noted.map(|marked| Marked { at, ..marked }));
        stage.finish()
    }

    /// Writes the plan of a block; `None` if it refers to more than its own parameters.
    pub(crate) fn plan(
        &self,
        body: PlannedBody,
        (x, others): (&Tensor, &[&Tensor]),
        layer: u32,
        ids: &[ParamId],
    ) -> Option<Plan> {
        let is_plain = |tensor: &&Tensor| tensor.edge.is_none();
        let copied = ids.iter().any(|id| self.copies.borrow().contains_key(id));
        if !ids.is_sorted() || copied || !others.iter().all(is_plain) {
            return None;
        }
        let mut plan = Plan {
            body,
            layer,
            ids: ids.to_vec(),
            params: ids.iter().map(|id| self.param_shape(*id)).collect(),
            state: self.call_state(),
            input: TensorShape::new(x),
            others: others.iter().map(|other| TensorShape::new(other)).collect(),
            outside: Vec::new(),
            forward: Rc::default(),
            output: kept(x),
            recorded: false,
            copies: Vec::new(),
            returned: Vec::new(),
            held: Vec::new(),
            scratch: std::cell::RefCell::default(),
            backward: std::cell::RefCell::default(),
        };
        let (tape, run) = self.run_scratch(&plan);
        if tape.notes.borrow().as_ref().is_none_or(|notes| notes.strays) {
            return None;
        }
        plan.forward = Rc::new(tape.take_stage(run.start, run.end, &[]));
        // Something of it is trained that its output does not lead to.
        if !run.recorded && tape.nodes.borrow().len() > 1 {
            return None;
        }
        let RunForward { outside, output, copies, returned, freed, recorded, .. } = run;
        (plan.outside, plan.output, plan.recorded, plan.returned) = (outside, output, recorded, returned);
        for (id, copy) in copies {
            plan.copies.push((tape.place_of(id), copy));
        }
        let beyond = std::iter::once(&plan.output).chain(plan.copies.iter().map(|(_, copy)| copy)).chain(&plan.returned);
        let beyond = beyond.filter_map(|kept| kept.slot).chain(plan.outside.iter().flatten().copied());
        let mut held: Vec<u32> = beyond.filter(|slot| !freed.contains(slot)).collect();
        held.sort_unstable();
        held.dedup();
        plan.held = held;
        if plan.recorded {
            plan.scratch.replace(Some(tape));
        }
        Some(plan)
    }

    /// Runs the forward of a block on a tape of its own.
    fn run_scratch(&self, plan: &Plan) -> (Self, RunForward) {
        let site = Site { phase: plan.state.site_phase, layer: 0, name: &ENTRY };
        let tape = self.scratch(plan.state, &plan.ids, site);
        // Takes the gradient of the input.
        tape.nodes.borrow_mut().push(Node::sink());
        let x = tape.stand_in(plan.input);
        let others: Vec<Tensor> = plan.others.iter().map(|shape| tape.stand_in(*shape)).collect();
        let outside = std::iter::once(&x).chain(&others).map(|tensor| tensor.block.number()).collect();
        let start = tape.event_count();
        let output = (plan.body)(&tape, &x, &others);
        let end = tape.event_count();
        let mut run = RunForward {
            start,
            end,
            outside,
            output: kept(&output),
            recorded: output.edge.is_some(),
            copies: Vec::new(),
            returned: Vec::new(),
            freed: Vec::new(),
        };
        let copies = tape.copies.take();
        run.copies = copies.iter().map(|(id, copy)| (*id, kept(copy))).collect();
        let returned = tape.returned.take();
        run.returned = returned.iter().map(kept).collect();
        if let Some(edge) = output.edge {
            tape.last.set(Some(edge));
        }
        drop((output, copies, returned, x, others));
        let log = tape.log.borrow();
        run.freed =
            log.record.events[end..].iter().filter(|event| event.kind == EventKind::Free).map(|event| event.block).collect();
        drop(log);
        (tape, run)
    }

    /// Writes the backward of a plan for a gradient of this shape; `None`: no gradient comes, and the graph is dropped.
    pub(super) fn plan_backward(&self, plan: &Plan, shape: Option<TensorShape>) -> Rc<BackwardStage> {
        let tape = plan.scratch.take().unwrap_or_else(|| {
            let (tape, _) = self.run_scratch(plan);
            drop(tape.notes.borrow_mut().as_mut().map(|notes| std::mem::take(&mut notes.marks)));
            tape
        });
        tape.mode.set(self.mode.get());
        tape.autocast.set(self.autocast.get());
        tape.phase.set(self.phase.get());
        tape.returned.set_flags(self.returned.flags());
        let grad = shape.map(|shape| tape.stand_in(shape));
        let incoming = grad.as_ref().and_then(|grad| grad.block.number());
        // Another reference, if there is one on the tape that plays.
        let other = grad.clone().filter(|_| shape.is_some_and(|shape| !shape.unique));
        let start = tape.event_count();
        match (grad, tape.last.get()) {
            (Some(grad), Some(edge)) => {
                tape.send(edge, grad);
                tape.run_nodes(1);
            }
            _ => tape.drop_nodes(1),
        }
        let end = tape.event_count();
        let result = tape.nodes.borrow_mut().pop().and_then(|mut sink| sink.grads.pop().flatten());
        let shared: Vec<u32> = plan.held.iter().copied().chain(incoming).collect();
        let stage = tape.take_stage(start, end, &shared);
        let written = Rc::new(BackwardStage { stage: Rc::new(stage), incoming, result: result.as_ref().map(kept) });
        drop((result, other));
        plan.backward.borrow_mut().push((shape, Rc::clone(&written)));
        written
    }
}

/// What the forward of a block has left.
struct RunForward {
    start: usize,
    end: usize,
    outside: Vec<Option<u32>>,
    output: Kept,
    recorded: bool,
    copies: Vec<(ParamId, Kept)>,
    returned: Vec<Kept>,
    /// Memory to which its graph does not refer.
    freed: Vec<u32>,
}

fn kept(tensor: &Tensor) -> Kept {
    Kept { slot: tensor.block.number(), numel: tensor.numel, width: tensor.width, view: tensor.view }
}

/// Memory that is shared from this mark on.
fn shares(mark: &Mark) -> Option<u32> {
    match mark {
        Mark::Send(SentGrad { shared: true, tensor, .. }) => tensor.slot,
        _ => None,
    }
}

impl Param {
    /// The same parameter without memory and gradient.
    fn twin(&self, log: &Rc<std::cell::RefCell<Log>>) -> Self {
        let tensor = Tensor { block: Block::without_memory(log), ..self.tensor.clone() };
        Self { tensor, grad: None, waiting: None, uses: 0, arrived: 0, ..*self }
    }
}

impl Node {
    /// A node that keeps what is sent to it.
    fn sink() -> Self {
        let run: super::autograd::BackwardFn = Box::new(|_, grads: Grads| grads);
        Self { run, edges: Vec::new(), grads: vec![None], site: Site::default(), gpu: 0, always: false }
    }
}
