//! Byte ranges in a text.

use std::fmt;
use std::ops::Range;

/// A half-open range of UTF-8 bytes, `start..end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TextRange {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte; never less than `start`.
    pub end: u32,
}

impl TextRange {
    /// A range from two offsets. A reversed pair becomes the empty range at `start`.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end: if end < start { start } else { end } }
    }

    /// The empty range at `offset`.
    pub const fn at(offset: u32) -> Self {
        Self { start: offset, end: offset }
    }

    /// A range from `usize` offsets, as parsers report them.
    pub fn of(range: Range<usize>) -> Self {
        Self::new(range.start as u32, range.end as u32)
    }

    /// Length, bytes.
    pub const fn len(self) -> u32 {
        self.end - self.start
    }

    /// Whether the range is empty.
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Whether this range contains `other`; the ends may coincide.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the ranges share a byte, or one contains the other.
    pub const fn touches(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end || self.contains(other) || other.contains(self)
    }

    /// The smallest range that covers both ranges.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// The range moved right by `offset` bytes.
    #[must_use]
    pub const fn shifted(self, offset: u32) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }

    /// The range as slice indices.
    pub const fn as_usize(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The covered text; empty if the range is not within `text`.
    pub fn slice(self, text: &str) -> &str {
        text.get(self.as_usize()).unwrap_or("")
    }
}

impl fmt::Debug for TextRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
