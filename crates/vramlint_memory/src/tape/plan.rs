//! Plans: what a block of a model does, as flat lists that equal blocks play.
//!
//! The first of equal blocks is run on a tape of its own ([`super::plan_writer`]). Its allocations and frees, and the calls of hooks and
//! parameters among them, are a plan. Playing it writes the same events as running the block would: hooks and parameters are those of
//! the block that plays, so what a scheme does in between may differ from block to block.

use super::edge::{Edge, LEAF};
use super::hooks::Module;
use super::log::{Event, EventKind, Site};
use super::record::{PlayPlaces, StageBlock};
use super::tensor::{Block, Tensor};
use super::{Mode, ParamId, Tape};
use crate::estimate::{Label, Phase};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// The part of a block that runs on a tape: its input, what it shares with others, and its output.
pub(crate) type PlannedBody = Box<dyn Fn(&Tape, &Tensor, &[Tensor]) -> Tensor>;

/// A call of a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HookCall {
    BeforeForward,
    AfterForward,
    BeforeBackward,
    AfterBackward,
}

/// A module, its parameters by their place among those of the block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PlannedModule {
    Block,
    Leaf(Vec<u32>),
}

/// A gradient that goes to a parameter.
#[derive(Clone, Copy, Debug)]
pub(super) struct SentGrad {
    pub(super) param: u32,
    pub(super) tensor: Kept,
    /// Something else of the block still refers to it.
    pub(super) shared: bool,
}

/// What happens between allocations and frees.
#[derive(Clone, Copy, Debug)]
pub(super) enum Mark {
    /// A hook is called.
    Hook(HookCall, u32),
    /// The graph uses a parameter.
    Use(u32),
    /// A gradient goes to a parameter.
    Send(SentGrad),
    /// The last reference of the block to memory that others may refer to is gone.
    Release(u32),
}

/// A mark, the number of events before it, and the place where it happens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Marked {
    pub(super) at: usize,
    pub(super) site: Site,
    pub(super) mark: Mark,
}

/// A tensor of a plan. Memory is numbered: first what comes from outside, then what the block allocates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// `None`: it has no memory.
    pub(super) slot: Option<u32>,
    pub(super) numel: u64,
    pub(super) width: u64,
    pub(super) view: bool,
}

/// What a tensor from outside looks like to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TensorShape {
    pub(super) numel: u64,
    pub(super) width: u64,
    pub(super) view: bool,
    pub(super) needs_grad: bool,
    /// It needs a gradient that goes nowhere.
    pub(super) is_leaf: bool,
    pub(super) has_memory: bool,
    /// Nothing else refers to it.
    pub(super) unique: bool,
}

impl TensorShape {
    /// The shape of a tensor to which others refer.
    pub(super) fn new(x: &Tensor) -> Self {
        Self {
            numel: x.numel,
            width: x.width,
            view: x.view,
            needs_grad: x.edge.is_some(),
            is_leaf: x.edge == Some(LEAF),
            has_memory: x.block.number().is_some(),
            unique: false,
        }
    }
}

/// What decides how a block uses a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ParamShape {
    shape: [u64; 2],
    numel: u64,
    width: u64,
    trainable: bool,
    has_memory: bool,
}

/// How a tape stands when a block is called.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CallState {
    pub(super) mode: Mode,
    pub(super) autocast: Option<u64>,
    pub(super) phase: Option<Phase>,
    pub(super) site_phase: Phase,
    pub(super) returns: (bool, bool),
}

/// Flat lists of a forward or a backward.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// What it does, with its blocks by the names of [`StageBlock`].
    pub(super) events: Vec<Event>,
    pub(super) sites: Vec<Site>,
    pub(super) marks: Vec<Marked>,
    /// Modules with which hooks are called: those of the forward come first.
    pub(super) modules: Vec<PlannedModule>,
    /// The place of the tape when it is over.
    pub(super) end: Site,
    /// Allocations before each event, and all of them.
    pub(super) allocs: Vec<u32>,
    /// Events on what does not begin and end in it.
    pub(super) lasting: Vec<u32>,
    /// The number of the memory that it allocates first.
    first_slot: u32,
    /// Numbers of the memory that it names and does not allocate.
    outside: Vec<u32>,
}

impl Stage {
    /// A stage of events and marks that are still to be appended.
    pub(super) fn new(sites: Vec<Site>, modules: Vec<PlannedModule>, end: Site) -> Self {
        Self { sites, modules, end, ..Self::default() }
    }

