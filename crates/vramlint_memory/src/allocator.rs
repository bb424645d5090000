//! The caching allocator of torch 2.15 (`c10/cuda/CUDACachingAllocator.cpp`, default settings), on sizes alone.
//!
//! Constants and functions carry the names of the C++ source, so that the two can be reviewed side by side.

use std::collections::BTreeSet;

/// `kMinBlockSize`: sizes are multiples of this.
const MIN_BLOCK_SIZE: u64 = 512;
/// `kSmallSize`: the largest block of the small pool.
const SMALL_SIZE: u64 = 1 << 20;
/// `kSmallBuffer`: the segment size of the small pool.
const SMALL_BUFFER: u64 = 2 << 20;
/// `kLargeBuffer`: the segment size for blocks below [`MIN_LARGE_ALLOC`].
const LARGE_BUFFER: u64 = 20 << 20;
/// `kMinLargeAlloc`: from this size on, a block gets a segment of its own.
const MIN_LARGE_ALLOC: u64 = 10 << 20;
/// `kRoundLarge`: the size of such a segment is a multiple of this.
const ROUND_LARGE: u64 = 2 << 20;

/// `round_size`.
pub(crate) const fn round_size(size: u64) -> u64 {
    if size < MIN_BLOCK_SIZE { MIN_BLOCK_SIZE } else { size.next_multiple_of(MIN_BLOCK_SIZE) }
}

/// `get_allocation_size`: the segment for a block of this rounded size.
const fn get_allocation_size(size: u64) -> u64 {
    if size <= SMALL_SIZE {
        SMALL_BUFFER
    } else if size < MIN_LARGE_ALLOC {
        LARGE_BUFFER
    } else {
        size.next_multiple_of(ROUND_LARGE)
    }
}

#[derive(Clone, Copy)]
struct Block {
    address: u64,
    size: u64,
    free: bool,
    small: bool,
    /// The stream that it was allocated on.
    stream: u8,
    /// Neighbours in the segment, `NONE` at its ends.
    prev: u32,
    next: u32,
}

impl Block {
    fn key(&self, handle: u32) -> (u64, u64, u32) {
        (self.size, self.address, handle)
    }

    /// `is_split`: the block shares its segment with others.
    fn is_split(&self) -> bool {
        self.prev != NONE || self.next != NONE
    }
}

const NONE: u32 = u32::MAX;

/// `BlockPool`: free blocks by size, then address.
#[derive(Default)]
struct BlockPool {
    handles: BTreeSet<(u64, u64, u32)>,
}

impl BlockPool {
    fn insert(&mut self, blocks: &[Block], handle: u32) {
        self.handles.insert(blocks[handle as usize].key(handle));
    }

    fn remove(&mut self, blocks: &[Block], handle: u32) {
        self.handles.remove(&blocks[handle as usize].key(handle));
    }

    /// `get_free_block`: the smallest block of at least `size`, and of these the one with the lowest address.
    fn get_free_block(&mut self, size: u64) -> Option<u32> {
        let found = self.handles.range((size, 0, 0)..).next().copied()?;
        self.handles.remove(&found);
        Some(found.2)
    }
}

/// The allocator's state.
#[derive(Default)]
pub(crate) struct Allocator {
    blocks: Vec<Block>,
    /// Handles of blocks that no longer exist.
    unused_handles: Vec<u32>,
    /// The small and the large pool of each stream. Streams never share blocks.
    pools: Vec<[BlockPool; 2]>,
    next_address: u64,
    reserved: u64,
    allocated: u64,
}

impl Allocator {
    /// Bytes in segments: `torch.cuda.memory_reserved`.
    pub(crate) fn reserved(&self) -> u64 {
        self.reserved
    }

    /// Bytes of the blocks in use: `torch.cuda.memory_allocated`. A block that was not worth splitting counts in full.
    pub(crate) fn allocated(&self) -> u64 {
        self.allocated
    }

    /// `malloc`: allocates a block on a stream and returns its handle.
    pub(crate) fn malloc(&mut self, bytes: u64, stream: u8) -> u32 {
        let lane = usize::from(stream);
        while self.pools.len() <= lane {
            self.pools.push(Default::default());
        }
        let size = round_size(bytes);
        let small = size <= SMALL_SIZE;
        let pool = usize::from(!small);
        let handle = match self.pools[lane][pool].get_free_block(size) {
            Some(handle) => handle,
            None => self.alloc_block(size, small, stream),
        };
        let block = self.blocks[handle as usize];
        let remaining = block.size - size;
        // `should_split`.
        if if small { remaining >= MIN_BLOCK_SIZE } else { remaining > SMALL_SIZE } {
            let address = block.address + size;
            let tail =
                self.add_block(Block { address, size: remaining, free: true, small, stream, prev: handle, next: block.next });
            if block.next != NONE {
                self.blocks[block.next as usize].prev = tail;
            }
            let head = &mut self.blocks[handle as usize];
            head.next = tail;
            head.size = size;
            self.pools[lane][pool].insert(&self.blocks, tail);
        }
        let block = &mut self.blocks[handle as usize];
        block.free = false;
        self.allocated += block.size;
        handle
    }

    /// `alloc_block`: reserves a segment, which is one block until it is split.
    fn alloc_block(&mut self, size: u64, small: bool, stream: u8) -> u32 {
        let segment = get_allocation_size(size);
        self.reserved += segment;
        let address = self.next_address;
        // A gap between segments: blocks of two segments never merge.
        self.next_address += segment + ROUND_LARGE;
        self.add_block(Block { address, size: segment, free: true, small, stream, prev: NONE, next: NONE })
    }

    /// `free`: returns a block, merged with its free neighbours (`try_merge_blocks`).
    pub(crate) fn free(&mut self, handle: u32) {
        let mut block = self.blocks[handle as usize];
        self.allocated -= block.size;
        let (lane, pool) = (usize::from(block.stream), usize::from(!block.small));
        let mut handle = handle;
        if block.prev != NONE && self.blocks[block.prev as usize].free {
            let other = self.blocks[block.prev as usize];
            self.pools[lane][pool].remove(&self.blocks, block.prev);
            let merged = block.prev;
            self.unused_handles.push(handle);
            handle = merged;
            block = Block { address: other.address, size: other.size + block.size, prev: other.prev, ..block };
            if block.next != NONE {
                self.blocks[block.next as usize].prev = handle;
            }
        }
        if block.next != NONE && self.blocks[block.next as usize].free {
            let merged = block.next;
            let other = self.blocks[merged as usize];
            self.pools[lane][pool].remove(&self.blocks, merged);
            block.size += other.size;
            block.next = other.next;
            if block.next != NONE {
                self.blocks[block.next as usize].prev = handle;
            }
            self.unused_handles.push(merged);
        }
        block.free = true;
        self.blocks[handle as usize] = block;
        self.pools[lane][pool].insert(&self.blocks, handle);
    }

    /// `torch.cuda.empty_cache()`: releases the segments that have no block in use.
    pub(crate) fn empty_cache(&mut self) {
        for pool in self.pools.iter_mut().flatten() {
            pool.handles.retain(|(_, _, handle)| {
                let block = self.blocks[*handle as usize];
                if !block.is_split() {
                    self.reserved -= block.size;
                    self.unused_handles.push(*handle);
                }
                block.is_split()
            });
        }
    }

    fn add_block(&mut self, block: Block) -> u32 {
        if let Some(handle) = self.unused_handles.pop() {
            self.blocks[handle as usize] = block;
            return handle;
        }
        self.blocks.push(block);
        u32::try_from(self.blocks.len() - 1).unwrap_or(NONE)
    }
}
