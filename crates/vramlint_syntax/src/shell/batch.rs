//! Windows batch files, line by line: `set`, `%A%`, `^` at the end of a line, `rem` and `::`.

use super::scope::{Places, Scope};
use super::spanned_text::{Field, Piece, text_of, to_word, used};
use super::variables::{Join, Value};
use super::{Command, Script, limits};
use crate::Comment;
use std::ops::Range;
use vramlint_base::TextRange;

/// `if` and `for` before one command that are taken away.
const PREFIXES: usize = 8;

/// Reads a batch file.
pub(super) fn parse(text: &str) -> Script {
    let text = limits::readable(text);
    let mut reader = Reader {
        text,
        scope: Scope::new(),
        script: Script::default(),
        depth: 0,
        marks: Vec::new(),
        for_list: false,
        environment_left: limits::ENVIRONMENT,
    };
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    while at < text.len() && reader.scope.work_left > 0 {
        let end = logical_line(text, at);
        reader.line(at..end);
        at = text[end..].find('\n').map_or(text.len(), |newline| end + newline + 1);
    }
    let Reader { scope, mut script, .. } = reader;
    script.assignments = scope.assignments;
    script
}

/// The end of the line, further lines after `^` included.
fn logical_line(text: &str, start: usize) -> usize {
    let mut at = start;
    loop {
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let line = text[at..end].trim_end_matches('\r');
        if !line.ends_with('^') || line.ends_with("^^") || end == text.len() || is_comment(text[start..].trim_start()) {
            return at + line.len();
        }
        at = end + 1;
    }
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start_matches('@');
    let rem = line.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("rem"));
    line.starts_with("::") || rem && line[3..].chars().next().is_none_or(char::is_whitespace)
}

struct Reader<'a> {
    text: &'a str,
    scope: Scope,
    script: Script,
    /// Open brackets of `if ( … )` and `for … do ( … )`.
    depth: usize,
    marks: Vec<usize>,
    /// Whether the brackets of `for %%i in ( … )` come next, or are open.
    for_list: bool,
    environment_left: usize,
}

