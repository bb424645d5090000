//! Blocks of memory and the tensors that share them.

use super::edge::{Edge, LEAF};
use super::log::{Log, Site};
use crate::estimate::Part;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A block of the allocator. It is freed with its last reference.
pub(crate) struct Block {
    log: Rc<RefCell<Log>>,
    number: Cell<Option<u32>>,
    /// Another stream has used it, so it is freed late.
    late: Cell<bool>,
}

impl Block {
    pub(super) fn new(log: &Rc<RefCell<Log>>, bytes: u64, part: Part, site: Site) -> Rc<Self> {
        let number = (bytes > 0).then(|| log.borrow_mut().alloc(bytes, part, site));
        Self::with_number(log, number)
    }

    fn with_number(log: &Rc<RefCell<Log>>, number: Option<u32>) -> Rc<Self> {
        Rc::new(Self { log: Rc::clone(log), number: Cell::new(number), late: Cell::new(false) })
    }

    /// The block of this number, which nothing else refers to.
    pub(super) fn numbered(log: &Rc<RefCell<Log>>, number: u32) -> Rc<Self> {
        Self::with_number(log, Some(number))
    }

    /// Leaves it to another to free the block.
    pub(super) fn give_away(&self) {
        self.number.set(None);
    }

    /// A block without memory.
    pub(super) fn without_memory(log: &Rc<RefCell<Log>>) -> Rc<Self> {
        Self::with_number(log, None)
    }

    /// A block without memory that writes to the same record.
    fn hollow(&self) -> Rc<Self> {
        Self::without_memory(&self.log)
    }

    pub(super) fn number(&self) -> Option<u32> {
        self.number.get()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if let Some(number) = self.number.get() {
            let mut log = self.log.borrow_mut();
            if self.late.get() { log.late.push(number) } else { log.free(number) }
        }
    }
}

/// A tensor: a name for a block. Cloning it is taking another reference.
#[derive(Clone)]
pub(crate) struct Tensor {
    pub(crate) block: Rc<Block>,
    /// Numbers in it.
    pub(crate) numel: u64,
    /// Bytes of one.
    pub(crate) width: u64,
    /// The node that computed it, if it needs a gradient.
    pub(super) edge: Option<Edge>,
    /// It is a view of another tensor's block, so autograd never adds into it in place.
    pub(super) view: bool,
}

impl Tensor {
    /// The tensor as one that needs a gradient: a leaf, unless it needs one already.
    pub(crate) fn requiring_grad(self) -> Self {
        if self.edge.is_some() {
            return self;
        }
        Self { edge: Some(LEAF), ..self }
    }

    pub(super) fn new(block: Rc<Block>, numel: u64, width: u64) -> Self {
        Self { block, numel, width, edge: None, view: false }
    }

    /// `Tensor.record_stream` with another stream: its memory is freed only at the next allocation.
    pub(crate) fn record_stream(&self) {
        self.block.late.set(true);
    }

    /// The same shape without memory: a parameter that is gathered only while it is used, and that nothing keeps alive.
    pub(crate) fn hollow(&self, width: u64) -> Self {
        Self { block: self.block.hollow(), width, edge: None, view: false, ..*self }
    }

    /// Whether a gradient flows to it.
    pub(crate) fn requires_grad(&self) -> bool {
        self.edge.is_some()
    }

    /// Bytes that it spans.
    pub(crate) fn bytes(&self) -> u64 {
        self.numel * self.width
    }

    /// The same data without history.
    pub(crate) fn detach(&self) -> Self {
        Self { edge: None, view: true, ..self.clone() }
    }

    /// The same data in another shape: shares the block and the history.
    pub(crate) fn view(&self) -> Self {
        Self { view: true, ..self.clone() }
    }

    /// A view of `numel` of its elements that shares the block.
    pub(crate) fn part(&self, numel: u64) -> Self {
        Self { numel, view: true, ..self.clone() }
    }
}