    /// Names blocks by what they are to the stage.
    pub(super) fn finish(mut self) -> Self {
        let allocates = |event: &Event| matches!(event.kind, EventKind::Alloc { .. });
        self.first_slot = self.events.iter().find(|event| allocates(event)).map_or(u32::MAX, |event| event.block);
        let mut count = 0;
        for event in &mut self.events {
            self.allocs.push(count);
            count += u32::from(allocates(event));
            if event.kind == EventKind::EmptyCache {
                continue;
            }
            let block = if let Some(number) = event.block.checked_sub(self.first_slot) {
                StageBlock::Own(number)
            } else {
                let known = self.outside.iter().position(|slot| *slot == event.block);
                let place = known.unwrap_or(self.outside.len());
                if known.is_none() {
                    self.outside.push(event.block);
                }
                StageBlock::Outside(u32::try_from(place).unwrap_or(0))
            };
            event.block = block.name();
        }
        self.allocs.push(count);
        let mut ends = vec![false; count as usize];
        for event in self.events.iter().filter(|event| event.kind == EventKind::Free) {
            if let StageBlock::Own(number) = StageBlock::of(event) {
                ends[number as usize] = true;
            }
        }
        let lasts = |event: &Event| !matches!(StageBlock::of(event), StageBlock::Own(number) if ends[number as usize]);
        self.lasting = (0..).zip(&self.events).filter(|(_, event)| lasts(event)).map(|(at, _)| at).collect();
        self
    }

    /// How many of these events are allocations.
    pub(super) fn allocs_in(&self, events: &Range<usize>) -> u32 {
        self.allocs[events.end] - self.allocs[events.start]
    }

    /// The first of these events that is an allocation.
    pub(super) fn next_alloc(&self, mut events: Range<usize>) -> Option<usize> {
        events.find(|at| self.allocs[at + 1] > self.allocs[*at])
    }

    /// The number of the memory that the first allocation among the events from here on has.
    fn slot_at(&self, event: usize) -> u32 {
        self.first_slot.saturating_add(self.allocs[event])
    }
}

/// A backward, and the gradient of the input that it leaves.
#[derive(Debug)]
pub(super) struct BackwardStage {
    pub(super) stage: Rc<Stage>,
    /// The number of the memory of the gradient that comes in.
    pub(super) incoming: Option<u32>,
    pub(super) result: Option<Kept>,
}

/// What a block does.
pub(crate) struct Plan {
    pub(super) body: PlannedBody,
    /// The block that was run, and its parameters.
    pub(super) layer: u32,
    pub(super) ids: Vec<ParamId>,
    pub(super) params: Vec<ParamShape>,
    pub(super) state: CallState,
    pub(super) input: TensorShape,
    pub(super) others: Vec<TensorShape>,
    /// Numbers of the memory of the input and of what is shared.
    pub(super) outside: Vec<Option<u32>>,
    pub(super) forward: Rc<Stage>,
    pub(super) output: Kept,
    /// Whether the output needs a gradient.
    pub(super) recorded: bool,
    /// Copies of parameters that autocast remembers.
    pub(super) copies: Vec<(u32, Kept)>,
    /// What the model returns of the block.
    pub(super) returned: Vec<Kept>,
    /// Memory that the graph of the block and others refer to.
    pub(super) held: Vec<u32>,
    /// The tape on which the forward was run, until a backward is run on it.
    pub(super) scratch: RefCell<Option<Tape>>,
    pub(super) backward: RefCell<Vec<(Option<TensorShape>, Rc<BackwardStage>)>>,
}

/// The place of a tape that writes a plan before its block has set one: that of the tape that plays.
pub(super) static ENTRY: Label = Label { en: "", zh: "" };

/// A block that plays a plan.
struct Instance {
    layer: u32,
    ids: Vec<ParamId>,
    /// The place from which the block was called.
    entry: Site,
    /// Numbers of memory in ascending order, and the block of each; those after it are of the blocks after that.
    slots: Vec<(u32, u32)>,
    /// References to memory that others may refer to.
    shared: Vec<(u32, Rc<Block>)>,
    /// The modules of the block that hooks were called with.
    modules: Vec<Option<Module>>,
}

impl Instance {
    /// The block of a number of memory.
    fn block(&self, slot: u32) -> u32 {
        let known = self.slots.partition_point(|(first, _)| *first <= slot);
        let (first, block) = known.checked_sub(1).map_or((slot, u32::MAX), |at| self.slots[at]);
        block.saturating_add(slot - first)
    }