impl Reader<'_> {
    fn line(&mut self, range: Range<usize>) {
        let line = &self.text[range.clone()];
        let start = range.start + line.len() - line.trim_start_matches([' ', '\t', '@']).len();
        let line = &self.text[start..range.end];
        if is_comment(line) {
            let text = line.trim_start_matches(':');
            let text = if text.len() == line.len() { line.get(3..).unwrap_or("") } else { text };
            let comment = Comment {
                range: TextRange::of(start..start + line.trim_end().len()),
                text: text.trim().to_owned(),
                trailing: false,
            };
            return self.script.comments.push(comment);
        }
        if line.starts_with(':') || line.is_empty() {
            return;
        }
        let mut conditional = false;
        let mut in_loop = false;
        for part in self.parts(start..range.end) {
            self.part(part, &mut conditional, &mut in_loop);
        }
    }

    /// Parts a line at `&`, `&&`, `||`, `|` and brackets outside quotes.
    fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let bytes = self.text.as_bytes();
        let mut parts = Vec::new();
        let (mut start, mut quoted) = (range.start, false);
        let mut at = range.start;
        while at < range.end {
            match bytes[at] {
                b'"' => quoted = !quoted,
                b'^' if !quoted => at += 1,
                b'&' if !quoted && at > range.start && bytes[at - 1] == b'>' => {}
                b'&' | b'|' if !quoted => {
                    parts.push(start..at);
                    start = at + 1;
                }
                b'(' | b')' if !quoted => {
                    parts.push(start..at);
                    parts.push(at..at + 1);
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        parts.push(start..range.end);
        parts
    }

    fn part(&mut self, range: Range<usize>, conditional: &mut bool, in_loop: &mut bool) {
        match self.text.get(range.clone()) {
            Some(")") if self.for_list => return self.for_list = false,
            _ if self.for_list => return,
            Some("(") => {
                self.depth += 1;
                return self.marks.push(self.scope.variables.mark());
            }
            Some(")") => {
                self.depth = self.depth.saturating_sub(1);
                if let Some(mark) = self.marks.pop() {
                    let branch = self.scope.variables.take_back(mark);
                    self.scope.variables.join(&[branch], &Join { may_skip: true, ..Join::default() });
                }
                return;
            }
            _ => {}
        }
        let slice = self.text.get(range.clone()).unwrap_or("");
        let start = range.start + slice.len() - slice.trim_start_matches([' ', '\t', '@']).len();
        let mut slice = self.text.get(start..range.end).unwrap_or("").trim_end();
        let mut start = start;
        for _ in 0..PREFIXES {
            let Some(length) = prefix_length(slice, in_loop) else { break };
            *conditional = true;
            self.for_list = slice.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("for ")) && length == slice.len();
            start += length;
            slice = &slice[length..];
        }
        let unsure = *conditional || self.depth > 0;
        self.scope.conditional = unsure;
        // No blank but those above is left out: `set` has to be where the slice starts.
        let word = slice.split(char::is_whitespace).next().unwrap_or("");
        if word.eq_ignore_ascii_case("set") {
            self.set(start + 3..start + slice.len(), unsure);
        } else if !slice.is_empty() {
            self.command(start..start + slice.len(), unsure, *in_loop);
        }
    }

    /// `set A=1`, `set "A=1"`.
    fn set(&mut self, range: Range<usize>, unsure: bool) {
        let slice = &self.text[range.clone()];
        let start = range.start + slice.len() - slice.trim_start().len();
        let slice = slice.trim();
        if slice.starts_with('/') {
            let name = slice.split_whitespace().nth(1).and_then(|rest| rest.split('=').next()).unwrap_or("").trim_matches('"');
            return self.scope.lose(&name.to_lowercase(), TextRange::of(start..start + slice.len()), slice.starts_with("/p"));
        }
        let quoted = slice.starts_with('"') && slice.ends_with('"') && slice.len() > 1;
        let (start, slice) = if quoted { (start + 1, &slice[1..slice.len() - 1]) } else { (start, slice) };
        let Some((name, value)) = slice.split_once('=') else { return };
        let begin = start + name.len() + 1;
        let place = TextRange::of(begin..begin + value.len());
        let places = Places {
            range: TextRange::of(start..start + slice.len()),
            name: TextRange::of(start..start + name.len()),
            value: place,
        };
        let field = self.expand(place.as_usize(), true);
        let mark = self.scope.variables.mark();
        self.scope.assign_as(&name.to_lowercase(), name, places, Value::Text(field), true);
        if unsure && self.depth == 0 {
            let branch = self.scope.variables.take_back(mark);
            self.scope.variables.join(&[branch], &Join { may_skip: true, ..Join::default() });
        }
    }

    fn command(&mut self, range: Range<usize>, conditional: bool, in_loop: bool) {
        let places = word_places(self.text, range);
        let mut words = Vec::new();
        for place in places {
            let field = self.expand(place.clone(), false);
            let range = TextRange::of(place);
            let splits = field.iter().any(|piece| piece.derived);
            let fields = if splits { super::spanned_text::split(field) } else { vec![field] };
            words.extend(fields.iter().map(|field| to_word(field, range)));
        }
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
        let cost = self.scope.variables.export_count();
        if self.environment_left < cost {
            return;
        }
        self.environment_left -= cost;
        self.scope.pay_for(&words);
        let range = first.range.cover(last.range);
        let environment = self.scope.variables.environment().collect();
        self.script.commands.push(Command { range, words, environment, function: None, in_loop, conditional, directory: None });
    }

    /// Replaces `%A%`; takes quotes and `^` away unless the text is a value.
    fn expand(&self, range: Range<usize>, value: bool) -> Field {
        let mut field = Field::new();
        let mut literal = String::new();
        let (mut at, mut start) = (range.start, range.start);
        let mut quoted = false;
        while at < range.end {
            let rest = &self.text[at..range.end];
            let Some(c) = rest.chars().next() else { break };
            let length = if matches!(c, '%' | '!') { reference(rest) } else { None };
            if let Some(length) = length {
                flush(&mut field, &mut literal, start..at, self.text);
                field.extend(self.variable(&rest[..length], at, !quoted && !value));
                at += length;
                start = at;
                continue;
            }
            quoted ^= c == '"';
            if !value && (c == '"' || c == '^' && !quoted) {
                flush(&mut field, &mut literal, start..at, self.text);
                at += 1;
                start = at;
                continue;
            }
            literal.push(c);
            at += c.len_utf8();
        }
        flush(&mut field, &mut literal, start..range.end, self.text);
        if field.is_empty() {
            field.push(Piece::literal("", TextRange::at(range.end as u32), true));
        }
        field
    }

    fn variable(&self, reference: &str, at: usize, splits: bool) -> Field {
        let place = TextRange::of(at..at + reference.len());
        let name = reference.trim_matches(['%', '!']).to_lowercase();
        let unknown = || vec![Piece { derived: true, splits, ..Piece::unknown(place, reference.len() == 2) }];
        let Some(variable) = self.scope.variables.get(&name) else { return unknown() };
        match &variable.value {
            Value::Text(text) if text_of(text).is_some() => used(text, variable.made.value.range, place, splits),
            _ => unknown(),
        }
    }
}

