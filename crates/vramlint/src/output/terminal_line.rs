//! One line of a file, prepared for a terminal: no tabs, no control characters, limited width.

use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// Maximum width, columns; longer lines are cut around the focus.
const WIDTH: usize = 120;

/// Columns between tab stops.
const TAB: usize = 4;

/// A line prepared for display.
#[derive(Debug)]
pub(super) struct RenderedLine {
    /// The displayed text.
    pub(super) text: String,
    /// For every displayed character: its byte offset in the line, and in `text`.
    letters: Vec<(usize, usize)>,
    /// End of the last character in `text`.
    end: usize,
}

impl RenderedLine {
    /// Prepares a line, which must not contain a line break. If it is too long, the part around `focus` (a byte range) is shown.
    pub(super) fn new(line: &str, focus: Range<usize>) -> Self {
        let letters = spread(line);
        let width = letters.last().map_or(0, |letter| letter.column + letter.width());
        let column = |byte: usize| letters.iter().find(|letter| letter.byte >= byte).map_or(width, |letter| letter.column);
        let from = if width <= WIDTH || column(focus.end) <= WIDTH { 0 } else { column(focus.start).saturating_sub(WIDTH / 4) };
        let mut drawn = Self { text: String::new(), letters: Vec::new(), end: 0 };
        if from > 0 {
            drawn.text.push('…');
        }
        let shown = |letter: &&Letter| letter.column >= from && letter.column + letter.width() <= from + WIDTH;
        let mut last = 0;
        for letter in letters.iter().filter(shown) {
            drawn.letters.push((letter.byte, drawn.text.len()));
            drawn.text.push_str(&letter.shown);
            last = letter.byte;
        }
        drawn.end = drawn.text.len();
        if letters.last().is_some_and(|letter| letter.byte > last) {
            drawn.text.push('…');
        }
        drawn
    }

    /// The offset in the displayed text of a byte offset in the line. Offsets in a cut part map to the edge.
    pub(super) fn place(&self, byte: usize) -> usize {
        let index = self.letters.partition_point(|(original, _)| *original < byte);
        self.letters.get(index).map_or(self.end, |(_, drawn)| *drawn)
    }
}

/// A character of a line: its byte offset, its column, and its displayed form.
struct Letter {
    byte: usize,
    column: usize,
    shown: String,
}

impl Letter {
    fn width(&self) -> usize {
        self.shown.chars().filter_map(UnicodeWidthChar::width).sum()
    }
}

fn spread(line: &str) -> Vec<Letter> {
    let mut column = 0;
    line.char_indices()
        .map(|(byte, letter)| {
            let letter = Letter { byte, column, shown: visible(letter, column) };
            column += letter.width();
            letter
        })
        .collect()
}

/// Text that may quote a file, such as a message or a path, as one line without control characters.
pub(super) fn escape_line(text: &str) -> String {
    text.chars().map(|letter| if letter == '\t' { "␉".to_owned() } else { visible(letter, 0) }).collect()
}

/// The displayed form of a character: a file must not be able to move the cursor or to reverse the surrounding text.
fn visible(letter: char, column: usize) -> String {
    match letter {
        '\t' => " ".repeat(TAB - column % TAB),
        '\u{feff}' => String::new(),
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(letter)).unwrap_or('\u{fffd}').to_string(),
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}'.to_string(),
        _ if letter.is_control() => '\u{fffd}'.to_string(),
        _ => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn tabs_and_control_characters_become_visible() {
        let drawn = RenderedLine::new("\u{feff}a\tb\x1b[31m\u{202e}", 0..0);
        assert_eq!(drawn.text, "a   b␛[31m\u{fffd}");
        assert_eq!(drawn.place("\u{feff}a\t".len()), 4);
        assert_eq!(drawn.place(usize::MAX), drawn.text.len());
    }

    #[test]
    fn a_wide_line_is_cut_around_what_matters() {
        let line = format!("{}needle{}", "批".repeat(300), "x".repeat(300));
        let at = "批".len() * 300;
        let drawn = RenderedLine::new(&line, at..at + 6);
        assert_eq!(&drawn.text[drawn.place(at)..drawn.place(at + 6)], "needle");
        assert!(drawn.text.starts_with("…批") && drawn.text.ends_with("x…"), "{}", drawn.text);
        assert!(drawn.text.width() <= WIDTH + 2, "{}", drawn.text.width());
        let plain = RenderedLine::new(&line, 0..0);
        assert!(plain.text.starts_with('批') && plain.text.ends_with("批…"));
        // Offsets in a cut part map to the edge.
        assert_eq!(plain.place(at), plain.text.len() - "…".len());
        assert_eq!(drawn.place(0), "…".len());
    }

    #[test]
    fn a_line_of_just_the_width_is_whole() {
        let line = "y".repeat(WIDTH);
        assert_eq!(RenderedLine::new(&line, 0..0).text, line);
    }
}
