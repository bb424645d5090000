//! The record: allocations and frees in order.

use super::plan::Stage;
use super::record::{PlayPlaces, Record, Slice};
use crate::estimate::{Label, Part, Phase};
use std::ops::Range;
use std::rc::Rc;

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
    pub(super) record: Record,
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
        Self { record: Record::with_room(1 << 11), ..Self::default() }
    }

    /// An empty record for a part of a step.
    pub(super) fn small() -> Self {
        Self { record: Record::with_room(0), ..Self::default() }
    }

    fn push(&mut self, block: u32, kind: EventKind) {
        let site = u32::try_from(self.record.sites.len()).unwrap_or(u32::MAX).saturating_sub(1);
        self.record.events.push(Event { block, site, kind });
    }

    /// Frees what waits for an allocation.
    fn free_late(&mut self) {
        for late in std::mem::take(&mut self.late) {
            self.free(late);
        }
    }

    pub(super) fn alloc(&mut self, bytes: u64, part: Part, site: Site) -> u32 {
        self.free_late();
        let block = self.blocks;
        self.blocks += 1;
        if self.record.sites.last() != Some(&site) {
            self.record.sites.push(site);
        }
        self.push(block, EventKind::Alloc { bytes, part, stream: self.stream, gpu: self.gpu });
        block
    }

    /// A block begins to play a stage.
    pub(super) fn begin_play(&mut self, stage: &Rc<Stage>, places: PlayPlaces, outside: impl Iterator<Item = u32>) {
        self.record.begin_play(stage, places, outside);
    }

    /// It has played the stage.
    pub(super) fn end_play(&mut self) {
        self.record.end_play();
    }

    /// Plays events of the stage whose play has begun; returns the number of the first block that they allocate.
    pub(super) fn play(&mut self, stage: &Stage, events: Range<usize>) -> u32 {
        let mut from = events.start;
        if !self.late.is_empty()
            && let Some(first) = stage.next_alloc(events.clone())
        {
            self.play_slice(stage, from..first);
            self.free_late();
            from = first;
        }
        let first_block = self.blocks;
        self.play_slice(stage, from..events.end);
        first_block
    }

    fn play_slice(&mut self, stage: &Stage, events: Range<usize>) {
        if events.is_empty() {
            return;
        }
        let first_block = self.blocks;
        self.blocks += stage.allocs_in(&events);
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let events = place(events.start)..place(events.end);
        self.record.push_slice(Slice { at: 0, events, first_block, stream: self.stream, gpu: self.gpu });
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
