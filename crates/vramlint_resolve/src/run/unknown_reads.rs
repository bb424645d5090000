//! Which unknown settings of a run were asked for: what a rule reads and does not find keeps it silent.

use std::sync::atomic::{AtomicU64, Ordering};
use vramlint_catalog::Concept;

const WORDS: usize = Concept::ALL.len().div_ceil(64);

/// The settings that were asked for while their value was unknown. A copy of a run starts with none.
#[derive(Debug, Default)]
pub struct UnknownReads([AtomicU64; WORDS]);

impl Clone for UnknownReads {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl UnknownReads {
    /// Adds a setting.
    pub(super) fn add(&self, concept: Concept) {
        let index = concept as usize;
        self.0[index / 64].fetch_or(1 << (index % 64), Ordering::Relaxed);
    }

    /// Removes and returns all settings.
    pub fn take(&self) -> Vec<Concept> {
        let words: Vec<u64> = self.0.iter().map(|word| word.swap(0, Ordering::Relaxed)).collect();
        let is_read = |concept: &Concept| words[*concept as usize / 64] >> (*concept as usize % 64) & 1 == 1;
        Concept::ALL.iter().copied().filter(is_read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_are_taken_once() {
        let reads = UnknownReads::default();
        let last = *Concept::ALL.last().expect("a concept");
        reads.add(last);
        reads.add(Concept::Model);
        assert_eq!(reads.take(), [Concept::Model, last]);
        assert!(reads.take().is_empty());
    }
}
