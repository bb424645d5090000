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

/// Replays what happens on one GPU in a trace of a model with `layers` blocks. What loading took is there, but is no moment.
pub(crate) fn replay(trace: &EventTrace, layers: u32, gpu: u8) -> MemoryTrace {
    let mut allocator = Allocator::default();
    let mut live: Vec<Option<(u32, u64, Part)>> = vec![None; trace.blocks as usize];
    let mut parts = [0_u64; TENSOR_PARTS];
    let mut moments: Vec<Moment> = Vec::new();
    let (mut round, mut last): (u32, Option<Site>) = (0, None);
    for (number, event) in trace.events.iter().enumerate() {
        let elsewhere = match event.kind {
            EventKind::Alloc { gpu: other, .. } => other != gpu,
            EventKind::Free | EventKind::Relabel(_) => live[event.block as usize].is_none(),
            EventKind::EmptyCache => false,
        };
        if elsewhere {
            continue;
        }
        if number >= trace.loaded && last != Some(event.site) {
            // A forward after another phase starts a new round.
            if event.site.phase == Phase::Forward
                && last.is_some_and(|site| site.phase != Phase::Forward && site.phase != Phase::Loss)
            {
                round += 1;
            }
            last = Some(event.site);
            moments.push(Moment {
                round,
                phase: event.site.phase,
                position: stack_position(event.site, layers),
                layer: event.site.layer,
                name: event.site.name,
                allocated: allocator.allocated(),
                event: number,
                reserved: allocator.reserved(),
                parts,
            });
        }
        match event.kind {
            EventKind::Alloc { bytes, part, stream, .. } => {
                live[event.block as usize] = Some((allocator.malloc(bytes, stream), round_size(bytes), part));
                parts[part as usize] += round_size(bytes);
                if let Some(moment) = moments.last_mut() {
                    if allocator.allocated() > moment.allocated {
                        moment.allocated = allocator.allocated();
                        moment.event = number;
                        moment.parts = parts;
                    }
                    moment.reserved = moment.reserved.max(allocator.reserved());
                }
            }
            EventKind::Free => {
                if let Some((handle, size, part)) = live[event.block as usize] {
                    parts[part as usize] -= size;
                    allocator.free(handle);
                }
            }
            EventKind::Relabel(part) => {
                if let Some((_, size, old)) = &mut live[event.block as usize] {
                    parts[*old as usize] -= *size;
                    parts[part as usize] += *size;
                    *old = part;
                }
            }
            EventKind::EmptyCache => allocator.empty_cache(),
        }
    }
    MemoryTrace { moments }
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
