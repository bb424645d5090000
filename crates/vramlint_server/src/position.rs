//! Conversion between byte offsets and the positions of the client.

use tower_lsp_server::ls_types::{Position, PositionEncodingKind, Range};
use vramlint_base::{LineIndex, TextRange};

/// The unit in which the client counts columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Encoding {
    /// UTF-8 bytes.
    Utf8,
    /// UTF-16 code units, which every client supports.
    #[default]
    Utf16,
    /// Unicode code points.
    Utf32,
}

impl Encoding {
    /// Chooses UTF-8 if the client offers it: offsets need no conversion then.
    pub(crate) fn negotiate(offered: &[PositionEncodingKind]) -> Self {
        let offers = |kind: &PositionEncodingKind| offered.contains(kind);
        if offers(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else if offers(&PositionEncodingKind::UTF16) || !offers(&PositionEncodingKind::UTF32) {
            Self::Utf16
        } else {
            Self::Utf32
        }
    }

    /// The protocol's name.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, character: char) -> u32 {
        (match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
            Self::Utf32 => 1,
        }) as u32
    }

    fn length(self, text: &str) -> u32 {
        match self {
            Self::Utf8 => text.len() as u32,
            _ => text.chars().map(|character| self.width(character)).sum(),
        }
    }
}

/// A text whose positions are those of the client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    index: &'a LineIndex,
    encoding: Encoding,
    /// The client's text starts with a byte order mark that `text` does not contain.
    has_bom: bool,
}

/// Byte order mark: some editors keep it, readers strip it.
pub(crate) const BOM: char = '\u{feff}';

impl<'a> Lines<'a> {
    /// A text with its line index.
    pub(crate) const fn new(text: &'a str, index: &'a LineIndex, encoding: Encoding) -> Self {
        Self { text, index, encoding, has_bom: false }
    }

    /// The same for a client that sees a byte order mark before `text`.
    pub(crate) const fn has_bom(self, has_bom: bool) -> Self {
        Self { has_bom, ..self }
    }

