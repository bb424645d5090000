//! What the allocator held while a trace was replayed, moment by moment.

use crate::estimate::{Label, Phase};
use crate::tape::Site;

/// Parts that tensors belong to, in the order of [`crate::estimate::Part::ALL`].
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

/// What the allocator holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) allocated: u64,
    pub(super) reserved: u64,
    /// Bytes by part, sizes rounded as the allocator rounds.
    pub(super) parts: [u64; TENSOR_PARTS],
}

/// The moments while they are written.
pub(super) struct Moments {
    all: Vec<Moment>,
    round: u32,
    layers: u32,
    /// The place of the last one.
    last: Option<Site>,
    /// What it has reached.
    allocated: u64,
    reserved: u64,
}

impl Moments {
    /// None yet, of a model with `layers` blocks.
    pub(super) fn new(layers: u32) -> Self {
        Self { all: Vec::with_capacity(1 << 10), round: 0, layers, last: None, allocated: u64::MAX, reserved: u64::MAX }
    }

    /// The next event is at this place.
    pub(super) fn enter(&mut self, site: Site, number: usize, held: Held) {
        if self.last == Some(site) {
            return;
        }
        // A forward after another phase starts a new round.
        if site.phase == Phase::Forward && self.last.is_some_and(|site| site.phase != Phase::Forward && site.phase != Phase::Loss)
        {
            self.round += 1;
        }
        self.last = Some(site);
        let Held { allocated, reserved, parts } = held;
        (self.allocated, self.reserved) = (allocated, reserved);
        self.all.push(Moment {
            round: self.round,
            phase: site.phase,
            position: stack_position(site, self.layers),
            layer: site.layer,
            name: site.name,
            allocated,
            event: number,
            reserved,
            parts,
        });
    }

    /// An event has reached this.
    #[inline]
    pub(super) fn reach(&mut self, number: usize, (allocated, reserved): (u64, u64), parts: &[u64; TENSOR_PARTS]) {
        if allocated > self.allocated {
            self.allocated = allocated;
            if let Some(moment) = self.all.last_mut() {
                (moment.allocated, moment.event, moment.parts) = (allocated, number, *parts);
            }
        }
        if reserved > self.reserved {
            self.reserved = reserved;
            if let Some(moment) = self.all.last_mut() {
                moment.reserved = reserved;
            }
        }
    }

    /// All of them.
    pub(super) fn into_trace(self) -> MemoryTrace {
        MemoryTrace { moments: self.all }
    }
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
