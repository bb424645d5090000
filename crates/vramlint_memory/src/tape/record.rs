//! What was recorded: events one by one, and stages of plans that blocks played.

use super::log::{Event, EventKind, Site};
use super::plan::{ENTRY, Stage};
use crate::estimate::Part;
use std::ops::Range;
use std::rc::Rc;

/// The block of an event of a stage: one that the stage allocates, by the order of its allocations, or one from outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageBlock {
    /// Allocated by the stage.
    Own(u32),
    /// From outside of it.
    Outside(u32),
}

/// Blocks of a stage that come from outside are numbered from here on.
const OUTSIDE: u32 = 1 << 31;

impl StageBlock {
    /// The block that an event of a stage names.
    pub(crate) fn of(event: &Event) -> Self {
        match event.block.checked_sub(OUTSIDE) {
            Some(place) => Self::Outside(place),
            None => Self::Own(event.block),
        }
    }

    /// How an event of a stage names it.
    pub(super) fn name(self) -> u32 {
        match self {
            Self::Own(number) => number,
            Self::Outside(place) => place | OUTSIDE,
        }
    }
}

/// Events of a stage that nothing interrupts.
#[derive(Debug)]
pub(super) struct Slice {
    /// Events that had been recorded one by one when it was played.
    pub(super) at: u32,
    /// Which events of the stage.
    pub(crate) events: Range<u32>,
    /// The number of the first block that it allocates.
    pub(crate) first_block: u32,
    /// The stream and the GPU of what it allocates.
    pub(crate) stream: u8,
    pub(crate) gpu: u8,
}

/// A stage that a block has played.
struct Play {
    pub(crate) stage: Rc<Stage>,
    pub(crate) places: PlayPlaces,
    /// Events that were recorded one by one meanwhile.
    pub(crate) events: Range<u32>,
    slices: Range<u32>,
    /// Numbers of the blocks from outside that the stage names.
    outside: Range<u32>,
}

/// Where the events of a stage happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayPlaces {
    /// The block that was run to write the plan, and the one that has played it.
    pub(super) planned_layer: u32,
    pub(super) layer: u32,
    /// The place from which the block was called.
    pub(super) entry: Site,
}

impl PlayPlaces {
    /// The place of an event of the stage.
    pub(crate) fn site(&self, site: Site) -> Site {
        if std::ptr::eq(site.name, &raw const ENTRY) {
            Site { phase: site.phase, ..self.entry }
        } else if site.layer == self.planned_layer {
            Site { layer: self.layer, ..site }
        } else {
            site
        }
    }
}

/// What a tape has recorded.
#[derive(Default)]
pub(crate) struct Record {
    /// Events that were recorded one by one.
    pub(crate) events: Vec<Event>,
    /// The places of their allocations.
    pub(crate) sites: Vec<Site>,
    plays: Vec<Play>,
    slices: Vec<Slice>,
    outside: Vec<u32>,
    /// Events of all slices.
    sliced: usize,
}

impl Record {
    /// An empty record with room for so many events.
    pub(super) fn with_room(events: usize) -> Self {
        Self { events: Vec::with_capacity(events), sites: vec![Site::default()], ..Self::default() }
    }

    /// How many events there are.
    pub(crate) fn len(&self) -> usize {
        self.events.len() + self.sliced
    }

    /// Tells `visitor` what happened, in order.
    pub(crate) fn visit(&self, visitor: &mut impl Visitor) {
        let mut visit = Visit { record: self, number: 0, own: Vec::new() };
        if let Some(site) = self.sites.first() {
            visitor.place(*site);
        }
        let mut from = 0;
        for play in &self.plays {
            if visitor.until().is_some_and(|until| until < visit.number) {
                return;
            }
            visit.events(from..play.events.start, visitor);
            visit.play(play, visitor);
            from = play.events.end;
        }
        visit.events(from..length(&self.events), visitor);
    }

    pub(super) fn begin_play(&mut self, stage: &Rc<Stage>, places: PlayPlaces, outside: impl Iterator<Item = u32>) {
        let names = length(&self.outside);
        self.outside.extend(outside);
        let (events, slices) = (length(&self.events), length(&self.slices));
        self.plays.push(Play {
            stage: Rc::clone(stage),
            places,
            events: events..events,
            slices: slices..slices,
            outside: names..length(&self.outside),
        });
    }

    /// Appends events of the stage that is played.
    pub(super) fn push_slice(&mut self, slice: Slice) {
        let at = length(&self.events);
        self.sliced += slice.events.len();
        let own = self.plays.last().map_or(0, |play| play.slices.start as usize);
        let goes_on = |last: &&mut Slice| last.at == at && (last.stream, last.gpu) == (slice.stream, slice.gpu);
        match self.slices[own..].last_mut().filter(goes_on) {
            Some(last) => last.events.end = slice.events.end,
            None => self.slices.push(Slice { at, ..slice }),
        }
    }

    pub(super) fn end_play(&mut self) {
        let (events, slices) = (length(&self.events), length(&self.slices));
        if let Some(play) = self.plays.last_mut() {
            (play.events.end, play.slices.end) = (events, slices);
        }
    }
}

fn length<T>(all: &[T]) -> u32 {
    u32::try_from(all.len()).unwrap_or(u32::MAX)
}

fn as_range(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// An allocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Allocation {
    /// Requested bytes.
    pub(crate) bytes: u64,
    /// What it is.
    pub(crate) part: Part,
    /// The stream and the GPU it was allocated on.
    pub(crate) stream: u8,
    pub(crate) gpu: u8,
    /// The next event frees it, and is not told.
    pub(crate) at_once: bool,
}

