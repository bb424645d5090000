//! The caching allocator of torch 2.15 (`c10/cuda/CUDACachingAllocator.cpp`) with its default settings, on sizes alone.

use std::collections::BTreeSet;

/// Sizes are multiples of this.
const GRAIN: u64 = 512;
/// Blocks up to this come from small segments.
const SMALL: u64 = 1 << 20;
/// The size of a small segment.
const SMALL_SEGMENT: u64 = 2 << 20;
/// The size of a segment for blocks below [`LARGE`].
const MEDIUM_SEGMENT: u64 = 20 << 20;
/// From this on a segment is made for the block, rounded to 2 MiB.
const LARGE: u64 = 10 << 20;
const ROUND: u64 = 2 << 20;

/// Rounds a request as the allocator does.
pub(crate) const fn rounded(bytes: u64) -> u64 {
    if bytes < GRAIN { GRAIN } else { bytes.next_multiple_of(GRAIN) }
}

#[derive(Clone, Copy)]
struct Block {
    address: u64,
    size: u64,
    free: bool,
    small: bool,
    /// The stream that it was made for.
    stream: u8,
    /// Neighbours in the segment, `NONE` at its ends.
    before: u32,
    after: u32,
}

impl Block {
    fn key(&self, handle: u32) -> (u64, u64, u32) {
        (self.size, self.address, handle)
    }
}

const NONE: u32 = u32::MAX;

/// Free blocks in order of size, then address.
#[derive(Default)]
struct Pool {
    handles: BTreeSet<(u64, u64, u32)>,
}

impl Pool {
    fn insert(&mut self, blocks: &[Block], handle: u32) {
        self.handles.insert(blocks[handle as usize].key(handle));
    }

    fn remove(&mut self, blocks: &[Block], handle: u32) {
        self.handles.remove(&blocks[handle as usize].key(handle));
    }

    /// Takes the smallest block of at least `size`, the lowest of them.
    fn take(&mut self, size: u64) -> Option<u32> {
        let found = self.handles.range((size, 0, 0)..).next().copied()?;
        self.handles.remove(&found);
        Some(found.2)
    }
}

/// The allocator's state.
#[derive(Default)]
pub(crate) struct Allocator {
    blocks: Vec<Block>,
    unused: Vec<u32>,
    /// Free blocks by size, then address: small ones and large ones of each stream. Streams never share.
    pools: Vec<[Pool; 2]>,
    next: u64,
    reserved: u64,
    allocated: u64,
}

impl Allocator {
    /// Bytes held in segments.
    pub(crate) fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Bytes of the blocks in use: what `torch.cuda.memory_allocated` says. A block that was not worth splitting counts whole.
    pub(crate) fn allocated(&self) -> u64 {
        self.allocated
    }

    /// Takes a block for a stream; its handle.
    pub(crate) fn alloc(&mut self, bytes: u64, stream: u8) -> u32 {
        let lane = usize::from(stream);
        while self.pools.len() <= lane {
            self.pools.push(Default::default());
        }
        let size = rounded(bytes);
        let small = size <= SMALL;
        let pool = usize::from(!small);
        let id = if let Some(id) = self.pools[lane][pool].take(size) {
            id
        } else {
            let segment = if small {
                SMALL_SEGMENT
            } else if size < LARGE {
                MEDIUM_SEGMENT
            } else {
                size.next_multiple_of(ROUND)
            };
            self.reserved += segment;
            let address = self.next;
            // Segments never touch: blocks of two do not merge.
            self.next += segment + ROUND;
            self.push(Block { address, size: segment, free: true, small, stream, before: NONE, after: NONE })
        };
        let block = self.blocks[id as usize];
        let rest = block.size - size;
        if if small { rest >= GRAIN } else { rest > SMALL } {
            let address = block.address + size;
            let tail = self.push(Block { address, size: rest, free: true, small, stream, before: id, after: block.after });
            if block.after != NONE {
                self.blocks[block.after as usize].before = tail;
            }
            let head = &mut self.blocks[id as usize];
            head.after = tail;
            head.size = size;
            self.pools[lane][pool].insert(&self.blocks, tail);
        }
        let block = &mut self.blocks[id as usize];
        block.free = false;
        self.allocated += block.size;
        id
    }

    /// Gives a block back; it merges with free neighbours.
    pub(crate) fn free(&mut self, id: u32) {
        let mut block = self.blocks[id as usize];
        self.allocated -= block.size;
        let (lane, pool) = (usize::from(block.stream), usize::from(!block.small));
        let mut id = id;
        if block.before != NONE && self.blocks[block.before as usize].free {
            let other = self.blocks[block.before as usize];
            self.pools[lane][pool].remove(&self.blocks, block.before);
            let merged = block.before;
            self.unused.push(id);
            id = merged;
            block = Block { address: other.address, size: other.size + block.size, before: other.before, ..block };
            if block.after != NONE {
                self.blocks[block.after as usize].before = id;
            }
        }
        if block.after != NONE && self.blocks[block.after as usize].free {
            let gone = block.after;
            let other = self.blocks[gone as usize];
            self.pools[lane][pool].remove(&self.blocks, gone);
            block.size += other.size;
            block.after = other.after;
            if block.after != NONE {
                self.blocks[block.after as usize].before = id;
            }
            self.unused.push(gone);
        }
        block.free = true;
        self.blocks[id as usize] = block;
        self.pools[lane][pool].insert(&self.blocks, id);
    }

    /// `torch.cuda.empty_cache()`: segments without a used block go.
    pub(crate) fn empty_cache(&mut self) {
        for pool in self.pools.iter_mut().flatten() {
            pool.handles.retain(|(_, _, handle)| {
                let block = self.blocks[*handle as usize];
                let whole = block.before == NONE && block.after == NONE;
                if whole {
                    self.reserved -= block.size;
                    self.unused.push(*handle);
                }
                !whole
            });
        }
    }

    fn push(&mut self, block: Block) -> u32 {
        if let Some(id) = self.unused.pop() {
            self.blocks[id as usize] = block;
            return id;
        }
        self.blocks.push(block);
        u32::try_from(self.blocks.len() - 1).unwrap_or(NONE)
    }
}