    fn release(&mut self, slot: u32) -> Option<Rc<Block>> {
        let at = self.shared.iter().position(|(own, _)| *own == slot)?;
        Some(self.shared.remove(at).1)
    }
}

impl Tape {
    /// How the tape stands now.
    pub(super) fn call_state(&self) -> CallState {
        CallState {
            mode: self.mode.get(),
            autocast: self.autocast.get(),
            phase: self.phase.get(),
            site_phase: self.site().phase,
            returns: self.returned.flags(),
        }
    }

    /// What decides how a block uses these parameters.
    pub(super) fn param_shape(&self, id: ParamId) -> ParamShape {
        self.with_param(id, |param| ParamShape {
            shape: param.shape,
            numel: param.tensor.numel,
            width: param.tensor.width,
            trainable: param.trainable,
            has_memory: param.tensor.block.number().is_some(),
        })
    }

    /// Whether a block with these inputs and parameters does what `plan` says.
    pub(crate) fn fits(&self, plan: &Plan, x: &Tensor, others: &[&Tensor], ids: &[ParamId]) -> bool {
        let copies = self.copies.borrow();
        plan.state == self.call_state()
            && plan.input == TensorShape::new(x)
            && plan.others.len() == others.len()
            && plan.others.iter().zip(others).all(|(shape, other)| *shape == TensorShape::new(other))
            && plan.ids.len() == ids.len()
            && ids.is_sorted()
            && plan.params.iter().zip(ids).all(|(shape, id)| *shape == self.param_shape(*id))
            && (copies.is_empty() || !ids.iter().any(|id| copies.contains_key(id)))
    }

    /// Whether blocks may play plans here: not inside a checkpoint, and not with an input that is itself a parameter.
    pub(crate) fn plays(&self, x: &Tensor) -> bool {
        self.plays.get() && self.mode.get() != Mode::Counting && !matches!(x.edge, Some(Edge::Param(_)))
    }

    /// Runs a block by its plan.
    pub(crate) fn run_plan(&self, plan: &Rc<Plan>, (x, others): (&Tensor, &[&Tensor]), layer: u32, ids: &[ParamId]) -> Tensor {
        let mut instance =
            Instance { layer, ids: ids.to_vec(), entry: self.site(), slots: Vec::new(), shared: Vec::new(), modules: Vec::new() };
        let from_outside = || std::iter::once(x).chain(others.iter().copied());
        for (slot, tensor) in plan.outside.iter().zip(from_outside()) {
            if let (Some(slot), Some(number)) = (slot, tensor.block.number()) {
                instance.slots.push((*slot, number));
            }
        }
        self.play(plan, &plan.forward, &mut instance);
        // Memory that lives on, by number.
        let mut alive: Vec<(u32, Rc<Block>)> = plan
            .outside
            .iter()
            .zip(from_outside())
            .filter_map(|(slot, tensor)| Some(((*slot)?, Rc::clone(&tensor.block))))
            .collect();
        let mut tensor = |kept: &Kept| {
            let known = kept.slot.and_then(|slot| alive.iter().find(|(own, _)| *own == slot));
            let block = match (kept.slot, known) {
                (None, _) => Block::without_memory(&self.log),
                (_, Some((_, block))) => Rc::clone(block),
                (Some(slot), None) => {
                    let block = Block::numbered(&self.log, instance.block(slot));
                    alive.push((slot, Rc::clone(&block)));
                    block
                }
            };
            Tensor { block, numel: kept.numel, width: kept.width, edge: None, view: kept.view }
        };
        let mut output = tensor(&plan.output);
        for (param, copy) in &plan.copies {
            let copy = tensor(copy);
            self.copies.borrow_mut().insert(instance.ids[*param as usize], copy);
        }
        for kept in &plan.returned {
            self.returned.push(tensor(kept));
        }
        for slot in &plan.held {
            instance.shared.extend(alive.iter().find(|(own, _)| own == slot).cloned());
        }
        drop(alive);
        if plan.recorded {
            let own = Rc::clone(plan);
            let node = self.push_node(vec![x.edge], move |tape, grads| tape.run_plan_back(&own, instance, grads));
            output.edge = Some(Edge::Node { node, output: 0 });
        }
        output
    }

