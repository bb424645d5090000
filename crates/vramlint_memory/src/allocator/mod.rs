//! The caching allocator of torch 2.15 (`c10/cuda/CUDACachingAllocator.cpp`, default settings), on sizes alone.
//!
//! Constants and functions carry the names of the C++ source, so that the two can be reviewed side by side.

mod block_pool;

use block_pool::{BlockPool, FreeBlock};

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
    /// Neighbours in the segment, `NONE` at its ends.
    prev: u32,
    next: u32,
    /// The pool that it goes to when it is free.
    pool: u8,
    free: bool,
}

impl Block {
    /// `is_split`: the block shares its segment with others.
    fn is_split(&self) -> bool {
        self.prev != NONE || self.next != NONE
    }
}

/// A segment as it is now.
pub(crate) struct Segment {
    pub(crate) address: u64,
    pub(crate) size: u64,
    pub(crate) stream: u8,
    pub(crate) is_small: bool,
    /// Address, bytes, and whether it is in use, of each block in order.
    pub(crate) blocks: Vec<(u64, u64, bool)>,
}

const NONE: u32 = u32::MAX;

/// `should_split`: whether what a block of this size has beyond the request is worth a block of its own.
const fn should_split(remaining: u64, small: bool) -> bool {
    if small { remaining >= MIN_BLOCK_SIZE } else { remaining > SMALL_SIZE }
}

/// The allocator's state.
#[derive(Default)]
pub(crate) struct Allocator {
    blocks: Vec<Block>,
    /// Handles of blocks that no longer exist.
    unused_handles: Vec<u32>,
    /// The small and the large pool of each stream. Streams never share blocks.
    pools: Vec<BlockPool>,
    next_address: u64,
    reserved: u64,
    allocated: u64,
}

/// The number of the pool of a stream for blocks of this rounded size.
const fn pool_number(size: u64, stream: u8) -> u8 {
    2 * stream + (size > SMALL_SIZE) as u8
}

/// Whether a pool is one of small blocks.
const fn is_small(pool: u8) -> bool {
    pool.is_multiple_of(2)
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

    /// The pool of a stream for blocks of this rounded size.
    fn pool(&mut self, number: u8) -> &mut BlockPool {
        let at = usize::from(number);
        if self.pools.len() <= at {
            self.pools.resize_with(at + 1, Default::default);
        }
        &mut self.pools[at]
    }

    /// `malloc`: allocates a block of a rounded size on a stream and returns its handle.
    #[inline]
    pub(crate) fn malloc(&mut self, size: u64, stream: u8) -> u32 {
        let number = pool_number(size, stream);
        let handle = match self.pool(number).take(size) {
            Some(handle) => handle,
            None => self.alloc_block(size, number),
        };
        let block = self.blocks[handle as usize];
        let remaining = block.size - size;
        let splits = should_split(remaining, is_small(number));
        let (mut taken, mut next) = (block.size, block.next);
        if splits {
            let address = block.address + size;
            let tail = self.add_block(Block { address, size: remaining, prev: handle, free: true, ..block });
            if next != NONE {
                self.blocks[next as usize].prev = tail;
            }
            self.pools[usize::from(number)].insert(FreeBlock { size: remaining, address, handle: tail });
            (taken, next) = (size, tail);
        }
        let block = &mut self.blocks[handle as usize];
        (block.size, block.next, block.free) = (taken, next, false);
        self.allocated += taken;
        handle
    }

    /// `malloc` and `free` of the same block at once: what is allocated in between. No block changes; a segment may be reserved.
    pub(crate) fn touch(&mut self, size: u64, stream: u8) -> u64 {
        let number = pool_number(size, stream);
        let found = self.pool(number).get_free_block(size).unwrap_or_else(|| {
            let handle = self.alloc_block(size, number);
            let Block { address, size, .. } = self.blocks[handle as usize];
            let segment = FreeBlock { size, address, handle };
            self.pool(number).insert(segment);
            segment
        });
        let found = found.size;
        self.allocated + if should_split(found - size, is_small(number)) { size } else { found }
    }

    /// `alloc_block`: reserves a segment, which is one block until it is split.
    fn alloc_block(&mut self, size: u64, pool: u8) -> u32 {
        let segment = get_allocation_size(size);
        self.reserved += segment;
        let address = self.next_address;
        // A gap between segments: blocks of two segments never merge.
        self.next_address += segment + ROUND_LARGE;
        self.add_block(Block { address, size: segment, prev: NONE, next: NONE, pool, free: true })
    }

    /// `free`: returns a block, merged with its free neighbours (`try_merge_blocks`).
    #[inline]
    pub(crate) fn free(&mut self, handle: u32) {
        let Block { mut address, mut size, prev, mut next, pool: number, .. } = self.blocks[handle as usize];
        self.allocated -= size;
        let pool = &mut self.pools[usize::from(number)];
        let mut merged = handle;
        if next != NONE {
            let after = self.blocks[next as usize];
            if after.free {
                pool.remove(after.size, after.address);
                self.unused_handles.push(next);
                size += after.size;
                next = after.next;
                if next != NONE {
                    self.blocks[next as usize].prev = handle;
                }
            }
        }
        if prev != NONE {
            let before = self.blocks[prev as usize];
            if before.free {
                pool.remove(before.size, before.address);
                self.unused_handles.push(handle);
                size += before.size;
                (merged, address) = (prev, before.address);
                if next != NONE {
                    self.blocks[next as usize].prev = merged;
                }
            }
        }
        let block = &mut self.blocks[merged as usize];
        (block.size, block.next, block.free) = (size, next, true);
        pool.insert(FreeBlock { size, address, handle: merged });
    }

    /// `torch.cuda.empty_cache()`: releases the segments that have no block in use.
    pub(crate) fn empty_cache(&mut self) {
        let Self { blocks, unused_handles, pools, reserved, .. } = self;
        for pool in pools {
            pool.retain(|handle| {
                let block = blocks[handle as usize];
                if !block.is_split() {
                    *reserved -= block.size;
                    unused_handles.push(handle);
                }
                block.is_split()
            });
        }
    }

    /// Address and bytes of a block.
    pub(crate) fn place(&self, handle: u32) -> (u64, u64) {
        let block = self.blocks[handle as usize];
        (block.address, block.size)
    }

    /// The segments in the order of their addresses, each with its blocks.
    pub(crate) fn segments(&self) -> Vec<Segment> {
        let unused: std::collections::HashSet<u32> = self.unused_handles.iter().copied().collect();
        let exists = |handle: u32| !unused.contains(&handle);
        let mut found: Vec<Segment> = Vec::new();
        for (handle, first) in (0..).zip(&self.blocks).filter(|(handle, first)| exists(*handle) && first.prev == NONE) {
            let mut blocks = Vec::new();
            let mut next = handle;
            while next != NONE {
                let block = self.blocks[next as usize];
                blocks.push((block.address, block.size, !block.free));
                next = block.next;
            }
            let size = blocks.iter().map(|(_, size, _)| size).sum();
            found.push(Segment { address: first.address, size, stream: first.pool / 2, is_small: is_small(first.pool), blocks });
        }
        found.sort_by_key(|segment| segment.address);
        found
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
