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

/// Free blocks of one size.
struct Bin {
    size: u64,
    /// Addresses and handles. The lowest address, which is taken first, is the last.
    blocks: Vec<(u64, u32)>,
}

/// `BlockPool`: free blocks by size, then address. Many blocks of a step have the same size, so there are few bins.
#[derive(Default)]
struct BlockPool {
    bins: Vec<Bin>,
    /// Lists of bins that no longer exist.
    spare: Vec<Vec<(u64, u32)>>,
}

impl BlockPool {
    /// The first bin of at least this size.
    fn at_least(&self, size: u64) -> usize {
        self.bins.partition_point(|bin| bin.size < size)
    }

    fn insert(&mut self, size: u64, address: u64, handle: u32) {
        let at = self.at_least(size);
        if let Some(bin) = self.bins.get_mut(at).filter(|bin| bin.size == size) {
            let place = bin.blocks.partition_point(|(other, _)| *other > address);
            bin.blocks.insert(place, (address, handle));
            return;
        }
        let mut blocks = self.spare.pop().unwrap_or_default();
        blocks.push((address, handle));
        self.bins.insert(at, Bin { size, blocks });
    }

    fn remove(&mut self, size: u64, address: u64) {
        let at = self.at_least(size);
        let bin = &mut self.bins[at];
        let place = bin.blocks.partition_point(|(other, _)| *other > address);
        bin.blocks.remove(place);
        if bin.blocks.is_empty() {
            self.spare.push(self.bins.remove(at).blocks);
        }
    }

    /// Gives a block another size and address.
    fn replace(&mut self, (size, address): (u64, u64), (new_size, new_address): (u64, u64), handle: u32) {
        let from = self.at_least(size);
        let to = self.at_least(new_size);
        if self.bins[from].blocks.len() > 1 || self.bins.get(to).is_some_and(|bin| bin.size == new_size) {
            self.remove(size, address);
            self.insert(new_size, new_address, handle);
            return;
        }
        // The only one of its size, and the first of the new size: its bin goes there.
        let bin = &mut self.bins[from];
        bin.size = new_size;
        bin.blocks[0] = (new_address, handle);
        if to <= from {
            self.bins[to..=from].rotate_right(1);
        } else {
            self.bins[from..to].rotate_left(1);
        }
    }

    /// `get_free_block`: the smallest block of at least `size`, and of these the one with the lowest address.
    fn get_free_block(&self, size: u64) -> Option<u32> {
        let bin = self.bins.get(self.at_least(size))?;
        bin.blocks.last().map(|(_, handle)| *handle)
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

    /// The pool of a stream for such blocks.
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
        let found = self.pool(small, stream).get_free_block(size);
        let handle = found.unwrap_or_else(|| self.alloc_block(size, small, stream));
        let whole = self.blocks[handle as usize];
        let tail = self.split(handle, size).map(|tail| (whole.size - size, whole.address + size, tail));
        let pool = self.pool(small, stream);
        match (found, tail) {
            (Some(_), Some((rest, address, tail))) => pool.replace((whole.size, whole.address), (rest, address), tail),
            (Some(_), None) => pool.remove(whole.size, whole.address),
            (None, Some((rest, address, tail))) => pool.insert(rest, address, tail),
            (None, None) => {}
        }
        let block = &mut self.blocks[handle as usize];
        block.free = false;
        self.allocated += block.size;
        handle
    }

    /// `malloc` and `free` of the same block at once: what is allocated in between. No block changes; a segment may be reserved.
    pub(crate) fn touch(&mut self, bytes: u64, stream: u8) -> u64 {
        let size = round_size(bytes);
        let small = size <= SMALL_SIZE;
        let handle = self.pool(small, stream).get_free_block(size).unwrap_or_else(|| {
            let handle = self.alloc_block(size, small, stream);
            let block = self.blocks[handle as usize];
            self.pool(small, stream).insert(block.size, block.address, handle);
            handle
        });
        let found = self.blocks[handle as usize].size;
        self.allocated + if should_split(found - size, small) { size } else { found }
    }

    /// Splits what a block has beyond `size` off, if that is worth it.
    fn split(&mut self, handle: u32, size: u64) -> Option<u32> {
        let block = self.blocks[handle as usize];
        let remaining = block.size - size;
        if !should_split(remaining, block.small) {
            return None;
        }
        let tail = self.add_block(Block { address: block.address + size, size: remaining, prev: handle, ..block });
        if block.next != NONE {
            self.blocks[block.next as usize].prev = tail;
        }
        let head = &mut self.blocks[handle as usize];
        head.next = tail;
        head.size = size;
        Some(tail)
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
        let Block { address, size, small, stream, prev, next, .. } = self.blocks[handle as usize];
        self.allocated -= size;
        let pool = &mut self.pools[usize::from(stream)][usize::from(!small)];
        let neighbour = |at: u32| (at != NONE).then(|| self.blocks[at as usize]).filter(|block| block.free);
        let (before, after) = (neighbour(prev), neighbour(next));
        let merged = if before.is_some() { prev } else { handle };
        let new = (
            size + before.map_or(0, |block| block.size) + after.map_or(0, |block| block.size),
            before.map_or(address, |block| block.address),
        );
        match (before, after) {
            (None, None) => pool.insert(new.0, new.1, handle),
            (Some(one), None) | (None, Some(one)) => pool.replace((one.size, one.address), new, merged),
            (Some(before), Some(after)) => {
                pool.remove(after.size, after.address);
                pool.replace((before.size, before.address), new, merged);
            }
        }
        let end = after.map_or(next, |block| block.next);
        let block = &mut self.blocks[merged as usize];
        block.size = new.0;
        block.next = end;
        block.free = true;
        if before.is_some() {
            self.unused_handles.push(handle);
        }
        if after.is_some() {
            self.unused_handles.push(next);
        }
        if end != NONE {
            self.blocks[end as usize].prev = merged;
        }
    }

    /// `torch.cuda.empty_cache()`: releases the segments that have no block in use.
    pub(crate) fn empty_cache(&mut self) {
        for pool in self.pools.iter_mut().flatten() {
            for bin in &mut pool.bins {
                bin.blocks.retain(|(_, handle)| {
                    let block = self.blocks[*handle as usize];
                    if !block.is_split() {
                        self.reserved -= block.size;
                        self.unused_handles.push(*handle);
                    }
                    block.is_split()
                });
            }
            pool.bins.retain(|bin| !bin.blocks.is_empty());
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
