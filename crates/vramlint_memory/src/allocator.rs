//! The caching allocator of torch 2.15 (`c10/cuda/CUDACachingAllocator.cpp`, default settings), on sizes alone.
//!
//! Constants and functions carry the names of the C++ source, so that the two can be reviewed side by side.

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
    /// `is_split`: the block shares its segment with others.
    fn is_split(&self) -> bool {
        self.prev != NONE || self.next != NONE
    }
}

const NONE: u32 = u32::MAX;

/// A free block: a number that orders blocks by size, then address; and its handle.
#[derive(Clone, Copy)]
struct FreeBlock {
    order: u128,
    handle: u32,
}

impl FreeBlock {
    fn new(size: u64, address: u64, handle: u32) -> Self {
        Self { order: (u128::from(size) << 64) | u128::from(address), handle }
    }
}

/// `BlockPool`: free blocks by size, then address. There are few at a time, so that a sorted list is the fastest set.
#[derive(Default)]
struct BlockPool {
    sorted: Vec<FreeBlock>,
}

impl BlockPool {
    /// Where a block is, or would be.
    fn place(&self, block: FreeBlock) -> usize {
        self.sorted.partition_point(|other| other.order < block.order)
    }

    fn insert(&mut self, block: FreeBlock) {
        self.sorted.insert(self.place(block), block);
    }

    /// Puts a smaller block in the place of the one at `from`; only what lies between their places moves.
    fn shrink_at(&mut self, from: usize, new: FreeBlock) {
        let to = self.sorted[..from].partition_point(|other| other.order < new.order);
        self.sorted.copy_within(to..from, to + 1);
        self.sorted[to] = new;
    }

    /// The same for a larger one.
    fn grow_at(&mut self, from: usize, new: FreeBlock) {
        let beyond = self.sorted[from + 1..].partition_point(|other| other.order < new.order);
        self.sorted.copy_within(from + 1..=from + beyond, from);
        self.sorted[from + beyond] = new;
    }

    /// `get_free_block`: the smallest block of at least `size`, and of these the one with the lowest address.
    fn get_free_block(&self, size: u64) -> Option<usize> {
        let least = u128::from(size) << 64;
        let at = self.sorted.partition_point(|other| other.order < least);
        (at < self.sorted.len()).then_some(at)
    }
}

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

    /// The pool of a stream for blocks of this size.
    fn pool(&mut self, small: bool, stream: u8) -> &mut BlockPool {
        let lane = usize::from(stream);
        if self.pools.len() <= lane {
            self.pools.resize_with(lane + 1, Default::default);
        }
        &mut self.pools[lane][usize::from(!small)]
    }

    /// `malloc`: allocates a block on a stream and returns its handle.
    pub(crate) fn malloc(&mut self, bytes: u64, stream: u8) -> u32 {
        let size = round_size(bytes);
        let small = size <= SMALL_SIZE;
        let Some(at) = self.pool(small, stream).get_free_block(size) else {
            let handle = self.alloc_block(size, small, stream);
            if let Some(tail) = self.split(handle, size) {
                self.pool(small, stream).insert(tail);
            }
            return self.take(handle);
        };
        let handle = self.pool(small, stream).sorted[at].handle;
        match self.split(handle, size) {
            Some(tail) => self.pool(small, stream).shrink_at(at, tail),
            None => drop(self.pool(small, stream).sorted.remove(at)),
        }
        self.take(handle)
    }

    /// `malloc` and `free` of the same block at once: what is allocated in between. No block changes; a segment may be reserved.
    pub(crate) fn touch(&mut self, bytes: u64, stream: u8) -> u64 {
        let size = round_size(bytes);
        let small = size <= SMALL_SIZE;
        let pool = self.pool(small, stream);
        let found = if let Some(at) = pool.get_free_block(size) {
            let handle = pool.sorted[at].handle;
            self.blocks[handle as usize].size
        } else {
            let handle = self.alloc_block(size, small, stream);
            let block = self.blocks[handle as usize];
            self.pool(small, stream).insert(FreeBlock::new(block.size, block.address, handle));
            block.size
        };
        self.allocated + if should_split(found - size, small) { size } else { found }
    }

    /// Marks a block as used.
    fn take(&mut self, handle: u32) -> u32 {
        let block = &mut self.blocks[handle as usize];
        block.free = false;
        self.allocated += block.size;
        handle
    }

    /// Splits what a block has beyond `size` off, if that is worth it.
    fn split(&mut self, handle: u32, size: u64) -> Option<FreeBlock> {
        let block = self.blocks[handle as usize];
        let remaining = block.size - size;
        if !should_split(remaining, block.small) {
            return None;
        }
        let address = block.address + size;
        let tail = self.add_block(Block { address, size: remaining, prev: handle, ..block });
        if block.next != NONE {
            self.blocks[block.next as usize].prev = tail;
        }
        let head = &mut self.blocks[handle as usize];
        head.next = tail;
        head.size = size;
        Some(FreeBlock::new(remaining, address, tail))
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
        let pool = &mut self.pools[usize::from(block.stream)][usize::from(!block.small)];
        let mut handle = handle;
        // The place of a neighbour that the block takes over in the pool.
        let mut place = None;
        if block.prev != NONE && self.blocks[block.prev as usize].free {
            let other = self.blocks[block.prev as usize];
            place = Some(pool.place(FreeBlock::new(other.size, other.address, block.prev)));
            self.unused_handles.push(handle);
            handle = block.prev;
            block = Block { address: other.address, size: other.size + block.size, prev: other.prev, ..block };
            if block.next != NONE {
                self.blocks[block.next as usize].prev = handle;
            }
        }
        if block.next != NONE && self.blocks[block.next as usize].free {
            let merged = block.next;
            let other = self.blocks[merged as usize];
            let at = pool.place(FreeBlock::new(other.size, other.address, merged));
            place = match place {
                None => Some(at),
                Some(before) => {
                    pool.sorted.remove(at);
                    Some(before - usize::from(at < before))
                }
            };
            block.size += other.size;
            block.next = other.next;
            if block.next != NONE {
                self.blocks[block.next as usize].prev = handle;
            }
            self.unused_handles.push(merged);
        }
        block.free = true;
        self.blocks[handle as usize] = block;
        let own = FreeBlock::new(block.size, block.address, handle);
        match place {
            Some(at) => pool.grow_at(at, own),
            None => pool.insert(own),
        }
    }

    /// `torch.cuda.empty_cache()`: releases the segments that have no block in use.
    pub(crate) fn empty_cache(&mut self) {
        for pool in self.pools.iter_mut().flatten() {
            pool.sorted.retain(|free| {
                let block = self.blocks[free.handle as usize];
                if !block.is_split() {
                    self.reserved -= block.size;
                    self.unused_handles.push(free.handle);
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