    /// The position of a byte; past the end, the end; within a character, its start.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        // The protocol has no position between `\r` and `
        // `: use the one before `\r`.
        if self.text[..offset].ends_with('\r') && self.text[offset..].starts_with('\n') {
            offset -= 1;
        }
        let line = self.index.line_of(offset as u32);
        let start = self.index.line_start(line) as usize;
        let column = self.encoding.length(&self.text[start..offset]);
        Position { line, character: column + self.before(line) }
    }

    /// Converts a byte range.
    pub(crate) fn range(&self, range: TextRange) -> Range {
        Range { start: self.position(range.start), end: self.position(range.end) }
    }

    /// The byte at a position: past the end of a line, its end; past the last line, the end; within a character, its start.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        if position.line >= self.index.line_count() {
            return self.text.len() as u32;
        }
        let start = self.index.line_start(position.line);
        let next = self.index.line_start(position.line + 1);
        let line = self.text[start as usize..next as usize].trim_end_matches(['\r', '\n']);
        let wanted = position.character.saturating_sub(self.before(position.line));
        let mut column = 0;
        for (at, character) in line.char_indices() {
            let width = self.encoding.width(character);
            if column + width > wanted {
                return start + at as u32;
            }
            column += width;
        }
        start + line.len() as u32
    }

    /// Converts a range of positions.
    pub(crate) fn bytes(&self, range: Range) -> TextRange {
        TextRange::new(self.offset(range.start), self.offset(range.end))
    }

    /// Columns of the byte order mark, on the first line.
    fn before(&self, line: u32) -> u32 {
        if self.has_bom && line == 0 { self.encoding.width(BOM) } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "批量: 4\r\n🚀🚀 batch\rx\n";

    fn at(encoding: Encoding, needle: &str) -> (u32, u32) {
        let index = LineIndex::new(TEXT);
        let position = Lines::new(TEXT, &index, encoding).position(TEXT.find(needle).expect("it is in the text") as u32);
        (position.line, position.character)
    }

    fn byte(encoding: Encoding, line: u32, character: u32) -> u32 {
        let index = LineIndex::new(TEXT);
        Lines::new(TEXT, &index, encoding).offset(Position { line, character })
    }

    #[test]
    fn columns_are_counted_as_the_client_counts() {
        assert_eq!(at(Encoding::Utf8, "4"), (0, 8));
        assert_eq!(at(Encoding::Utf16, "4"), (0, 4));
        assert_eq!(at(Encoding::Utf32, "4"), (0, 4));
        assert_eq!(at(Encoding::Utf8, "batch"), (1, 9));
        assert_eq!(at(Encoding::Utf16, "batch"), (1, 5));
        assert_eq!(at(Encoding::Utf32, "batch"), (1, 3));
        assert_eq!(at(Encoding::Utf16, "x"), (2, 0));
    }

    #[test]
    fn every_character_comes_back() {
        let index = LineIndex::new(TEXT);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            let lines = Lines::new(TEXT, &index, encoding);
            // `\r
            // ` has one position before it; the client has none inside it.
            let offsets = TEXT.char_indices().filter(|(at, _)| !TEXT[..*at].ends_with('\r') || &TEXT[*at..=*at] != "\n");
            for (offset, character) in offsets {
                let back = lines.offset(lines.position(offset as u32));
                assert_eq!(back, offset as u32, "{encoding:?} {character:?}");
            }
            assert_eq!(lines.offset(lines.position(TEXT.len() as u32)), TEXT.len() as u32);
        }
    }

    #[test]
    fn what_lies_outside_is_brought_inside() {
        let end_of_first = "批量: 4".len() as u32;
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            assert_eq!(byte(encoding, 0, 999), end_of_first, "the line break stays out");
            assert_eq!(byte(encoding, 99, 0), TEXT.len() as u32);
        }
        let rocket = TEXT.find('🚀').expect("it is there") as u32;
        assert_eq!(byte(Encoding::Utf16, 1, 1), rocket, "between the halves of a pair");
        assert_eq!(byte(Encoding::Utf8, 1, 3), rocket, "within a character");
        let index = LineIndex::new(TEXT);
        let lines = Lines::new(TEXT, &index, Encoding::Utf16);
        assert_eq!(lines.position(rocket + 1), lines.position(rocket));
        let end = TEXT.find('\n').expect("it is there") as u32;
        assert_eq!(lines.position(end), lines.position(end_of_first), "between the bytes of a line break");
        assert_eq!(lines.position(9999), lines.position(TEXT.len() as u32));
        assert_eq!(Lines::new("", &LineIndex::new(""), Encoding::Utf8).offset(Position { line: 0, character: 3 }), 0);
    }

    #[test]
    fn a_byte_order_mark_counts_for_the_client_alone() {
        let (text, index) = ("a: 1\nb: 2\n", LineIndex::new("a: 1\nb: 2\n"));
        for (encoding, width) in [(Encoding::Utf8, 3), (Encoding::Utf16, 1), (Encoding::Utf32, 1)] {
            let lines = Lines::new(text, &index, encoding).has_bom(true);
            assert_eq!(lines.position(3), Position { line: 0, character: 3 + width });
            assert_eq!(lines.offset(Position { line: 0, character: 3 + width }), 3);
            assert_eq!(lines.offset(Position { line: 0, character: 0 }), 0);
            assert_eq!(lines.position(5), Position { line: 1, character: 0 });
        }
    }

    #[test]
    fn bytes_are_preferred_and_utf16_is_what_is_left() {
        use PositionEncodingKind as Kind;
        assert_eq!(Encoding::negotiate(&[]), Encoding::Utf16);
        assert_eq!(Encoding::negotiate(&[Kind::UTF16, Kind::UTF8]), Encoding::Utf8);
        assert_eq!(Encoding::negotiate(&[Kind::UTF32]), Encoding::Utf32);
        assert_eq!(Encoding::negotiate(&[Kind::UTF32, Kind::UTF16]), Encoding::Utf16);
    }
}
