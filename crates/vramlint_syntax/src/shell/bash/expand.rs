//! Expands one word: quotes, variables, defaults, arrays, arithmetic.

use super::super::scope::Scope;
use super::super::spanned_text::{Field, Piece, split, text_of};
use super::delimiters::closing;
use std::ops::Range;
use vramlint_base::TextRange;

/// Deepest nesting of defaults in defaults that is read.
const DEPTH: usize = 16;

/// The words that a word of a command becomes.
pub(super) fn words(text: &str, range: Range<usize>, scope: &mut Scope) -> Vec<Field> {
    if scope.work_left == 0 {
        return Vec::new();
    }
    let mut reader = Reader::new(text, range, &mut *scope, 0);
    reader.command = true;
    let fields: Vec<Field> = reader.read().into_iter().flat_map(split).collect();
    scope.pay(fields.len(), 0);
    fields
}

/// The one text that the value of an assignment becomes.
pub(super) fn text(text: &str, range: Range<usize>, scope: &mut Scope) -> Field {
    joined(Reader::new(text, range, scope, 0).read())
}

/// The text of a here-document, where quotes are literal.
pub(super) fn document(text: &str, range: Range<usize>, scope: &mut Scope) -> Field {
    let mut reader = Reader::new(text, range, scope, 0);
    reader.document = true;
    joined(reader.read_quoted())
}

/// Several words as one text, as `"$*"` and assignments make them.
fn joined(fields: Vec<Field>) -> Field {
    let mut all = Field::new();
    for (nth, field) in fields.into_iter().enumerate() {
        if nth > 0 {
            let place = field.first().map_or(TextRange::default(), |piece| piece.place);
            all.push(Piece { derived: true, ..Piece::literal(" ", place, false) });
        }
        all.extend(field);
    }
    all
}

