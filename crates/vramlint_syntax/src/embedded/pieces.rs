//! Puts an embedded text together from pieces of its host.

use super::{Embedded, Language};
use std::ops::Range;
use vramlint_base::TextRange;

/// An embedded text in the making.
pub(super) struct Pieces<'a> {
    host: &'a str,
    text: String,
    map: Vec<(u32, u32)>,
    /// Where the host has to go on for no new entry to be needed; `None` after added text.
    next: Option<usize>,
    range: Option<Range<usize>>,
}

impl<'a> Pieces<'a> {
    pub(super) const fn new(host: &'a str) -> Self {
        Self { host, text: String::new(), map: Vec::new(), next: None, range: None }
    }

    /// Takes a piece of the host as it is.
    pub(super) fn copy(&mut self, range: Range<usize>) {
        let piece = self.host.get(range.clone()).unwrap_or("");
        self.copy_as(range.start, piece);
    }

    /// Takes `piece` for as many bytes of the host, from `at` on.
    pub(super) fn copy_as(&mut self, at: usize, piece: &str) {
        if piece.is_empty() {
            return;
        }
        if self.next != Some(at) {
            self.map.push((self.text.len() as u32, at as u32));
        }
        self.text.push_str(piece);
        self.next = Some(at + piece.len());
        self.cover(at..at + piece.len());
    }

    /// Adds text that the host does not hold; its place is `at`.
    pub(super) fn add(&mut self, at: usize, piece: &str) {
        if piece.is_empty() {
            return;
        }
        // One entry more than bytes: it tells the last byte from one that the host holds.
        for byte in 0..=piece.len() {
            self.map.push(((self.text.len() + byte) as u32, at as u32));
        }
        self.text.push_str(piece);
        self.next = None;
        self.cover(at..at);
    }

    /// Takes a variable that nothing sets for a piece that only the host's own language can expand; it begins with `$`.
    pub(super) fn copy_unknown(&mut self, range: Range<usize>) {
        let piece = self.host.get(range.clone()).unwrap_or("");
        let length = piece.len();
        match length {
            0 => {}
            1..=3 => self.copy_as(range.start, ["$", "$_", "$__"][length - 1]),
            _ if piece.is_ascii() => self.copy_as(range.start, &format!("${{{}}}", "_".repeat(length - 3))),
            _ => {
                // In step, an offset could fall inside a character.
                self.copy_as(range.start, "$");
                self.add(range.start + 1, &format!("{{{}", "_".repeat(length - 3)));
                match piece.chars().next_back() {
                    Some(last) if last.is_ascii() => self.copy_as(range.end - 1, "}"),
                    _ => self.add(range.end, "}"),
                }
            }
        }
    }

    /// Ends a line that is not empty.
    pub(super) fn end_line(&mut self, at: usize) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.add(at, "\n");
        }
    }

    fn cover(&mut self, range: Range<usize>) {
        self.range = Some(match self.range.take() {
            Some(known) => known.start.min(range.start)..known.end.max(range.end),
            None => range,
        });
    }

    /// The embedded text; `None` if it is blank.
    pub(super) fn finish(self, language: Language, name: Option<String>) -> Option<Embedded> {
        if self.text.trim().is_empty() {
            return None;
        }
        let range = TextRange::of(self.range?);
        Some(Embedded { language, name, text: self.text, range, map: self.map, is_executed: false, is_shown: false })
    }
}
