//! Maps byte offsets to lines and columns.

use std::sync::Arc;

/// A position as editors display it: 1-based line and column, the column in Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1, in Unicode scalar values.
    pub column: u32,
}

/// The start of each line of a text; clones share it. Lines end with `\n`, `\r\n` or a lone `\r`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Arc<[u32]>,
    /// Characters that start before each [`BLOCK`] of the text: columns of a long line are not counted from its start.
    characters: Arc<[u32]>,
    length: u32,
}

/// Bytes of a block.
const BLOCK: usize = 256;

impl LineIndex {
    /// Builds the index in one pass over the text.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || *byte == b'\r' && bytes.get(i + 1) != Some(&b'\n') {
                starts.push(i as u32 + 1);
            }
        }
        let mut count = 0;
        let characters = bytes.chunks(BLOCK).map(|block| {
            let before = count;
            count += starts_in(block);
            before
        });
        let characters: Vec<u32> = characters.collect();
        let characters = characters.into_iter().chain([count]).collect();
        Self { starts: starts.into(), characters, length: bytes.len() as u32 }
    }

    /// Number of lines; at least 1.
    pub fn line_count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line (from 0) that contains `offset`; the last line for offsets past the end.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32 - 1
    }

    /// Start of line `line` (from 0); the end of the text for lines that do not exist.
    pub fn line_start(&self, line: u32) -> u32 {
        self.starts.get(line as usize).copied().unwrap_or(self.length)
    }

    /// Number of characters that start before `offset`.
    fn characters_before(&self, text: &str, offset: u32) -> u32 {
        let block = offset as usize / BLOCK;
        let rest = text.as_bytes().get(block * BLOCK..offset as usize).unwrap_or(&[]);
        self.characters.get(block).copied().unwrap_or(0) + starts_in(rest)
    }

    /// Line and column of `offset`. `text` must be the text that the index was built from.
    pub fn line_column(&self, text: &str, offset: u32) -> LineColumn {
        let offset = offset.min(self.length);
        let line = self.line_of(offset);
        let start = self.line_start(line);
        let column = self.characters_before(text, offset).saturating_sub(self.characters_before(text, start));
        LineColumn { line: line + 1, column: column + 1 }
    }
}

/// Number of characters that start in these bytes.
fn starts_in(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_characters_not_bytes() {
        let text = "批量: 4\r\nbatch: 8\rx";
        let index = LineIndex::new(text);
        let at = |needle: &str| index.line_column(text, text.find(needle).expect("in the text") as u32);
        assert_eq!(at("4"), LineColumn { line: 1, column: 5 });
        assert_eq!(at("batch"), LineColumn { line: 2, column: 1 });
        assert_eq!(at("x"), LineColumn { line: 3, column: 1 });
        assert_eq!(index.line_count(), 3);
    }

    #[test]
    fn columns_of_long_lines() {
        let text = format!("a\n{}", "批x".repeat(1000));
        let index = LineIndex::new(&text);
        for offset in [2, 5, 255, 256, 257, 300, 2000, 4002] {
            let offset = text.floor_char_boundary(offset);
            let column = text[2..offset].chars().count() as u32 + 1;
            assert_eq!(index.line_column(&text, offset as u32), LineColumn { line: 2, column }, "{offset}");
        }
        let full = "x".repeat(BLOCK);
        assert_eq!(LineIndex::new(&full).line_column(&full, 256), LineColumn { line: 1, column: 257 });
    }

    #[test]
    fn offsets_past_the_end_are_the_end() {
        let index = LineIndex::new("ab\n");
        assert_eq!(index.line_column("ab\n", 99), LineColumn { line: 2, column: 1 });
        assert_eq!(LineIndex::new("").line_column("", 0), LineColumn { line: 1, column: 1 });
    }
}