/// Who is told the events of a record, with their numbers and blocks.
pub(crate) trait Visitor {
    /// What follows happens here.
    fn place(&mut self, site: Site);
    /// A block is allocated.
    fn alloc(&mut self, number: usize, block: u32, allocation: Allocation);
    /// A block is freed.
    fn free(&mut self, number: usize, block: u32);
    /// A block belongs to another part from now on.
    fn relabel(&mut self, number: usize, block: u32, part: Part);
    /// `torch.cuda.empty_cache()`.
    fn empty_cache(&mut self, number: usize);
    /// The number of the event after which it asks what is in use, if that is all that it asks: it is not told what comes later, nor of
    /// all that is gone by then.
    fn until(&self) -> Option<usize> {
        None
    }
}

/// A visit under way.
struct Visit<'a> {
    record: &'a Record,
    /// The number of the next event.
    number: usize,
    /// Numbers of the blocks that the stage has allocated which is played.
    own: Vec<u32>,
}

/// Passes the next event if it frees this block.
#[inline]
fn skip_free(events: &mut std::slice::Iter<Event>, block: u32) -> bool {
    match events.as_slice() {
        [next, rest @ ..] if next.block == block && next.kind == EventKind::Free => {
            *events = rest.iter();
            true
        }
        _ => false,
    }
}

impl Visit<'_> {
    /// Events that were recorded one by one.
    fn events(&mut self, events: Range<u32>, visitor: &mut impl Visitor) {
        let mut events = self.record.events[as_range(&events)].iter();
        let mut place = u32::MAX;
        while let Some(event) = events.next() {
            let number = self.number;
            self.number += 1;
            match event.kind {
                EventKind::Alloc { bytes, part, stream, gpu } => {
                    if event.site != place {
                        place = event.site;
                        visitor.place(self.record.sites[place as usize]);
                    }
                    let at_once = skip_free(&mut events, event.block);
                    self.number += usize::from(at_once);
                    visitor.alloc(number, event.block, Allocation { bytes, part, stream, gpu, at_once });
                }
                EventKind::Free => visitor.free(number, event.block),
                EventKind::Relabel(part) => visitor.relabel(number, event.block, part),
                EventKind::EmptyCache => visitor.empty_cache(number),
            }
        }
    }

    fn play(&mut self, play: &Play, visitor: &mut impl Visitor) {
        self.own.clear();
        let slices = &self.record.slices[as_range(&play.slices)];
        let end = self.number + play.events.len() + slices.iter().map(|slice| slice.events.len()).sum::<usize>();
        let is_over = visitor.until().is_some_and(|until| end <= until);
        let mut from = play.events.start;
        for slice in slices {
            self.events(from..slice.at, visitor);
            if is_over {
                self.lasting(play, slice, visitor);
            } else {
                self.slice(play, slice, visitor);
            }
            from = slice.at;
        }
        self.events(from..play.events.end, visitor);
    }

    /// The block that an event of a stage names.
    fn block(&self, play: &Play, event: &Event) -> u32 {
        match StageBlock::of(event) {
            StageBlock::Own(number) => self.own[number as usize],
            StageBlock::Outside(place) => self.record.outside[(play.outside.start + place) as usize],
        }
    }

    fn slice(&mut self, play: &Play, slice: &Slice, visitor: &mut impl Visitor) {
        let (stream, gpu) = (slice.stream, slice.gpu);
        let mut block = slice.first_block;
        let mut place = u32::MAX;
        let mut events = play.stage.events[as_range(&slice.events)].iter();
        while let Some(event) = events.next() {
            let number = self.number;
            self.number += 1;
            match event.kind {
                EventKind::Alloc { bytes, part, .. } => {
                    if event.site != place {
                        place = event.site;
                        visitor.place(play.places.site(play.stage.sites[place as usize]));
                    }
                    let at_once = skip_free(&mut events, event.block);
                    self.number += usize::from(at_once);
                    visitor.alloc(number, block, Allocation { bytes, part, stream, gpu, at_once });
                    self.own.push(block);
                    block += 1;
                }
                EventKind::Free => visitor.free(number, self.block(play, event)),
                EventKind::Relabel(part) => visitor.relabel(number, self.block(play, event), part),
                EventKind::EmptyCache => visitor.empty_cache(number),
            }
        }
    }

    /// Only what does not begin and end in the stage.
    fn lasting(&mut self, play: &Play, slice: &Slice, visitor: &mut impl Visitor) {
        let Slice { events: Range { start, end }, first_block, stream, gpu, .. } = *slice;
        let Stage { events, lasting, allocs, sites, .. } = &*play.stage;
        let first = lasting.partition_point(|at| *at < start);
        for at in lasting[first..].iter().take_while(|at| **at < end) {
            let event = &events[*at as usize];
            let number = self.number + (at - start) as usize;
            match event.kind {
                EventKind::Alloc { bytes, part, .. } => {
                    let before = allocs[*at as usize];
                    let block = first_block + before - allocs[start as usize];
                    // Those that are not told leave gaps.
                    self.own.resize(before as usize, u32::MAX);
                    self.own.push(block);
                    visitor.place(play.places.site(sites[event.site as usize]));
                    visitor.alloc(number, block, Allocation { bytes, part, stream, gpu, at_once: false });
                }
                EventKind::Free => visitor.free(number, self.block(play, event)),
                EventKind::Relabel(part) => visitor.relabel(number, self.block(play, event), part),
                EventKind::EmptyCache => visitor.empty_cache(number),
            }
        }
        self.number += (end - start) as usize;
    }
}
