//! What the allocator held while a trace was replayed, moment by moment.

use super::EventTrace;
use crate::allocator::{Allocator, round_size};
use crate::estimate::{Label, Part, Phase};
use crate::tape::{EventKind, Site};

/// Parts that tensors belong to, in the order of [`Part::ALL`].
pub(crate) const TENSOR_PARTS: usize = 8;

/// Which block a moment belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StackPosition {
    /// None.
    Outside,
    /// Counted from the first, from 0.
    FromStart(u32),
    /// Counted from the last, from 0.
    FromEnd(u32),
    /// Any block in between: its memory is between that of the ends.
    Middle,
}

/// A stretch of the step in one place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    /// Optimizer step, 0 or 1, and micro-batch within it.
    pub(crate) round: u32,
    pub(crate) phase: Phase,
    pub(crate) position: StackPosition,
    /// The block, from 1; 0 outside.
    pub(crate) layer: u32,
    pub(crate) name: &'static Label,
    /// Highest allocated bytes, and the number of the event that reached them.
    pub(crate) allocated: u64,
    pub(crate) event: usize,
    /// Held by the allocator at the end of the moment at the latest.
    pub(crate) reserved: u64,
    /// Bytes by part when `allocated` was reached, sizes rounded as the allocator rounds.
    pub(crate) parts: [u64; TENSOR_PARTS],
}

impl Moment {
    /// Whether two moments of runs with different block counts correspond.
    pub(crate) fn matches(&self, other: &Self) -> bool {
        self.round == other.round
            && self.phase == other.phase
            && self.position == other.position
            && std::ptr::eq(self.name, other.name)
    }
}

/// The moments of a trace.
#[derive(Clone, Debug, Default)]
pub(crate) struct MemoryTrace {
    pub(crate) moments: Vec<Moment>,
}

/// How many blocks are distinguished at either end.
const ENDS: u32 = 2;

fn stack_position(site: Site, layers: u32) -> StackPosition {
    if site.layer == 0 {
        StackPosition::Outside
    } else if site.layer <= ENDS || site.layer > layers {
        // A deeper teacher or reference model has blocks beyond the last one of the trained model.
        StackPosition::FromStart(site.layer - 1)
    } else if site.layer + ENDS > layers {
        StackPosition::FromEnd(layers - site.layer)
    } else {
        StackPosition::Middle
    }
}

/// A block in use.
#[derive(Clone, Copy)]
struct LiveBlock {
    handle: u32,
    part: Part,
    size: u64,
}

/// The moments while they are written.
struct Moments {
    all: Vec<Moment>,
    round: u32,
    layers: u32,
    last: Option<Site>,
}

impl Moments {
    /// The next event is at this place.
    fn enter(&mut self, site: Site, number: usize, allocator: &Allocator, parts: [u64; TENSOR_PARTS]) {
        if self.last == Some(site) {
            return;
        }
        // A forward after another phase starts a new round.
        if site.phase == Phase::Forward && self.last.is_some_and(|site| site.phase != Phase::Forward && site.phase != Phase::Loss)
        {
            self.round += 1;
        }
        self.last = Some(site);
        self.all.push(Moment {
            round: self.round,
            phase: site.phase,
            position: stack_position(site, self.layers),
            layer: site.layer,
            name: site.name,
            allocated: allocator.allocated(),
            event: number,
            reserved: allocator.reserved(),
            parts,
        });
    }
}

/// Replays what happens on one GPU in a trace of a model with `layers` blocks. What loading took is there, but is no moment.
pub(crate) fn replay(trace: &EventTrace, layers: u32, gpu: u8) -> MemoryTrace {
    let mut allocator = Allocator::default();
    let mut live: Vec<Option<LiveBlock>> = vec![None; trace.blocks as usize];
    let mut parts = [0_u64; TENSOR_PARTS];
    let mut moments = Moments { all: Vec::with_capacity(trace.sites.len()), round: 0, layers, last: None };
    let mut place = u32::MAX;
    let mut events = trace.events.iter().enumerate().peekable();
    while let Some((number, event)) = events.next() {
        let elsewhere = match event.kind {
            EventKind::Alloc { gpu: other, .. } => other != gpu,
            EventKind::Free | EventKind::Relabel(_) => live[event.block as usize].is_none(),
            EventKind::EmptyCache => false,
        };
        if elsewhere {
            continue;
        }
        if event.site != place && number >= trace.loaded {
            place = event.site;
            moments.enter(trace.sites[place as usize], number, &allocator, parts);
        }
        match event.kind {
            EventKind::Alloc { bytes, part, stream, .. } => {
                let size = round_size(bytes);
                // Many blocks are freed at once.
                let at_once = events.next_if(|(_, next)| next.block == event.block && next.kind == EventKind::Free).is_some();
                let allocated = if at_once {
                    allocator.touch(bytes, stream)
                } else {
                    live[event.block as usize] = Some(LiveBlock { handle: allocator.malloc(bytes, stream), part, size });
                    allocator.allocated()
                };
                parts[part as usize] += size;
                if let Some(moment) = moments.all.last_mut() {
                    if allocated > moment.allocated {
                        moment.allocated = allocated;
                        moment.event = number;
                        moment.parts = parts;
                    }
                    moment.reserved = moment.reserved.max(allocator.reserved());
                }
                if at_once {
                    parts[part as usize] -= size;
                }
            }
            EventKind::Free => {
                if let Some(LiveBlock { handle, part, size }) = live[event.block as usize] {
                    parts[part as usize] -= size;
                    allocator.free(handle);
                }
            }
            EventKind::Relabel(part) => {
                if let Some(block) = &mut live[event.block as usize] {
                    parts[block.part as usize] -= block.size;
                    parts[part as usize] += block.size;
                    block.part = part;
                }
            }
            EventKind::EmptyCache => allocator.empty_cache(),
        }
    }
    MemoryTrace { moments: moments.all }
}

#[cfg(test)]
mod tests {
    use super::*;

    static BLOCK: Label = Label { en: "block", zh: "层" };

    #[test]
    fn a_deeper_second_model_has_places_of_its_own() {
        let at = |layer| stack_position(Site { phase: Phase::Forward, layer, name: &BLOCK }, 4);
        assert_eq!([at(0), at(1), at(4)], [StackPosition::Outside, StackPosition::FromStart(0), StackPosition::FromEnd(0)]);
        assert_eq!(at(7), StackPosition::FromStart(6));
    }
}
