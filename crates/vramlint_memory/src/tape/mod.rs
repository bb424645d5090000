//! A recorder of what a training step allocates and frees.
//!
//! Model code is written against [`Tape`] as it would be against torch: operations return [`Tensor`]s, a tensor that goes out of
//! scope frees its block, autograd keeps what backward needs, and [`Tape::backward`] runs the graph in the order of torch's
//! engine. Only sizes are computed. The result is a sequence of allocations and frees ([`Event`]s).

mod autograd;
mod checkpoint;
mod edge;
mod gpus;
mod hooks;
mod log;
pub(crate) mod ops;
mod param;
mod plan;
mod plan_writer;
mod record;
mod reduce;
mod returned_outputs;
mod tensor;

pub(crate) use checkpoint::BlockFn;
pub(crate) use edge::ParamId;
pub(crate) use hooks::{Hooks, Module};
pub(crate) use log::Site;
pub(crate) use ops::{Linear, Operand, Weight};
pub(crate) use param::Param;
pub(crate) use plan::Plan;
pub(crate) use record::{Allocation, Record, Visitor};
pub(crate) use tensor::{Block, Tensor};

use crate::estimate::{Part, Phase};
use autograd::Node;
use log::Log;
use returned_outputs::ReturnedOutputs;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A device as far as kernels' workspaces depend on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Device {
    /// cuBLAS workspace bytes of a matmul without bias.
    pub(crate) cublas: u64,
    /// cuBLASLt workspace bytes of a matmul with bias.
    pub(crate) cublas_lt: u64,
    /// Streaming multiprocessors.
    pub(crate) multiprocessors: u64,
    /// Threads that one of them holds.
    pub(crate) threads: u64,
    /// Whether autocast computes in another 16-bit type than that of the weights.
    pub(crate) mixed_halves: bool,
    /// Whether adapters are trained, and nothing else.
    pub(crate) adapted: bool,
}

/// No block is larger: a pebibyte, so that sums of blocks stay exact.
const LARGEST: u64 = 1 << 50;

/// The recorder. Methods take `&self`, so that calls nest like torch expressions.
pub(crate) struct Tape {
    log: Rc<RefCell<Log>>,
    nodes: RefCell<Vec<Node>>,
    params: RefCell<Vec<Param>>,
    copies: RefCell<BTreeMap<ParamId, Tensor>>,
    held: RefCell<Vec<Tensor>>,
    tail: RefCell<checkpoint::RecomputeTail>,
    mode: Cell<Mode>,
    autocast: Cell<Option<u64>>,
    saves: Cell<u32>,
    stop: Cell<Option<u32>>,
    stopped: Cell<bool>,
    site: Cell<Site>,
    /// The phase of every position, whatever the code that runs calls it.
    phase: Cell<Option<Phase>>,
    hooks: RefCell<Option<Rc<dyn Hooks>>>,
    returned: ReturnedOutputs,
    /// Whether equal blocks play plans.
    plays: Cell<bool>,
    /// What is noted on a tape that writes a plan, and the node of the output of its block.
    notes: RefCell<Option<plan_writer::PlanNotes>>,
    last: Cell<Option<edge::Edge>>,
    pub(crate) device: Device,
}

/// Whether operations are recorded for backward.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// `torch.no_grad()`.
    NoGrad,
    /// The graph is recorded.
    Grad,
    /// Inside a checkpointed block: the graph is there, what it would save is only counted.
    Counting,
}

impl Tape {
    /// An empty tape.
    pub(crate) fn new(device: Device) -> Self {
        Self {
            log: Rc::new(RefCell::new(Log::sized())),
            nodes: RefCell::new(Vec::with_capacity(1 << 10)),
            params: RefCell::default(),
            copies: RefCell::default(),
            held: RefCell::default(),
            tail: RefCell::default(),
            mode: Cell::new(Mode::Grad),
            autocast: Cell::new(None),
            saves: Cell::new(0),
            stop: Cell::new(None),
            stopped: Cell::new(false),
            site: Cell::new(Site::default()),
            phase: Cell::new(None),
            hooks: RefCell::default(),
            returned: ReturnedOutputs::default(),
            plays: Cell::new(true),
            notes: RefCell::default(),
            last: Cell::new(None),
            device,
        }
    }

