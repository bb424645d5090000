//! A line of text made plain: full-width signs as their narrow ones, every multiplication sign as `*`, emphasis as blanks, with
//! the way back to the bytes of the original.

use vramlint_base::TextRange;

/// A line made plain.
#[derive(Debug)]
pub(super) struct NormalizedLine {
    /// The plain text.
    pub(super) text: String,
    /// For every byte of it, and its end: the offset in the original.
    origin: Vec<u32>,
}

impl NormalizedLine {
    pub(super) fn new(original: &str) -> Self {
        let mut line = Self { text: String::with_capacity(original.len()), origin: Vec::with_capacity(original.len() + 1) };
        let mut before = ' ';
        for (at, c) in original.char_indices() {
            let rest = &original[at + c.len_utf8()..];
            line.push(normalized(c, before, rest), at);
            before = c;
        }
        line.origin.push(original.len() as u32);
        line
    }

    fn push(&mut self, c: char, at: usize) {
        self.text.push(c);
        // A narrow sign may stand for a wide one, never the other way round: every byte of it leads to the start.
        self.origin.extend(std::iter::repeat_n(at as u32, c.len_utf8()));
    }

    /// A range of the plain text in the original.
    pub(super) fn original(&self, start: usize, end: usize) -> TextRange {
        let at = |offset: usize| self.origin.get(offset).copied().unwrap_or_default();
        TextRange::new(at(start), at(end))
    }
}

fn normalized(c: char, before: char, rest: &str) -> char {
    match c {
        // Two stars between digits are a power, which is not a product; elsewhere they are bold: `**64**`.
        '*' if before.is_ascii_digit() && rest.starts_with('*') && rest[1..].starts_with(|c: char| c.is_ascii_digit()) => '^',
        '*' if before == '*' || rest.starts_with('*') => ' ',
        '`' | '\t' | '\u{3000}' | '\u{a0}' | '\u{feff}' | '\r' => ' ',
        '×' | '✕' | '✖' | '⨯' | '∗' | '⋅' | '·' | '＊' | '∙' => '*',
        '–' | '—' | '−' => '-',
        '⇒' | '➜' | '➡' | '➔' | '＞' => '→',
        // Full-width forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '。' => '.',
        '、' => ',',
        _ => c,
    }
}
