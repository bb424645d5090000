//! The size of one forward pass.

/// Sequences and tokens of one forward pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Sequences.
    pub(crate) size: u64,
    /// Tokens per sequence.
    pub(crate) seq_len: u64,
}

impl Batch {
    /// Tokens of all sequences.
    pub(crate) fn tokens(self) -> u64 {
        self.size * self.seq_len
    }
}
