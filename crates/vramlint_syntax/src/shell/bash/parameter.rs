//! `$A`, `${A}`, `${A:-4}`, `${ARGS[@]}`, `$1`, `$@`.

use super::super::Assumption;
use super::super::scope::{Places, Positional};
use super::super::spanned_text::{Field, Piece, depends_on_caller, stored, text_of, used};
use super::super::variables::Value;
use super::delimiters::closing;
use super::expand::Reader;
use std::ops::Range;
use vramlint_base::TextRange;

/// What a parameter is known to be.
enum Found {
    /// This, with the place of its value.
    Text(Field, TextRange),
    /// These, with the place of the list.
    List(Vec<Field>, TextRange),
    /// Set or not, but not known.
    Unknown { caller: bool },
    /// The script says nothing about it: the caller or the environment may.
    Outside { caller: bool },
    /// Certainly unset.
    Unset,
}

/// Everything after the name in `${…}`.
struct Modifier {
    operator: &'static str,
    word: Range<usize>,
}

/// Longest first.
const OPERATORS: [&str; 8] = [":-", ":=", ":+", ":?", "-", "=", "+", "?"];

impl Reader<'_> {
    /// `$name`, read up to `self.at`.
    pub(super) fn parameter(&mut self, name: &str, start: usize, quoted: bool) {
        let found = self.find(name, matches!(name, "@" | "*"));
        self.emit(found, start, quoted, name == "@");
    }

    fn find(&self, name: &str, all: bool) -> Found {
        match name.bytes().next() {
            Some(b'@' | b'*') => match &self.scope.positional {
                Positional::Words { words, complete: true } => {
                    let place = words.first().map_or(TextRange::default(), |(_, place)| *place);
                    Found::List(words.iter().map(|(field, _)| field.clone()).collect(), place)
                }
                // More may follow what is known.
                Positional::Words { words, complete: false } if !words.is_empty() => {
                    let place = words.first().map_or(TextRange::default(), |(_, place)| *place);
                    let rest = vec![Piece { derived: true, splits: true, ..Piece::unknown(place, true) }];
                    Found::List(words.iter().map(|(field, _)| field.clone()).chain([rest]).collect(), place)
                }
                Positional::Caller => Found::Unknown { caller: true },
                _ => Found::Unknown { caller: false },
            },
            Some(b'#') => match &self.scope.positional {
                Positional::Words { words, complete: true } => {
                    let place = words.first().map_or(TextRange::default(), |(_, place)| *place);
                    Found::Text(vec![Piece::literal(&words.len().to_string(), place, false)], place)
                }
                _ => Found::Unknown { caller: true },
            },
            Some(b'0' | b'?' | b'$' | b'!' | b'-') => Found::Unknown { caller: false },
            Some(byte) if byte.is_ascii_digit() => self.find_positional(name),
            _ => self.find_variable(name, all),
        }
    }

    fn find_positional(&self, name: &str) -> Found {
        let Some(nth) = name.parse::<usize>().ok().and_then(|n| n.checked_sub(1)) else {
            return Found::Unknown { caller: false };
        };
        match &self.scope.positional {
            Positional::Caller => Found::Outside { caller: true },
            Positional::Unknown => Found::Unknown { caller: false },
            Positional::Words { words, complete } => match words.get(nth) {
                Some((field, place)) => Found::Text(field.clone(), *place),
                None if *complete => Found::Unset,
                None => Found::Unknown { caller: false },
            },
        }
    }

    fn find_variable(&self, name: &str, all: bool) -> Found {
        let Some(variable) = self.scope.variables.get(name) else {
            let caller = matches!(name, "OPTARG" | "REPLY");
            return if caller { Found::Unknown { caller } } else { Found::Outside { caller } };
        };
        let place = variable.made.value.range;
        match &variable.value {
            Value::Text(field) => Found::Text(field.clone(), place),
            Value::List(items) if all => Found::List(items.clone(), place),
            Value::List(items) => items.first().map_or(Found::Unset, |item| Found::Text(item.clone(), place)),
            Value::Unknown { caller } => Found::Unknown { caller: *caller },
            Value::Carried => Found::Unknown { caller: false },
            Value::Unset => Found::Unset,
        }
    }

    /// `several`: it may be any number of words although it is quoted.
    fn emit(&mut self, found: Found, start: usize, quoted: bool, several: bool) {
        let place = TextRange::of(start..self.at);
        match found {
            Found::Text(field, value) => self.push(used(&field, value, place, !quoted)),
            Found::List(items, value) => {
                let items = items.iter().map(|item| used(item, value, place, !quoted)).collect();
                self.push_list(items);
            }
            Found::Unknown { caller } | Found::Outside { caller } => self.push_unknown(start, caller, quoted && !several),
            Found::Unset => {
                let empty = Piece { derived: true, splits: !quoted, ..Piece::literal("", place, false) };
                self.push(vec![empty]);
            }
        }
    }

    /// `${…}`.
    pub(super) fn braces(&mut self, quoted: bool) {
        let start = self.at;
        let Some(close) = closing(self.text, start + 2, self.end, b'}') else {
            self.at = self.end;
            return self.push_unknown(start, false, quoted);
        };
        self.at = close;
        let inner = start + 2..close - 1;
        if let Some(count) = self.item_count(&inner) {
            let field = count.0;
            let piece = self.computed(&count.1.to_string(), &field, start, quoted);
            return self.push(vec![piece]);
        }
        let Some((name, all, rest)) = self.name_in(inner.clone()) else { return self.push_unknown(start, false, quoted) };
        let found = self.find(&name, all);
        let is_joined = self.text[inner.clone()].contains('*');
        if rest.is_empty() {
            return self.emit(found, start, quoted, all && !is_joined);
        }
        if self.cut(&found, &self.text[rest.clone()], start, quoted) {
            return;
        }
        let Some(operator) = OPERATORS.into_iter().find(|op| self.text[rest.clone()].starts_with(op)) else {
            return self.push_unknown(start, false, quoted);
        };
        let modifier = Modifier { operator, word: rest.start + operator.len()..rest.end };
        let name_range = TextRange::of(inner.start..inner.start + name.len());
        self.modified(&name, name_range, found, &modifier, start, quoted);
    }

    /// `${#ARRAY[@]}`: the items together, and how many there are.
    fn item_count(&self, inner: &Range<usize>) -> Option<(Field, usize)> {
        let text = self.text.get(inner.clone())?.strip_prefix('#')?;
        let name = text.strip_suffix("[@]").or_else(|| text.strip_suffix("[*]"))?;
        let Found::List(items, _) = self.find(name, true) else { return None };
        // An unknown word outside quotes may be none, or several.
        let certain = items.iter().flatten().all(|piece| piece.text.is_some());
        certain.then(|| (items.iter().flatten().cloned().collect(), items.len()))
    }

    /// `${A##*/}`, `${A%/*}`, `${A%suffix}`, `${A#*=}`: a part of a known text.
    fn cut(&mut self, found: &Found, rest: &str, start: usize, quoted: bool) -> bool {
        let Found::Text(field, _) = found else { return false };
        let Some(text) = text_of(field) else { return false };
        let Some(cut) = cut_by_pattern(&text, rest).or_else(|| cut_by_position(&text, rest)).map(str::to_owned) else {
            return false;
        };
        let piece = self.computed(&cut, field, start, quoted);
        self.push(vec![piece]);
        true
    }

    /// The name in `${…}`, whether all items are meant, and what comes after.
    fn name_in(&self, inner: Range<usize>) -> Option<(String, bool, Range<usize>)> {
        let text = self.text.get(inner.clone())?;
        let length = match text.bytes().next()? {
            b'@' | b'*' => 1,
            byte if byte.is_ascii_digit() => text.bytes().take_while(u8::is_ascii_digit).count(),
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
            }
            _ => return None,
        };
        let name = text[..length].to_owned();
        let behind = &text[length..];
        if behind.starts_with('[') {
            let all = behind.starts_with("[@]") || behind.starts_with("[*]");
            return (all || behind.starts_with("[0]")).then_some((name, all, inner.start + length + 3..inner.end));
        }
        let all = matches!(name.as_str(), "@" | "*");
        Some((name, all, inner.start + length..inner.end))
    }

    fn modified(&mut self, name: &str, name_range: TextRange, found: Found, modifier: &Modifier, start: usize, quoted: bool) {
        let colon = modifier.operator.starts_with(':');
        let kind = modifier.operator.trim_start_matches(':');
        let empty = |field: &Field| text_of(field).is_some_and(|text| text.is_empty());
        // Set, surely unset (or empty, where that counts), or up to the caller.
        let (set, unset, caller) = match &found {
            Found::Text(field, _) if colon && empty(field) => (false, true, false),
            Found::Text(field, _) if field.len() == 1 && depends_on_caller(field) => (false, false, true),
            Found::Text(field, _) => (text_of(field).is_some() || field.len() > 1, false, false),
            Found::List(items, _) => (!items.is_empty(), items.is_empty(), false),
            Found::Unknown { caller } => (false, false, *caller),
            Found::Outside { .. } => (false, false, true),
            Found::Unset => (false, true, false),
        };
        match kind {
            "-" | "=" if unset || caller => self.default(name, name_range, modifier, caller, start, quoted),
            "-" | "=" | "?" => self.emit(found, start, quoted, false),
            _ if set => self.default(name, name_range, modifier, false, start, quoted),
            _ if unset => self.emit(Found::Unset, start, quoted, false),
            _ => self.push_unknown(start, false, quoted),
        }
    }

    /// The word after the operator is taken.
    fn default(&mut self, name: &str, name_range: TextRange, modifier: &Modifier, assumed: bool, start: usize, quoted: bool) {
        let range = TextRange::of(modifier.word.clone());
        let place = TextRange::of(start..self.at);
        let reader = Reader::new(self.text, modifier.word.clone(), &mut *self.scope, self.depth + 1);
        let mut fields = if quoted { reader.read_quoted() } else { reader.read() };
        if fields.len() > 1 {
            return self.push_list(fields.iter().map(|field| used(field, range, place, !quoted)).collect());
        }
        let field = stored(fields.pop().unwrap_or_default(), range);
        let mut pieces = used(&field, range, place, !quoted);
        if assumed && let Some(value) = text_of(&pieces) {
            pieces[0].assumptions.push(Assumption { variable: name.to_owned(), value, range });
        }
        if modifier.operator.ends_with('=') && !name.starts_with(|c: char| c.is_ascii_digit()) {
            let places = Places { range: name_range.cover(range), name: name_range, value: range };
            self.scope.assign(name, places, Value::Text(pieces.clone()), false);
        }
        self.push(pieces);
    }
}

