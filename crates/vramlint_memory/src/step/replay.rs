//! Replays a trace in the allocator.

use super::EventTrace;
use super::memory_trace::{Held, MemoryTrace, Moments, TENSOR_PARTS};
use crate::allocator::{Allocator, round_size};
use crate::estimate::Part;
use crate::tape::{Allocation, Site, Visitor};

/// Replays what happens on one GPU in a trace of a model with `layers` blocks. What loading took is there, but is no moment.
pub(crate) fn replay(trace: &EventTrace, layers: u32, gpu: u8) -> MemoryTrace {
    let mut replay = Replay {
        gpu,
        loaded: trace.loaded,
        site: Site::default(),
        moved: true,
        allocator: Allocator::default(),
        live: vec![None; trace.blocks as usize],
        parts: [0; TENSOR_PARTS],
        moments: Moments::new(layers),
    };
    trace.record.visit(&mut replay);
    replay.moments.into_trace()
}

/// A block in use.
#[derive(Clone, Copy)]
struct LiveBlock {
    handle: u32,
    part: Part,
    size: u64,
}

/// A replay under way.
struct Replay {
    gpu: u8,
    /// Events of loading.
    loaded: usize,
    /// Where it is, and whether no event has happened there yet.
    site: Site,
    moved: bool,
    allocator: Allocator,
    live: Vec<Option<LiveBlock>>,
    parts: [u64; TENSOR_PARTS],
    moments: Moments,
}

impl Replay {
    /// An event is about to happen on this GPU.
    #[inline]
    fn enter(&mut self, number: usize) {
        if self.moved && number >= self.loaded {
            self.begin_moment(number);
        }
    }

    #[cold]
    fn begin_moment(&mut self, number: usize) {
        self.moved = false;
        let held = Held { allocated: self.allocator.allocated(), reserved: self.allocator.reserved(), parts: self.parts };
        self.moments.enter(self.site, number, held);
    }
}

impl Visitor for Replay {
    fn place(&mut self, site: Site) {
        self.site = site;
        self.moved = true;
    }

    #[inline]
    fn alloc(&mut self, number: usize, block: u32, allocation: Allocation) {
        let Allocation { bytes, part, stream, gpu, at_once } = allocation;
        if gpu != self.gpu {
            return;
        }
        self.enter(number);
        let size = round_size(bytes);
        // Many blocks are freed at once.
        let allocated = if at_once {
            self.allocator.touch(size, stream)
        } else {
            self.live[block as usize] = Some(LiveBlock { handle: self.allocator.malloc(size, stream), part, size });
            self.allocator.allocated()
        };
        self.parts[part as usize] += size;
        self.moments.reach(number, (allocated, self.allocator.reserved()), &self.parts);
        if at_once {
            self.parts[part as usize] -= size;
        }
    }

    #[inline]
    fn free(&mut self, number: usize, block: u32) {
        let Some(LiveBlock { handle, part, size }) = self.live[block as usize] else { return };
        self.enter(number);
        self.parts[part as usize] -= size;
        self.allocator.free(handle);
    }

    fn relabel(&mut self, number: usize, block: u32, part: Part) {
        let Some(LiveBlock { part: before, size, .. }) = self.live[block as usize] else { return };
        self.enter(number);
        self.parts[before as usize] -= size;
        self.parts[part as usize] += size;
        if let Some(block) = &mut self.live[block as usize] {
            block.part = part;
        }
    }

    fn empty_cache(&mut self, number: usize) {
        self.enter(number);
        self.allocator.empty_cache();
    }
}
