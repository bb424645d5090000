//! Free blocks, and the smallest of them that is large enough.

use super::MIN_BLOCK_SIZE;

/// A free block.
#[derive(Clone, Copy, Default)]
pub(super) struct FreeBlock {
    pub(super) size: u64,
    pub(super) address: u64,
    pub(super) handle: u32,
}

impl FreeBlock {
    /// What decides which one is taken.
    fn key(&self) -> (u64, u64) {
        (self.size, self.address)
    }
}

/// Classes between two powers of two, as a power of two.
const STEPS: u32 = 3;
/// Classes of sizes up to the largest one.
const CLASSES: usize = (64 - MIN_BLOCK_SIZE.ilog2() as usize) << STEPS;

/// The class of a size: larger sizes never have a lower one.
const fn class(size: u64) -> usize {
    let units = size / MIN_BLOCK_SIZE;
    let power = units.ilog2();
    if power <= STEPS {
        return units as usize;
    }
    let shift = power - STEPS;
    ((shift as usize) << STEPS) + (units >> shift) as usize
}

/// `BlockPool`: free blocks by size, then address. Most classes have one block at most.
pub(super) struct BlockPool {
    /// Which classes have blocks.
    filled: [u64; CLASSES.div_ceil(64)],
    /// The block of each class that is taken first, if there is one.
    first: Vec<FreeBlock>,
    /// The others. The one that is taken next is the last.
    others: Vec<Vec<FreeBlock>>,
}

impl Default for BlockPool {
    fn default() -> Self {
        let filled = [0; CLASSES.div_ceil(64)];
        Self { filled, first: vec![FreeBlock::default(); CLASSES], others: vec![Vec::new(); CLASSES] }
    }
}

impl BlockPool {
    fn is_filled(&self, class: usize) -> bool {
        self.filled[class / 64] >> (class % 64) & 1 == 1
    }

    /// The first class from here on that has blocks.
    #[inline]
    fn next_filled(&self, class: usize) -> Option<usize> {
        let word = class / 64;
        let first = self.filled.get(word)? & (u64::MAX << (class % 64));
        if first != 0 {
            return Some(word * 64 + first.trailing_zeros() as usize);
        }
        let after = self.filled[word + 1..].iter().position(|bits| *bits != 0)? + word + 1;
        Some(after * 64 + self.filled[after].trailing_zeros() as usize)
    }

    /// Where `get_free_block` finds a block: its class, and its place among the others if it is not the first.
    #[inline]
    fn find(&self, size: u64) -> Option<(usize, Option<usize>)> {
        let own = class(size);
        let found = self.next_filled(own)?;
        if self.first[found].size >= size {
            return Some((found, None));
        }
        if let Some(place) = self.others[found].partition_point(|block| block.size >= size).checked_sub(1) {
            return Some((found, Some(place)));
        }
        Some((self.next_filled(own + 1)?, None))
    }

    /// `get_free_block`: the smallest block of at least `size`, and of these the one with the lowest address.
    pub(super) fn get_free_block(&self, size: u64) -> Option<FreeBlock> {
        let (class, place) = self.find(size)?;
        Some(place.map_or(self.first[class], |place| self.others[class][place]))
    }

    /// The same, taken out.
    #[inline]
    pub(super) fn take(&mut self, size: u64) -> Option<u32> {
        let (class, place) = self.find(size)?;
        Some(match place {
            Some(place) => self.others[class].remove(place).handle,
            None => self.remove_first(class).handle,
        })
    }

    #[inline]
    pub(super) fn insert(&mut self, block: FreeBlock) {
        let number = class(block.size);
        let is_filled = self.is_filled(number);
        let (first, others) = (&mut self.first[number], &mut self.others[number]);
        if !is_filled {
            *first = block;
            self.filled[number / 64] |= 1 << (number % 64);
        } else if block.key() < first.key() {
            others.push(std::mem::replace(first, block));
        } else {
            let place = others.partition_point(|other| other.key() > block.key());
            others.insert(place, block);
        }
    }

    #[inline]
    pub(super) fn remove(&mut self, size: u64, address: u64) {
        let number = class(size);
        if self.first[number].address == address {
            self.remove_first(number);
        } else {
            let others = &mut self.others[number];
            let place = others.partition_point(|other| other.key() > (size, address));
            others.remove(place);
        }
    }

    #[inline]
    fn remove_first(&mut self, number: usize) -> FreeBlock {
        let block = self.first[number];
        match self.others[number].pop() {
            Some(next) => self.first[number] = next,
            None => self.filled[number / 64] &= !(1 << (number % 64)),
        }
        block
    }

    /// Keeps the blocks whose handle is told to stay.
    pub(super) fn retain(&mut self, mut stays: impl FnMut(u32) -> bool) {
        for number in 0..CLASSES {
            if self.is_filled(number) {
                self.others[number].retain(|block| stays(block.handle));
                if !stays(self.first[number].handle) {
                    self.remove_first(number);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_in_the_order_of_sizes() {
        let sizes = (0..55).flat_map(|power| [1, 3, 17, 31, 33].map(|odd: u64| (odd << power).max(1)));
        let mut sizes: Vec<u64> = sizes.filter(|units| *units < 1 << 54).map(|units| units * MIN_BLOCK_SIZE).collect();
        sizes.sort_unstable();
        assert!(sizes.windows(2).all(|pair| class(pair[0]) <= class(pair[1])));
        assert!(sizes.iter().all(|size| class(*size) < CLASSES));
    }

    /// Numbers that look random and are the same in every run.
    fn numbers() -> impl FnMut(u64) -> u64 {
        let mut state = 1_u64;
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        }
    }

    /// Sizes and addresses of a few kinds, so that classes hold several blocks and sizes repeat.
    #[test]
    fn a_pool_finds_what_a_search_through_all_blocks_finds() {
        let mut number = numbers();
        let mut pool = BlockPool::default();
        let mut all: Vec<(u64, u64, u32)> = Vec::new();
        for handle in 0..40_000 {
            let size = MIN_BLOCK_SIZE * ([1, 30, 1000, 131_072][number(4) as usize] + [0, number(40), 7][number(3) as usize]);
            let first = |all: &[(u64, u64, u32)]| all.iter().filter(|(own, ..)| *own >= size).min().copied();
            match number(7) {
                0..=2 => {
                    let address = MIN_BLOCK_SIZE * (u64::from(handle) * 7919 % 40_009);
                    pool.insert(FreeBlock { size, address, handle });
                    all.push((size, address, handle));
                }
                3 => {
                    let expected = first(&all);
                    assert_eq!(pool.take(size), expected.map(|(.., handle)| handle));
                    all.retain(|block| Some(*block) != expected);
                }
                4 if !all.is_empty() => {
                    let (size, address, _) = all.swap_remove(number(all.len() as u64) as usize);
                    pool.remove(size, address);
                }
                _ => {
                    let found = pool.get_free_block(size).map(|block| (block.size, block.address, block.handle));
                    assert_eq!(found, first(&all));
                }
            }
            if handle % 10_000 == 5_000 {
                pool.retain(|handle| handle % 3 == 0);
                all.retain(|(.., handle)| handle % 3 == 0);
            }
        }
        assert!(all.len() > 100, "{} blocks are left", all.len());
    }
}
