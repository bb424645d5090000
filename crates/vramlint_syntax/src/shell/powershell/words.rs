//! Words of a PowerShell command, and texts in quotes.

use super::super::scope::Scope;
use super::super::spanned_text::{Field, Piece, used};
use super::super::variables::Value;
use super::outline::key;
use std::ops::Range;
use vramlint_base::TextRange;

/// Words of one command that are read at most.
const WORDS: usize = 100_000;

/// A word and its place.
pub(super) type Placed = (Field, TextRange);

/// Reads the words between two offsets.
pub(super) fn words(text: &str, range: Range<usize>, scope: &Scope) -> Vec<Placed> {
    let mut reader = Reader::new(text, range, scope);
    let mut words = Vec::new();
    while reader.blanks() && words.len() < WORDS {
        reader.word(&mut words);
    }
    words
}

/// Reads text by the byte. Offsets stop at character boundaries only.
pub(super) struct Reader<'a> {
    text: &'a str,
    /// Where reading goes on.
    pub(super) at: usize,
    end: usize,
    scope: &'a Scope,
    field: Field,
    literal: String,
    literal_range: Range<usize>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, range: Range<usize>, scope: &'a Scope) -> Self {
        let Range { start, end } = range;
        Self {
            text,
            at: start,
            end: end.min(text.len()),
            scope,
            field: Field::new(),
            literal: String::new(),
            literal_range: start..start,
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        let at = self.at + ahead;
        if at < self.end { self.text.as_bytes()[at] } else { 0 }
    }

    /// Moves to the next word; `false` at the end.
    fn blanks(&mut self) -> bool {
        loop {
            match self.byte(0) {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'`' if self.byte(1) == b'\n' => self.at += 2,
                b'`' if self.byte(1) == b'\r' => self.at += 3,
                b'#' => self.at = self.text[self.at..self.end].find('\n').map_or(self.end, |length| self.at + length),
                _ => break,
            }
        }
        self.at = self.at.min(self.end);
        self.at < self.end
    }

    fn take(&mut self) {
        let Some(c) = self.text.get(self.at..self.end).and_then(|rest| rest.chars().next()) else {
            self.at = self.end;
            return;
        };
        if self.literal.is_empty() {
            self.literal_range = self.at..self.at;
        }
        self.literal.push(c);
        self.at += c.len_utf8();
        self.literal_range.end = self.at;
    }

    fn flush(&mut self) {
        if self.literal.is_empty() {
            return;
        }
        let range = self.literal_range.clone();
        let verbatim = self.text.get(range.clone()) == Some(self.literal.as_str());
        let mut piece = Piece::literal(&self.literal, TextRange::of(range), verbatim);
        if super::super::has_blank_to_fill_in(&self.literal) {
            piece.text = None;
        }
        self.literal.clear();
        self.field.push(piece);
    }

    /// What was read so far, as one text.
    pub(super) fn finish(&mut self) -> Field {
        self.flush();
        std::mem::take(&mut self.field)
    }

    fn unknown(&mut self, start: usize) {
        self.flush();
        let place = TextRange::of(start..self.at);
        self.field.push(Piece { derived: true, ..Piece::unknown(place, false) });
    }

    fn word(&mut self, out: &mut Vec<Placed>) {
        let start = self.at;
        match self.byte(0) {
            b'@' if self.byte(1) == b'(' => return self.list(out),
            b'@' | b'$' => {
                if let Some(name) = self.variable_end() {
                    return self.variable(name, out);
                }
            }
            b'-' if self.text[self.at..self.end].starts_with("--%") => return self.verbatim(out),
            b'>' | b'<' => return self.redirection(out),
            b'1'..=b'6' | b'*' if self.byte(1) == b'>' => return self.redirection(out),
            _ => {}
        }
        let parameter = self.byte(0) == b'-';
        let mut quoted = false;
        while self.at < self.end {
            match self.byte(0) {
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'|' => break,
                b'`' if matches!(self.byte(1), b'\n' | b'\r') => break,
                b'"' | b'\'' => {
                    self.quoted();
                    quoted = true;
                }
                b'`' => {
                    self.at += 1;
                    self.take();
                }
                b'(' | b'{' => self.nested(0),
                // What becomes of a variable in a word that begins like a parameter depends on the version.
                b'$' if parameter => {
                    self.at += 1;
                    self.unknown(start);
                }
                b'$' => self.dollar(),
                _ => self.take(),
            }
        }
        if self.at == start {
            self.at += 1;
            return;
        }
        let mut field = self.finish();
        if field.is_empty() && quoted {
            field.push(Piece::literal("", TextRange::at(self.at as u32), true));
        }
        out.push((field, TextRange::of(start..self.at)));
    }

    /// `> file`, `2>&1`: left out.
    fn redirection(&mut self, out: &mut Vec<Placed>) {
        while matches!(self.byte(0), b'>' | b'<' | b'*' | b'0'..=b'9') {
            self.at += 1;
        }
        if self.byte(0) == b'&' {
            self.at += 2;
            return;
        }
        let kept = out.len();
        if self.blanks() {
            self.word(out);
        }
        out.truncate(kept);
    }

    /// `--%`: everything after it on the line goes through as it is.
    fn verbatim(&mut self, out: &mut Vec<Placed>) {
        let line = self.text[self.at..self.end].find(['\n', '\r']).map_or(self.end, |length| self.at + length);
        self.at += 3;
        while self.at < line {
            if self.byte(0).is_ascii_whitespace() {
                self.at += 1;
                continue;
            }
            let start = self.at;
            let mut quote = false;
            while self.at < line && (quote || !self.byte(0).is_ascii_whitespace()) {
                if self.byte(0) == b'"' {
                    quote = !quote;
                    self.at += 1;
                } else {
                    self.take();
                }
            }
            out.push((self.finish(), TextRange::of(start..self.at)));
        }
    }

    /// `@("--a", "1")` as words.
    fn list(&mut self, out: &mut Vec<Placed>) {
        let start = self.at;
        self.at += 1;
        self.skip_nested();
        let place = TextRange::of(start..self.at);
        match super::value::value(self.text, start..self.at, self.scope) {
            Value::List(items) => out.extend(items.iter().map(|item| (used(item, place, place, false), place))),
            _ => out.push((vec![Piece::unknown(place, false)], place)),
        }
    }

    /// The end of a whole-word variable: `$a`, `@a`; `None` where more belongs to the word.
    fn variable_end(&self) -> Option<usize> {
        let length = variable_length(&self.text[self.at..self.end])?;
        let next = self.text.as_bytes().get(self.at + length).copied().filter(|_| self.at + length < self.end);
        next.is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b';' | b'|' | b')' | b'`'))
            .then_some(self.at + length)
    }

    /// A variable that is a whole word: a list becomes several words.
    fn variable(&mut self, end: usize, out: &mut Vec<Placed>) {
        let place = TextRange::of(self.at..end);
        let name = &self.text[self.at..end];
        self.at = end;
        let Some(variable) = self.scope.variables.get(&key(name)) else {
            let piece = Piece { derived: true, ..Piece::unknown(place, false) };
            return out.push((vec![piece], place));
        };
        let value = variable.made.value.range;
        match &variable.value {
            Value::Text(field) => out.push((used(field, value, place, false), place)),
            Value::List(items) => out.extend(items.iter().map(|item| (used(item, value, place, false), place))),
            Value::Unset => {}
            Value::Unknown { .. } | Value::Carried => {
                out.push((vec![Piece { derived: true, ..Piece::unknown(place, false) }], place));
            }
        }
    }

    /// A string at hand, `"…"` or `'…'`, here-strings too.
    pub(super) fn quoted(&mut self) {
        let quote = self.byte(0);
        self.at += 1;
        while self.at < self.end {
            match self.byte(0) {
                byte if byte == quote => {
                    self.at += 1;
                    if self.byte(0) != quote {
                        return;
                    }
                    self.take();
                }
                b'`' if quote == b'"' => self.escape(),
                b'$' if quote == b'"' => self.dollar(),
                _ => self.take(),
            }
        }
    }

    fn escape(&mut self) {
        let start = self.at;
        match self.byte(1) {
            b'n' | b't' | b'r' | b'0' | b'a' | b'b' | b'f' | b'v' | b'e' | b'u' => {
                self.at += 2;
                self.unknown(start);
            }
            _ => {
                self.at += 1;
                self.take();
            }
        }
    }

    /// `$a`, `${a}`, `$env:a`, `$( … )` in a text.
    fn dollar(&mut self) {
        let start = self.at;
        if self.byte(1) == b'(' {
            return self.nested(1);
        }
        let Some(length) = variable_length(&self.text[self.at..self.end]) else { return self.take() };
        self.at += length;
        let place = TextRange::of(start..self.at);
        let variable = self.scope.variables.get(&key(&self.text[start..self.at]));
        let found = variable.and_then(|variable| match &variable.value {
            Value::Text(field) => Some(used(field, variable.made.value.range, place, false)),
            _ => None,
        });
        match found {
            Some(field) => {
                self.flush();
                self.field.extend(field);
            }
            None => self.unknown(start),
        }
    }

    /// Something in brackets of which nothing is known.
    fn nested(&mut self, ahead: usize) {
        let start = self.at;
        self.at += ahead;
        self.skip_nested();
        self.unknown(start);
    }

    /// Moves after the bracket that closes the one at hand.
    fn skip_nested(&mut self) {
        self.at = closing(self.text, self.at, self.end);
    }
}

/// The offset after the bracket that closes the one at `at`, or `end`.
pub(super) fn closing(text: &str, mut at: usize, end: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    while at < end {
        match bytes[at] {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b'`' => at += 1,
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < end && bytes[at] != quote {
                    at += if bytes[at] == b'`' && quote == b'"' { 2 } else { 1 };
                }
            }
            _ => {}
        }
        at += 1;
    }
    end
}

/// Length of the variable that a text begins with: `$a`, `$env:A`, `${a b}`, `@a`.
pub(super) fn variable_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if !matches!(bytes.first(), Some(b'$' | b'@')) {
        return None;
    }
    if bytes.get(1) == Some(&b'{') {
        return if bytes[0] == b'$' { text.find('}').map(|close| close + 1) } else { None };
    }
    let word =
        |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    let first = word(1);
    if first == 0 {
        return None;
    }
    if bytes.get(1 + first) == Some(&b':') {
        let second = word(2 + first);
        if second > 0 {
            return Some(2 + first + second);
        }
    }
    Some(1 + first)
}