    /// Sets the position in the step for subsequent events.
    pub(crate) fn set_site(&self, site: Site) {
        self.site.set(Site { phase: self.phase.get().unwrap_or(site.phase), ..site });
    }

    /// Runs every block itself from now on.
    #[cfg(test)]
    pub(crate) fn play_nothing(&self) {
        self.plays.set(false);
    }

    /// Runs `body` as this phase.
    pub(crate) fn in_phase<T>(&self, phase: Phase, body: impl FnOnce(&Self) -> T) -> T {
        self.phase.set(Some(phase));
        let result = body(self);
        self.phase.set(None);
        result
    }

    /// Whether the model is in evaluation mode, in which dropout does nothing.
    pub(crate) fn evaluates(&self) -> bool {
        self.phase.get() == Some(Phase::Evaluate)
    }

    /// The current position in the step.
    pub(crate) fn site(&self) -> Site {
        self.site.get()
    }

    /// Runs `body` without recording for backward.
    pub(crate) fn no_grad<T>(&self, body: impl FnOnce(&Self) -> T) -> T {
        let before = self.mode.replace(Mode::NoGrad);
        let result = body(self);
        self.mode.set(before);
        result
    }

    /// Runs `body` under autocast to a type of `width` bytes, or without; copies of weights live until it ends.
    pub(crate) fn autocast<T>(&self, width: Option<u64>, body: impl FnOnce(&Self) -> T) -> T {
        let before = self.autocast.replace(width);
        let result = body(self);
        self.autocast.set(before);
        if before.is_none() {
            self.copies.borrow_mut().clear();
        }
        result
    }

    /// Drops the cached weight copies, as at the end of autocast.
    pub(crate) fn forget_copies(&self) {
        self.copies.borrow_mut().clear();
    }

    /// The width of the autocast type, if it is on.
    pub(crate) fn autocast_width(&self) -> Option<u64> {
        self.autocast.get()
    }

    /// A block of `bytes` that lives as long as what is returned.
    pub(crate) fn block(&self, bytes: u64, part: Part) -> Rc<Block> {
        if self.stopped.get() {
            return Block::without_memory(&self.log);
        }
        Block::new(&self.log, bytes.min(LARGEST), part, self.site.get())
    }

    /// A tensor of `numel` elements of `width` bytes each that needs no gradient.
    pub(crate) fn empty(&self, numel: u64, width: u64) -> Tensor {
        self.empty_as(numel, width, Part::Activations)
    }

    /// The same for a named part.
    pub(crate) fn empty_as(&self, numel: u64, width: u64, part: Part) -> Tensor {
        Tensor::new(self.block(numel * width, part), numel, width)
    }

    /// Memory that a kernel allocates and frees.
    pub(crate) fn workspace(&self, bytes: u64) {
        if bytes > 0 {
            drop(self.block(bytes, Part::Other));
        }
    }

    /// Runs `body` on another stream: its allocations come from that stream's pools (`torch.cuda.stream`).
    pub(crate) fn on_stream<T>(&self, stream: u8, body: impl FnOnce(&Self) -> T) -> T {
        let before = std::mem::replace(&mut self.log.borrow_mut().stream, stream);
        let result = body(self);
        self.log.borrow_mut().stream = before;
        result
    }

    /// How many events there are so far.
    pub(crate) fn event_count(&self) -> usize {
        self.log.borrow().record.len()
    }

    /// What was recorded.
    pub(crate) fn take_record(&self) -> Record {
        std::mem::take(&mut self.log.borrow_mut().record)
    }

    /// Tells what a block is from now on.
    pub(crate) fn relabel(&self, block: &Rc<Block>, part: Part) {
        if let Some(number) = block.number() {
            self.log.borrow_mut().relabel(number, part);
        }
    }
}
