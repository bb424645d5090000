//! Every allocation of the simulated steps with its address, for tools that show them.

use super::Phase;
use crate::allocator::{Allocator, Segment, round_size};
use crate::arch::Arch;
use crate::estimate::Part;
use crate::setup::{Scheme, Setup};
use crate::step::clamp::clamp_setup;
use crate::step::layer_extrapolation::fullest;
use crate::step::run;
use crate::tape::{Allocation, Site, Visitor};

/// What the allocator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllocatorAction {
    /// It reserves a segment.
    ReserveSegment,
    /// It returns a segment.
    ReleaseSegment,
    /// A tensor gets a block.
    Allocate,
    /// A tensor returns its block.
    Free,
}

/// One event of the allocator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllocatorEvent {
    /// What it does.
    pub action: AllocatorAction,
    /// Address of the block or the segment.
    pub address: u64,
    /// Its bytes. Of a block what the tensor asked for, before the allocator rounds it up.
    pub bytes: u64,
    /// The stream.
    pub stream: u8,
    /// Where it happens: `layer 3 mlp`.
    pub place: String,
    /// In which phase.
    pub phase: Phase,
}

/// A block at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldBlock {
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
    /// Whether a tensor uses it.
    pub is_used: bool,
}

/// A segment at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldSegment {
    /// Its address.
    pub address: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The stream.
    pub stream: u8,
    /// Whether it is one of small blocks.
    pub is_small: bool,
    /// Its blocks in order.
    pub blocks: Vec<HeldBlock>,
}

/// The allocator over loading and two optimizer steps of the fullest GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocations {
    /// Every event, in order.
    pub events: Vec<AllocatorEvent>,
    /// What it holds at the end.
    pub segments: Vec<HeldSegment>,
}

/// The allocations of a setup. `None` for Megatron-Core, whose steps are computed and not simulated.
pub fn allocations(arch: &Arch, setup: &Setup) -> Option<Allocations> {
    if setup.parallel.scheme == Scheme::Megatron {
        return None;
    }
    let setup = &clamp_setup(arch, setup);
    let trace = run(arch, setup, &arch.layers);
    let layers = u32::try_from(arch.layers()).unwrap_or(u32::MAX);
    let (gpu, _) = fullest(&trace, layers, setup);
    let mut collect = Collect {
        gpu,
        allocator: Allocator::default(),
        live: vec![None; trace.blocks as usize],
        site: Site::default(),
        events: Vec::new(),
    };
    trace.record.visit(&mut collect);
    let segments = collect.allocator.segments().into_iter().map(held).collect();
    Some(Allocations { events: collect.events, segments })
}

fn held(segment: Segment) -> HeldSegment {
    let Segment { address, size, stream, is_small, blocks } = segment;
    let blocks = blocks.into_iter().map(|(address, bytes, is_used)| HeldBlock { address, bytes, is_used }).collect();
    HeldSegment { address, bytes: size, stream, is_small, blocks }
}

struct Collect {
    gpu: u8,
    allocator: Allocator,
    /// Handle, requested bytes and stream of each block in use.
    live: Vec<Option<(u32, u64, u8)>>,
    site: Site,
    events: Vec<AllocatorEvent>,
}

impl Collect {
    fn push(&mut self, action: AllocatorAction, address: u64, bytes: u64, stream: u8) {
        let layer = if self.site.layer > 0 { format!("layer {} ", self.site.layer) } else { String::new() };
        let place = format!("{layer}{}", self.site.name.en);
        self.events.push(AllocatorEvent { action, address, bytes, stream, place, phase: self.site.phase });
    }

    fn release(&mut self, (handle, bytes, stream): (u32, u64, u8)) {
        let (address, _) = self.allocator.place(handle);
        self.allocator.free(handle);
        self.push(AllocatorAction::Free, address, bytes, stream);
    }
}

impl Visitor for Collect {
    fn place(&mut self, site: Site) {
        self.site = site;
    }

    fn alloc(&mut self, _number: usize, block: u32, allocation: Allocation) {
        let Allocation { bytes, stream, gpu, at_once, .. } = allocation;
        if gpu != self.gpu {
            return;
        }
        let before = self.allocator.reserved();
        let handle = self.allocator.malloc(round_size(bytes), stream);
        let (address, _) = self.allocator.place(handle);
        let reserved = self.allocator.reserved() - before;
        if reserved > 0 {
            // A new segment is one block, of which the tensor gets the beginning.
            self.push(AllocatorAction::ReserveSegment, address, reserved, stream);
        }
        self.push(AllocatorAction::Allocate, address, bytes, stream);
        if at_once {
            self.release((handle, bytes, stream));
        } else {
            self.live[block as usize] = Some((handle, bytes, stream));
        }
    }

    fn free(&mut self, _number: usize, block: u32) {
        if let Some(own) = self.live[block as usize].take() {
            self.release(own);
        }
    }

    fn relabel(&mut self, _number: usize, _block: u32, _part: Part) {}

    fn empty_cache(&mut self, _number: usize) {
        let before = self.allocator.segments();
        self.allocator.empty_cache();
        let after: Vec<u64> = self.allocator.segments().iter().map(|segment| segment.address).collect();
        for segment in before.into_iter().filter(|segment| !after.contains(&segment.address)) {
            self.push(AllocatorAction::ReleaseSegment, segment.address, segment.size, segment.stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::estimate;
    use crate::setup::{Checkpointing, Lora};
    use std::collections::BTreeMap;

    /// The peaks of the events are those of the estimate, and what is held at the end is what they leave.
    #[test]
    fn the_events_add_up_to_the_estimate() {
        let arch = Arch::from_parameters(300_000_000);
        let lora = Setup { lora: Some(Lora { r: 8, ..Lora::default() }), micro_batch: 2, ..Setup::default() };
        let checkpointed = Setup { checkpointing: Checkpointing::NonReentrant, sequence_length: 512, ..Setup::default() };
        for setup in [Setup { sequence_length: 256, ..Setup::default() }, lora, checkpointed] {
            let (found, expected) = (allocations(&arch, &setup).expect("simulated"), estimate(&arch, &setup));
            let (mut held, mut highest) = (0_u64, 0);
            let mut live: BTreeMap<u64, u64> = BTreeMap::new();
            for event in &found.events {
                match event.action {
                    AllocatorAction::ReserveSegment => held += event.bytes,
                    AllocatorAction::ReleaseSegment => held -= event.bytes,
                    AllocatorAction::Allocate => assert_eq!(live.insert(event.address, event.bytes), None),
                    AllocatorAction::Free => assert_eq!(live.remove(&event.address), Some(event.bytes)),
                }
                highest = highest.max(held);
            }
            assert_eq!(highest, expected.reserved);
            assert_eq!(found.segments.iter().map(|segment| segment.bytes).sum::<u64>(), held);
            let used = found.segments.iter().flat_map(|segment| &segment.blocks).filter(|block| block.is_used);
            assert_eq!(used.count(), live.len());
        }
    }
}