/// `${A:0:1}`, `${A:2}`: counted in characters.
fn cut_by_position<'t>(text: &'t str, rest: &str) -> Option<&'t str> {
    let (start, length) = rest.strip_prefix(':').map(|rest| rest.split_once(':').unwrap_or((rest, "")))?;
    let at = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let start: usize = start.trim().parse().ok()?;
    let end = if length.is_empty() { text.len() } else { at(start + length.trim().parse::<usize>().ok()?) };
    text.get(at(start)..end)
}

/// What `#`, `##`, `%` or `%%` with a pattern leaves of a text. The pattern is a text, or a text after or before one `*`.
fn cut_by_pattern<'t>(text: &'t str, rest: &str) -> Option<&'t str> {
    let operator = rest.chars().next().filter(|c| matches!(c, '#' | '%'))?;
    let is_longest = rest[1..].starts_with(operator);
    let pattern = &rest[if is_longest { 2 } else { 1 }..];
    let literal = pattern.trim_start_matches('*').trim_end_matches('*').trim_matches(['"', '\'']);
    let is_plain = !literal.is_empty() && !literal.contains(['*', '?', '[', '$', '"', '\'', '\\', '`']);
    let (leads, trails) = (pattern.starts_with('*'), pattern.ends_with('*'));
    if !is_plain || leads && trails {
        return None;
    }
    let found = match (operator, leads, trails) {
        ('#', false, false) => text.strip_prefix(literal),
        ('%', false, false) => text.strip_suffix(literal),
        ('#', true, _) if is_longest => text.rsplit_once(literal).map(|(_, end)| end),
        ('#', true, _) => text.split_once(literal).map(|(_, end)| end),
        ('%', _, true) if is_longest => text.split_once(literal).map(|(front, _)| front),
        ('%', _, true) => text.rsplit_once(literal).map(|(front, _)| front),
        _ => return None,
    };
    Some(found.unwrap_or(text))
}
