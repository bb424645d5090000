//! One line of a file, prepared for a terminal: no tabs, no control characters, limited width.

use std::ops::Range;
use unicode_width::UnicodeWidthChar;
use vramlint_base::visible::{acts_on_display, picture};

/// Maximum width, columns; longer lines are cut around the focus.
const WIDTH: usize = 120;

/// Bytes on both sides of the focus that are looked at.
const NEAR: usize = 2048;

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
        // Of an endless line, only what may be shown is looked at.
        let near = line.floor_char_boundary(focus.start.saturating_sub(NEAR))..line.ceil_char_boundary(focus.start + NEAR);
        let (before, after) = (near.start, near.end.min(line.len()));
        let letters = spread(&line[before..after], before);
        let width = letters.last().map_or(0, |letter| letter.column + letter.width());
        let column = |byte: usize| letters.iter().find(|letter| letter.byte >= byte).map_or(width, |letter| letter.column);
        let fits = before == 0 && (width <= WIDTH || column(focus.end) <= WIDTH);
        let from = if fits { 0 } else { column(focus.start).saturating_sub(WIDTH / 4) };
        let mut drawn = Self { text: String::new(), letters: Vec::new(), end: 0 };
        if from > 0 || before > 0 {
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
        if after < line.len() || letters.last().is_some_and(|letter| letter.byte > last) {
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

/// The characters of a part of a line that starts at byte `before`.
fn spread(part: &str, before: usize) -> Vec<Letter> {
    let mut column = 0;
    part.char_indices()
        .map(|(byte, letter)| {
            let letter = Letter { byte: before + byte, column, shown: shown(letter, column) };
            column += letter.width();
            letter
        })
        .collect()
}

/// The displayed form of a character: a file must not be able to move the cursor or to reverse the surrounding text.
fn shown(letter: char, column: usize) -> String {
    match letter {
        '\t' => " ".repeat(TAB - column % TAB),
        '\u{feff}' => String::new(),
        _ if acts_on_display(letter) => picture(letter).to_string(),
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
    fn of_an_endless_line_a_part_is_looked_at() {
        let line = format!("{}needle{}", "x".repeat(1 << 20), "y".repeat(1 << 20));
        let at = 1 << 20;
        let drawn = RenderedLine::new(&line, at..at + 6);
        assert!(drawn.letters.len() <= WIDTH && drawn.text.starts_with("…x") && drawn.text.ends_with("y…"), "{}", drawn.text);
        assert_eq!(&drawn.text[drawn.place(at)..drawn.place(at + 6)], "needle");
    }

    #[test]
    fn a_line_of_just_the_width_is_whole() {
        let line = "y".repeat(WIDTH);
        assert_eq!(RenderedLine::new(&line, 0..0).text, line);
    }
}