/// Reads a word byte by byte.
#[allow(clippy::struct_excessive_bools)] // independent facts of one pass, not states
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) scope: &'a mut Scope,
    pub(super) depth: usize,
    start: usize,
    done: Vec<Field>,
    current: Option<Field>,
    literal: String,
    literal_range: Range<usize>,
    /// Whether it is a word of a command, where patterns and braces expand.
    command: bool,
    /// Whether it is a here-document.
    document: bool,
    brace: bool,
    expands: bool,
    /// Whether the quote being read held an array without items.
    vanished: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, range: Range<usize>, scope: &'a mut Scope, depth: usize) -> Self {
        let Range { start, end } = range;
        Self {
            text,
            at: start,
            end: end.min(text.len()),
            scope,
            depth,
            start,
            done: Vec::new(),
            current: None,
            literal: String::new(),
            literal_range: start..start,
            command: false,
            document: false,
            brace: false,
            expands: false,
            vanished: false,
        }
    }

    /// Reads it outside quotes.
    pub(super) fn read(mut self) -> Vec<Field> {
        while self.at < self.end {
            self.unquoted();
        }
        self.finish()
    }

    /// Reads it as if inside double quotes.
    pub(super) fn read_quoted(mut self) -> Vec<Field> {
        while self.at < self.end {
            self.quoted();
        }
        self.finish()
    }

    /// Reads an operand of arithmetic, where `A` is as good as `$A`.
    fn read_operand(mut self) -> Vec<Field> {
        if self.byte(0) == b'$' {
            return self.read_quoted();
        }
        let (start, end) = (self.at, self.end);
        self.at = end;
        let name = self.text.get(start..end).unwrap_or("").to_owned();
        self.parameter(&name, start, true);
        self.finish()
    }

    fn finish(mut self) -> Vec<Field> {
        self.flush();
        if self.expands {
            let place = TextRange::of(self.start..self.end);
            return vec![vec![Piece::unknown(place, false)]];
        }
        self.done.extend(self.current.take());
        for piece in self.done.iter_mut().flatten() {
            if !piece.derived && piece.text.as_deref().is_some_and(has_blank_to_fill_in) {
                piece.text = None;
            }
        }
        self.done
    }

    fn byte(&self, ahead: usize) -> u8 {
        let at = self.at + ahead;
        if at < self.end { self.text.as_bytes()[at] } else { 0 }
    }

    /// Takes the character at hand as it is.
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
        let piece = Piece::literal(&self.literal, TextRange::of(range), verbatim);
        self.literal.clear();
        self.current.get_or_insert_default().push(piece);
    }

    pub(super) fn push(&mut self, pieces: Field) {
        self.flush();
        self.current.get_or_insert_default().extend(pieces);
    }

    pub(super) fn push_unknown(&mut self, start: usize, caller: bool, quoted: bool) {
        let place = TextRange::of(start..self.at);
        self.push(vec![Piece { derived: true, splits: !quoted, ..Piece::unknown(place, caller) }]);
    }

    /// Several words at once: `"${ARGS[@]}"`.
    pub(super) fn push_list(&mut self, items: Vec<Field>) {
        self.flush();
        self.vanished |= items.is_empty();
        for (nth, item) in items.into_iter().enumerate() {
            if nth > 0 {
                self.done.extend(self.current.take());
            }
            self.current.get_or_insert_default().extend(item);
        }
    }

    /// Skips a line continuation; `false` where there is none.
    fn continuation(&mut self) -> bool {
        let length = match (self.byte(1), self.byte(2)) {
            (b'\n', _) => 2,
            (b'\r', b'\n') => 3,
            _ => return false,
        };
        self.at += length;
        true
    }

    fn unquoted(&mut self) {
        match self.byte(0) {
            b'\\' => {
                if !self.continuation() {
                    self.at += 1;
                    self.take();
                }
            }
            b'\'' => self.single(),
            b'"' => self.double(),
            b'$' => self.dollar(false),
            b'`' => self.substitution(1, b'`', false),
            b'<' | b'>' if self.byte(1) == b'(' => self.substitution(2, b')', true),
            b'~' if self.at == self.start => {
                self.at += 1;
                self.push_unknown(self.start, false, true);
            }
            byte => {
                self.watch(byte);
                self.take();
            }
        }
    }

    /// Notices what the shell would expand further: `*`, `{a,b}`, `{1..4}`.
    fn watch(&mut self, byte: u8) {
        match byte {
            b'{' => self.brace = true,
            b'*' => self.expands |= self.command,
            b',' => self.expands |= self.command && self.brace && self.text[self.at..self.end].contains('}'),
            b'.' if self.byte(1) == b'.' => self.expands |= self.command && self.brace,
            b'}' => self.brace = false,
            _ => {}
        }
    }

    fn single(&mut self) {
        self.at += 1;
        while self.at < self.end && self.byte(0) != b'\'' {
            self.take();
        }
        self.at = (self.at + 1).min(self.end);
        self.present();
    }

    /// The word exists, even if it is empty.
    fn present(&mut self) {
        if self.literal.is_empty() {
            let place = TextRange::at(self.at as u32);
            self.current.get_or_insert_with(|| vec![Piece::literal("", place, true)]);
        }
    }

    fn double(&mut self) {
        self.at += 1;
        self.vanished = false;
        while self.at < self.end && self.byte(0) != b'"' {
            self.quoted();
        }
        self.at = (self.at + 1).min(self.end);
        if !self.vanished {
            self.present();
        }
    }

    fn quoted(&mut self) {
        match self.byte(0) {
            b'\\' if self.continuation() => {}
            b'\\' => {
                if matches!(self.byte(1), b'$' | b'`' | b'\\') || self.byte(1) == b'"' && !self.document {
                    self.at += 1;
                }
                self.take();
            }
            b'$' => self.dollar(true),
            b'`' => self.substitution(1, b'`', true),
            _ => self.take(),
        }
    }

    /// `$( … )`, `` ` … ` ``, `<( … )`: what comes out is known of few commands.
    fn substitution(&mut self, opening: usize, closer: u8, quoted: bool) {
        let start = self.at;
        let closed = closing(self.text, self.at + opening, self.end, closer);
        self.at = closed.unwrap_or(self.end);
        let known = closed.filter(|_| self.depth < DEPTH).and_then(|end| self.output(start + opening..end - 1, start, quoted));
        match known {
            Some(piece) => self.push(vec![piece]),
            None => self.push_unknown(start, false, quoted),
        }
    }

    fn dollar(&mut self, quoted: bool) {
        let start = self.at;
        match self.byte(1) {
            b'(' if self.byte(2) == b'(' => self.arithmetic(quoted),
            b'(' => self.substitution(2, b')', quoted),
            b'{' if self.depth < DEPTH => self.braces(quoted),
            b'{' => self.substitution(2, b'}', quoted),
            b'[' => {
                self.at = self.text[self.at..self.end].find(']').map_or(self.end, |length| self.at + length + 1);
                self.push_unknown(start, false, quoted);
            }
            b'\'' if !quoted => self.ansi(),
            b'"' if !quoted => {
                self.at += 1;
                self.double();
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let rest = &self.text.as_bytes()[self.at + 1..self.end];
                let length = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                self.at += 1 + length;
                let name = self.text[start + 1..self.at].to_owned();
                self.parameter(&name, start, quoted);
            }
            byte if byte.is_ascii_digit() || b"@*#?$!-".contains(&byte) => {
                self.at += 2;
                let name = self.text[start + 1..self.at].to_owned();
                self.parameter(&name, start, quoted);
            }
            _ => self.take(),
        }
    }

    /// `$'a\nb'`: only texts without escapes are read.
    fn ansi(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = self.at + 2;
        while end < self.end && bytes[end] != b'\'' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(self.end);
        if self.text.get(start..end).is_none_or(|inner| inner.contains('\\')) {
            self.at = (end + 1).min(self.end);
            while !self.text.is_char_boundary(self.at) {
                self.at += 1;
            }
            self.push_unknown(start, false, true);
        } else {
            self.at += 1;
            self.single();
        }
    }

    /// An operand of arithmetic.
    pub(super) fn operand_at(&mut self, range: Range<usize>) -> Field {
        joined(Reader::new(self.text, range, self.scope, self.depth + 1).read_operand())
    }

    fn arithmetic(&mut self, quoted: bool) {
        let start = self.at;
        self.at = closing(self.text, self.at + 2, self.end, b')').unwrap_or(self.end);
        let text = self.text;
        let inner = text.get(start..self.at).and_then(|whole| whole.strip_prefix("$((")?.strip_suffix("))"));
        let mut operands = Field::new();
        let value = inner.and_then(|inner| {
            super::arithmetic::evaluate(inner, &mut |operand| {
                let field = self.operand_at(start + 3 + operand.start..start + 3 + operand.end);
                let known = text_of(&field);
                operands.extend(field);
                known
            })
        });
        let Some(value) = value else { return self.push_unknown(start, false, quoted) };
        let piece = self.computed(&value.to_string(), &operands, start, quoted);
        self.push(vec![piece]);
    }
}

/// Whether a word holds a blank that its author or a template engine fills in: `{{ x }}`, `<path>`. Unlike
/// `vramlint_base::is_templated`, `$x` does not count, which the shell itself expands, and `<path>` counts inside of a word.
///
/// Several options in one word are a command for `eval`, whose own words are looked at when it is read.
pub(in super::super) fn has_blank_to_fill_in(word: &str) -> bool {
    if word.contains("{{") {
        return true;
    }
    if word.matches(" --").count() > 1 {
        return false;
    }
    let mut rest = word;
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        let Some(close) = rest.find(['<', '>']) else { return false };
        let inner = &rest[..close];
        if rest[close..].starts_with('>') && inner.starts_with(char::is_alphabetic) && !inner.contains('|') {
            return true;
        }
    }
    false
}
