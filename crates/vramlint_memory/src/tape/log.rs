//! The record: allocations and frees in order.

use crate::estimate::{Label, Part, Phase};

static LOAD: Label = Label { en: "load", zh: "加载" };

/// A place in the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// Which phase.
    pub(crate) phase: Phase,
    /// Which block of the model, from 1; 0 outside.
    pub(crate) layer: u32,
    /// What happens there.
    pub(crate) name: &'static Label,
}

impl PartialEq for Site {
    /// Labels are compared by address: each is a single static.
    fn eq(&self, other: &Self) -> bool {
        self.layer == other.layer && self.phase == other.phase && std::ptr::eq(self.name, other.name)
    }
}

impl Default for Site {
    fn default() -> Self {
        Self { phase: Phase::Load, layer: 0, name: &LOAD }
    }
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EventKind {
    /// A block was allocated.
    Alloc {
        /// Requested bytes.
        bytes: u64,
        /// What it is.
        part: Part,
        /// The stream it was allocated on; 0 is the compute stream.
        stream: u8,
        /// The GPU it was allocated on.
        gpu: u8,
    },
    /// A block was freed.
    Free,
    /// A block now belongs to another part: it became the gradient of a parameter.
    Relabel(Part),
    /// `torch.cuda.empty_cache()`.
    EmptyCache,
}

/// One entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Event {
    /// Which block, counted from 0.
    pub(crate) block: u32,
    /// Where in the step it happened: an index into the places of the record.
    pub(crate) site: u32,
    /// What happened to it.
    pub(crate) kind: EventKind,
}

/// The record being written.
#[derive(Default)]
pub(crate) struct Log {
    pub(super) events: Vec<Event>,
    /// The places of events; the last one is that of the last allocation.
    pub(super) sites: Vec<Site>,
    blocks: u32,
    /// The current stream.
    pub(super) stream: u8,
    /// The current GPU.
    pub(super) gpu: u8,
    /// Blocks that are freed at the next allocation, because another stream used them (`Tensor.record_stream`).
    pub(super) late: Vec<u32>,
}

impl Log {
    /// An empty record with room for a step of a few blocks.
    pub(super) fn sized() -> Self {
        Self { events: Vec::with_capacity(1 << 13), sites: vec![Site::default()], ..Self::default() }
    }

    /// An empty record for a part of a step.
    pub(super) fn small() -> Self {
        Self { sites: vec![Site::default()], ..Self::default() }
    }

    /// How many blocks there have been.
    pub(super) fn blocks(&self) -> u32 {
        self.blocks
    }

    fn push(&mut self, block: u32, kind: EventKind) {
        let site = u32::try_from(self.sites.len()).unwrap_or(u32::MAX).saturating_sub(1);
        self.events.push(Event { block, site, kind });
    }

    pub(super) fn alloc(&mut self, bytes: u64, part: Part, site: Site) -> u32 {
        if !self.late.is_empty() {
            for late in std::mem::take(&mut self.late) {
                self.free(late);
            }
        }
        let block = self.blocks;
        self.blocks += 1;
        if self.sites.last() != Some(&site) {
            self.sites.push(site);
        }
        self.push(block, EventKind::Alloc { bytes, part, stream: self.stream, gpu: self.gpu });
        block
    }

    pub(super) fn free(&mut self, block: u32) {
        self.push(block, EventKind::Free);
    }

    pub(super) fn relabel(&mut self, block: u32, part: Part) {
        self.push(block, EventKind::Relabel(part));
    }

    pub(super) fn empty_cache(&mut self) {
        self.push(u32::MAX, EventKind::EmptyCache);
    }
}

impl super::Tape {
    /// How many blocks there have been.
    pub(crate) fn blocks(&self) -> u32 {
        self.log.borrow().blocks
    }

    /// `torch.cuda.empty_cache()`.
    pub(crate) fn empty_cache(&self) {
        self.log.borrow_mut().empty_cache();
    }
}
