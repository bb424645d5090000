//! Replays the events of PyTorch's caching allocator. A trace gives the requested size of a tensor; what counts as allocated is its block,
//! which the allocator rounds up, and does not split where little would remain (`c10/cuda/CUDACachingAllocator.cpp`).

use std::collections::{BTreeMap, HashMap};

/// Sizes are multiples of this (`kMinBlockSize`).
const MIN_BLOCK: u64 = 512;
/// Requests up to this come from small segments (`kSmallSize`); of a large block, as much as this must remain to be split.
const SMALL: u64 = 1 << 20;
/// Segments of the small pool (`kSmallBuffer`).
const SMALL_SEGMENT: u64 = 2 << 20;

/// The blocks of one GPU.
#[derive(Default)]
pub(crate) struct BlockReplay {
    /// Free ranges by address.
    free: BTreeMap<u64, u64>,
    /// Segments by address.
    segments: BTreeMap<u64, u64>,
    /// Live blocks by address: size, and whether their free was requested.
    blocks: HashMap<u64, (u64, bool)>,
    live: u64,
    held: u64,
    highest_live: u64,
    highest_held: u64,
}

impl BlockReplay {
    pub(crate) fn add_segment(&mut self, addr: u64, size: u64) {
        self.segments.insert(addr, size);
        self.held += size;
        self.highest_held = self.highest_held.max(self.held);
        self.release(addr, size);
    }

    pub(crate) fn remove_segment(&mut self, addr: u64, size: u64) {
        self.segments.remove(&addr);
        self.held = self.held.saturating_sub(size);
        self.take(addr, size);
    }

    pub(crate) fn allocate(&mut self, addr: u64, requested: u64) {
        let rounded = requested.max(MIN_BLOCK).next_multiple_of(MIN_BLOCK);
        let (start, length) = self.free_range(addr).unwrap_or((addr, rounded));
        let room = length - (addr - start);
        let remaining = room.saturating_sub(rounded);
        let is_small = self.segment_of(addr).is_some_and(|size| size == SMALL_SEGMENT) && requested <= SMALL;
        let splits = if is_small { remaining >= MIN_BLOCK } else { remaining > SMALL };
        let size = if splits || room < rounded { rounded } else { room };
        self.take(addr, size);
        self.blocks.insert(addr, (size, false));
        self.live += size;
        self.highest_live = self.highest_live.max(self.live);
    }

    /// The tensor is gone: its bytes no longer count as allocated. The block may wait for a stream.
    pub(crate) fn request_free(&mut self, addr: u64) {
        if let Some((size, is_requested)) = self.blocks.get_mut(&addr)
            && !*is_requested
        {
            *is_requested = true;
            self.live = self.live.saturating_sub(*size);
        }
    }

    /// The block can be used again.
    pub(crate) fn complete_free(&mut self, addr: u64) {
        self.request_free(addr);
        if let Some((size, _)) = self.blocks.remove(&addr) {
            self.release(addr, size);
        }
    }

    /// Highest bytes of tensors, and of segments.
    pub(crate) fn peaks(&self) -> (u64, u64) {
        (self.highest_live, self.highest_held)
    }

    /// Bytes of tensors at the end.
    pub(crate) const fn live(&self) -> u64 {
        self.live
    }

    /// Bytes of segments at the end.
    pub(crate) const fn held(&self) -> u64 {
        self.held
    }

    /// The free range that holds `addr`.
    fn free_range(&self, addr: u64) -> Option<(u64, u64)> {
        let (start, size) = self.free.range(..=addr).next_back()?;
        (addr < start + size).then_some((*start, *size))
    }

    fn segment_of(&self, addr: u64) -> Option<u64> {
        let (start, size) = self.segments.range(..=addr).next_back()?;
        (addr < start + size).then_some(*size)
    }

    /// Makes a range free; it joins its free neighbours in the same segment.
    fn release(&mut self, addr: u64, size: u64) {
        let (mut start, mut end) = (addr, addr + size);
        let segment = self.segments.range(..=addr).next_back().map(|(start, size)| (*start, start + size));
        let inside = |at: u64| segment.is_none_or(|(first, last)| first <= at && at < last);
        if let Some((before, length)) = self.free.range(..addr).next_back().map(|(before, length)| (*before, *length))
            && before + length == start
            && inside(before)
        {
            self.free.remove(&before);
            start = before;
        }
        if let Some(length) = self.free.get(&end).copied().filter(|_| inside(end)) {
            self.free.remove(&end);
            end += length;
        }
        self.free.insert(start, end - start);
    }

    /// Takes a range out of what is free.
    fn take(&mut self, addr: u64, size: u64) {
        let Some((start, length)) = self.free_range(addr) else { return };
        self.free.remove(&start);
        if start < addr {
            self.free.insert(start, addr - start);
        }
        let (end, taken) = (start + length, addr + size);
        if taken < end {
            self.free.insert(taken, end - taken);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_rounded_and_split_as_torch_does() {
        let mut replay = BlockReplay::default();
        replay.add_segment(0, SMALL_SEGMENT);
        replay.allocate(0, 100);
        assert_eq!(replay.live(), 512);
        // What remains of a large segment is less than 1 MiB, so the block keeps it.
        replay.add_segment(1 << 30, 20 << 20);
        replay.allocate(1 << 30, (19 << 20) + 512 * 3);
        assert_eq!(replay.live(), 512 + (20 << 20));
        replay.complete_free(1 << 30);
        replay.allocate(1 << 30, 5 << 20);
        assert_eq!((replay.live(), replay.peaks()), (512 + (5 << 20), (512 + (20 << 20), 22 << 20)));
    }
}