    /// The backward of a block that has played a plan.
    fn run_plan_back(&self, plan: &Plan, mut instance: Instance, mut grads: super::autograd::Grads) -> super::autograd::Grads {
        let grad = grads.pop().flatten();
        let shape = grad.as_ref().map(|grad| TensorShape {
            needs_grad: false,
            is_leaf: false,
            unique: Rc::strong_count(&grad.block) == 1,
            ..TensorShape::new(grad)
        });
        let known = plan.backward.borrow().iter().find(|(own, _)| *own == shape).map(|(_, stage)| Rc::clone(stage));
        let backward = known.unwrap_or_else(|| self.plan_backward(plan, shape));
        if let (Some(slot), Some(grad)) = (backward.incoming, grad) {
            instance.slots.extend(grad.block.number().map(|number| (slot, number)));
            instance.shared.push((slot, grad.block));
        }
        self.play(plan, &backward.stage, &mut instance);
        let result = backward.result.map(|kept| {
            let block = match kept.slot {
                None => Block::without_memory(&self.log),
                Some(slot) => instance.release(slot).unwrap_or_else(|| Block::numbered(&self.log, instance.block(slot))),
            };
            Tensor { block, numel: kept.numel, width: kept.width, edge: None, view: kept.view }
        });
        drop(instance);
        vec![result]
    }

    fn play(&self, plan: &Plan, stage: &Rc<Stage>, instance: &mut Instance) {
        let here = PlayPlaces { planned_layer: plan.layer, layer: instance.layer, entry: instance.entry };
        self.log.borrow_mut().begin_play(stage, here, stage.outside.iter().map(|slot| instance.block(*slot)));
        let mut from = 0;
        for Marked { at, site, mark } in &stage.marks {
            self.play_events(stage, from..*at, instance);
            from = *at;
            match mark {
                Mark::Use(param) => self.with_param(instance.ids[*param as usize], |param| param.uses += 1),
                Mark::Release(slot) => drop(instance.release(*slot)),
                Mark::Hook(call, module) => {
                    self.site.set(here.site(*site));
                    self.call_hook(*call, instance.module(*module, &stage.modules));
                }
                Mark::Send(sent) => {
                    self.site.set(here.site(*site));
                    let grad = self.sent(instance, sent);
                    self.accumulate_param(instance.ids[sent.param as usize], grad);
                }
            }
        }
        self.play_events(stage, from..stage.events.len(), instance);
        self.log.borrow_mut().end_play();
        self.site.set(here.site(stage.end));
    }

    fn play_events(&self, stage: &Stage, events: Range<usize>, instance: &mut Instance) {
        if events.is_empty() {
            return;
        }
        let allocates = stage.allocs_in(&events) > 0;
        let slot = stage.slot_at(events.start);
        let first_block = self.log.borrow_mut().play(stage, events);
        if allocates {
            instance.slots.push((slot, first_block));
        }
    }

    fn call_hook(&self, call: HookCall, module: &Module) {
        let Some(hooks) = self.hooks() else { return };
        match call {
            HookCall::BeforeForward => hooks.before_forward(self, module),
            HookCall::AfterForward => hooks.after_forward(self, module),
            HookCall::BeforeBackward => hooks.before_backward(self, module),
            HookCall::AfterBackward => hooks.after_backward(self, module),
        }
    }

    /// The gradient that a block sends to a parameter.
    fn sent(&self, instance: &mut Instance, sent: &SentGrad) -> Tensor {
        let Kept { slot, numel, width, view } = sent.tensor;
        let numbered = |slot: u32, instance: &Instance| Block::numbered(&self.log, instance.block(slot));
        let block = match slot {
            None => Block::without_memory(&self.log),
            Some(slot) => {
                let block = instance.release(slot).unwrap_or_else(|| numbered(slot, instance));
                if sent.shared {
                    instance.shared.push((slot, Rc::clone(&block)));
                }
                block
            }
        };
        Tensor { block, numel, width, edge: None, view }
    }
}

impl Instance {
    fn module(&mut self, number: u32, planned: &[PlannedModule]) -> &Module {
        let at = number as usize;
        if self.modules.len() <= at {
            self.modules.resize(planned.len(), None);
        }
        let (layer, ids) = (self.layer, &self.ids);
        self.modules[at].get_or_insert_with(|| match &planned[at] {
            PlannedModule::Block => Module::Block(layer),
            PlannedModule::Leaf(params) => Module::Leaf(params.iter().map(|param| ids[*param as usize]).collect()),
        })
    }
}