fn flush(field: &mut Field, literal: &mut String, range: Range<usize>, text: &str) {
    if literal.is_empty() {
        return;
    }
    let verbatim = text.get(range.clone()) == Some(literal.as_str());
    let mut piece = Piece::literal(literal, TextRange::of(range), verbatim);
    if super::has_blank_to_fill_in(literal) {
        piece.text = None;
    }
    literal.clear();
    field.push(piece);
}

/// Length of `%A%`, `!A!`, `%1`, `%%i`, `%*`.
fn reference(text: &str) -> Option<usize> {
    let mark = text.as_bytes().first().copied()?;
    let name = text[1..]
        .find(mark as char)
        .map(|length| length + 2)
        .filter(|length| *length > 2 && !text[..*length].contains([' ', '\\', '/']));
    if name.is_some() || mark == b'!' {
        return name;
    }
    match text.as_bytes().get(1)? {
        b'0'..=b'9' | b'*' => Some(2),
        b'%' if text.as_bytes().get(2).is_some_and(u8::is_ascii_alphabetic) => Some(3),
        _ => None,
    }
}

/// Length of `if exist x `, `if "%A%"=="" `, `for … do `, `else ` in front of a command.
fn prefix_length(text: &str, in_loop: &mut bool) -> Option<usize> {
    let mut words = word_places(text, 0..text.len()).into_iter();
    let first = words.next()?;
    let behind = |place: Range<usize>| place.end + text[place.end..].len() - text[place.end..].trim_start().len();
    match text[first.clone()].to_lowercase().as_str() {
        "else" | "do" => Some(behind(first)),
        "for" => {
            *in_loop = true;
            let last = words.find(|place| text[place.clone()].eq_ignore_ascii_case("do"));
            Some(last.map_or(text.len(), behind))
        }
        "if" => {
            let mut operand = words.next()?;
            while ["not", "/i"].contains(&text[operand.clone()].to_lowercase().as_str()) {
                operand = words.next()?;
            }
            let more = match text[operand.clone()].to_lowercase().as_str() {
                "exist" | "defined" | "errorlevel" => 1,
                word if word.contains("==") => 0,
                _ => 2,
            };
            let last = (0..more).try_fold(operand, |_, _| words.next())?;
            Some(behind(last))
        }
        _ => None,
    }
}

/// Words of a line: quotes hold together, `^` at the end of a line is a blank, redirections are left out.
fn word_places(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut places: Vec<Range<usize>> = Vec::new();
    let mut at = range.start;
    let mut file = false;
    while at < range.end {
        let continued = bytes[at] == b'^' && matches!(bytes.get(at + 1), Some(b'\r' | b'\n'));
        if bytes[at].is_ascii_whitespace() || continued {
            at += 1;
            continue;
        }
        let start = at;
        let mut quoted = false;
        while at < range.end && (quoted || !bytes[at].is_ascii_whitespace()) {
            if bytes[at] == b'^' && !quoted && matches!(bytes.get(at + 1), Some(b'\r' | b'\n')) {
                break;
            }
            quoted ^= bytes[at] == b'"';
            at += 1;
        }
        let word = &text[start..at];
        let redirects = word.trim_start_matches(|c: char| c.is_ascii_digit());
        if redirects.starts_with(['>', '<']) {
            file = redirects.trim_start_matches(['>', '<']).is_empty();
        } else if file {
            file = false;
        } else {
            places.push(start..at);
        }
    }
    places
}
