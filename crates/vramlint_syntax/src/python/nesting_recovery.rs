//! Blanks the statements that nest too deeply, so that the rest of the file can be read.
//!
//! The scan is rough (of f-strings it only counts the braces); whoever calls it measures the result again.

use super::nesting_limit::{Frames, MAX_BRACKETS, MAX_CHAIN, Step};
use crate::{RefusedBy, SyntaxError};
use vramlint_base::{TextRange, message};

/// A text of the same length with blanks (and a `pass`) in place of the deep statements.
pub(super) struct Blanked {
    pub(super) text: String,
    /// What was blanked, and why.
    pub(super) regions: Vec<SyntaxError>,
}

/// Blanks deep statements. Linear: at most one search for a closing bracket runs into the end of the text.
pub(super) fn deep_statements(text: &str) -> Blanked {
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, frames: Frames::default(), braces: 0, unclosed: false };
    let mut regions = Vec::new();
    while let Some(region) = scan.next_region() {
        regions.push(region);
    }
    Blanked { text: blanked(text, &regions), regions }
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    frames: Frames,
    /// Most braces open at once in a string of this statement, which may be an f-string.
    braces: usize,
    /// A search for a closing bracket failed before: later ones are not made.
    unclosed: bool,
}

impl Scan<'_> {
    fn next_region(&mut self) -> Option<SyntaxError> {
        let mut start = self.at;
        self.restart();
        while self.at < self.bytes.len() {
            if self.bytes[self.at] == b'\n' && self.frames.brackets() == 0 {
                self.restart();
                start = self.at + 1;
            }
            self.step();
            let (message, refused_by) = if self.frames.brackets() > MAX_BRACKETS {
                let refused = message!(
                    "more than {n} brackets are open at once, which Python rejects",
                    "同时打开的括号超过 {n} 层，Python 会拒绝",
                    n = MAX_BRACKETS
                );
                (refused, RefusedBy::All)
            } else if self.frames.chain() > MAX_CHAIN || self.braces > MAX_BRACKETS {
                (message!("the statement is nested too deeply to parse", "语句嵌套过深，无法解析"), RefusedBy::Nobody)
            } else {
                continue;
            };
            self.finish_statement();
            let blanks = self.bytes[start..self.at].iter().take_while(|b| b.is_ascii_whitespace()).count();
            return Some(SyntaxError { range: TextRange::of(start + blanks..self.at), message, refused_by });
        }
        None
    }

    fn restart(&mut self) {
        self.frames.restart();
        self.braces = 0;
    }

    /// Moves after the statement, or the line where its brackets never close.
    fn finish_statement(&mut self) {
        let from = self.at;
        if !self.unclosed {
            while self.at < self.bytes.len() && !(self.bytes[self.at] == b'\n' && self.frames.brackets() == 0) {
                self.step();
            }
            if self.frames.brackets() == 0 {
                return;
            }
            self.unclosed = true;
        }
        self.at = from + self.bytes[from..].iter().position(|b| *b == b'\n').unwrap_or(self.bytes.len() - from);
    }

    /// Reads one token, roughly.
    fn step(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b'#' => self.skip_while(|b| b != b'\n'),
            b'"' | b'\'' => self.skip_string(byte),
            b'\\' => self.at += 2,
            b'(' | b'[' | b'{' => self.take(Step::Open),
            b')' | b']' | b'}' => self.take(Step::Close),
            b',' | b';' => self.take(Step::Separate),
            b'=' if self.bytes.get(self.at + 1) != Some(&b'=') => self.take(Step::Separate),
            b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.word(),
            b':' => self.at += 1,
            _ if byte.is_ascii_whitespace() => self.at += 1,
            _ => self.take(Step::Deeper),
        }
        self.at = self.at.min(self.bytes.len());
    }

    fn take(&mut self, step: Step) {
        self.frames.take(step);
        self.at += 1;
    }

    fn word(&mut self) {
        let start = self.at;
        self.skip_while(|b| b == b'_' || b.is_ascii_alphanumeric() || b >= 0x80);
        match &self.bytes[start..self.at] {
            b"lambda" | b"yield" | b"async" => self.frames.take(Step::DeeperForGood),
            b"not" | b"and" | b"or" | b"await" | b"if" | b"else" | b"in" | b"is" | b"for" | b"from" => {
                self.frames.take(Step::Deeper);
            }
            b"def" | b"class" | b"import" | b"return" | b"raise" => self.frames.take(Step::Separate),
            _ => {}
        }
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && keep(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn skip_string(&mut self, quote: u8) {
        let triple = self.bytes[self.at..].starts_with(&[quote; 3]);
        self.at += if triple { 3 } else { 1 };
        let mut braces = 0usize;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 2,
                b'\n' if !triple => return,
                byte if byte == quote && !triple => {
                    self.at += 1;
                    return;
                }
                byte if byte == quote && self.bytes[self.at..].starts_with(&[quote; 3]) => {
                    self.at += 3;
                    return;
                }
                byte => {
                    match byte {
                        b'{' => braces += 1,
                        b'}' => braces = braces.saturating_sub(1),
                        _ => {}
                    }
                    self.braces = self.braces.max(braces);
                    self.at += 1;
                }
            }
        }
    }
}

/// The text with blanks in the regions; line breaks stay, and a `pass` keeps a block from being empty.
fn blanked(text: &str, regions: &[SyntaxError]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for region in regions {
        let region = region.range.as_usize();
        out.push_str(&text[done..region.start]);
        let from = out.len();
        for c in text[region.clone()].chars() {
            if c == '\n' || c == '\r' {
                out.push(c);
            } else {
                out.extend(std::iter::repeat_n(' ', c.len_utf8()));
            }
        }
        if out[from..].starts_with("    ") {
            out.replace_range(from..from + 4, "pass");
        }
        done = region.end;
    }
    out.push_str(&text[done..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_only_the_deep_statement() {
        let deep = format!("x = {}1{}", "(".repeat(300), ")".repeat(300));
        let text = format!("a = 1\nif a:\n    {deep}\nb = 2\n");
        let blanked = deep_statements(&text);
        assert_eq!(blanked.text.len(), text.len());
        assert_eq!(blanked.regions.len(), 1);
        assert_eq!(blanked.regions[0].range.slice(&text), deep);
        assert!(blanked.text.starts_with("a = 1\nif a:\n    pass  "));
        assert!(blanked.text.ends_with(" \nb = 2\n"));
    }

    #[test]
    fn an_unclosed_flood_costs_its_line() {
        let text = format!("a = 1\n{}\nb = 2\n{}\nc = 3\n", "(".repeat(300), "[".repeat(300));
        let blanked = deep_statements(&text);
        assert_eq!(blanked.regions.len(), 2);
        assert!(blanked.text.contains("\nb = 2\n") && blanked.text.ends_with("\nc = 3\n"));
    }

    #[test]
    fn regions_lie_at_character_edges() {
        let text = format!("名 = '批\\量' + {}批{}", "(".repeat(300), ")".repeat(300));
        let blanked = deep_statements(&text);
        assert_eq!(blanked.regions[0].range.slice(&text), text);
        assert_eq!(blanked.text.trim_end(), "pass");
    }
}
