//! The right side of an assignment: texts, numbers, lists, and sums of them.

use super::super::scope::Scope;
use super::super::spanned_text::{Field, Piece, stored, text_of, used};
use super::super::variables::Value;
use super::outline::key;
use super::words::{Reader, closing, variable_length};
use std::ops::Range;
use vramlint_base::TextRange;

/// Items of a list that are followed at most.
const ITEMS: usize = 4096;

/// Deepest nesting of lists and brackets that is read.
const DEPTH: usize = 16;

/// Reads a value.
pub(super) fn value(text: &str, range: Range<usize>, scope: &Scope) -> Value {
    read(text, range, scope, 0).unwrap_or(Value::Unknown { caller: false })
}

fn read(text: &str, range: Range<usize>, scope: &Scope, depth: usize) -> Option<Value> {
    if depth > DEPTH {
        return None;
    }
    let range = without_cast(text, trimmed(text, range));
    let slice = text.get(range.clone())?;
    let wrapped = |opening: &str| {
        slice.starts_with(opening)
            && closing(text, range.start + opening.len() - 1, range.end) == range.end
            && slice.ends_with(')')
    };
    if wrapped("@(") {
        let parts = parts(text, range.start + 2..range.end - 1, b",\n;");
        return list(text, parts, scope, depth);
    }
    if wrapped("(") {
        return read(text, range.start + 1..range.end - 1, scope, depth + 1);
    }
    let sums = parts(text, range.clone(), b"+");
    if sums.len() > 1 {
        return sum(text, sums, scope, depth);
    }
    let items = parts(text, range.clone(), b",");
    if items.len() > 1 {
        return list(text, items, scope, depth);
    }
    single(text, range, scope)
}

fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = text.get(range.clone()).unwrap_or("");
    let start = range.start + (slice.len() - slice.trim_start().len());
    start..(start + slice.trim().len())
}

/// Without `[int]`, `[string[]]`.
fn without_cast(text: &str, range: Range<usize>) -> Range<usize> {
    let slice = text.get(range.clone()).unwrap_or("");
    if !slice.starts_with('[') {
        return range;
    }
    let end = closing(text, range.start, range.end);
    trimmed(text, end..range.end)
}

/// Parts a text at separators that are outside quotes, brackets and comments.
fn parts(text: &str, range: Range<usize>, separators: &[u8]) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let (mut start, mut at) = (range.start, range.start);
    while at < range.end {
        match bytes[at] {
            byte if separators.contains(&byte) => {
                parts.push(trimmed(text, start..at));
                at += 1;
                start = at;
            }
            b'(' | b'{' | b'[' => at = closing(text, at, range.end),
            b'#' => {
                parts.push(trimmed(text, start..at));
                while at < range.end && bytes[at] != b'\n' {
                    at += 1;
                }
                start = at;
            }
            b'`' => at += 2,
            quote @ (b'"' | b'\'') => {
                at += 1;
                while at < range.end && bytes[at] != quote {
                    at += if bytes[at] == b'`' && quote == b'"' { 2 } else { 1 };
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    parts.push(trimmed(text, start.min(range.end)..range.end));
    parts.retain(|part| !part.is_empty());
    parts
}

fn list(text: &str, parts: Vec<Range<usize>>, scope: &Scope, depth: usize) -> Option<Value> {
    let mut items: Vec<Field> = Vec::new();
    for part in parts {
        let place = TextRange::of(part.clone());
        match read(text, part, scope, depth + 1) {
            Some(Value::Text(field)) => items.push(stored(field, place)),
            Some(Value::List(inner)) => items.extend(inner),
            _ => items.push(vec![Piece::unknown(place, false)]),
        }
        if items.len() > ITEMS {
            return None;
        }
    }
    Some(Value::List(items))
}

/// `$list + @("x")`, `"a" + "b"`; numbers are left unknown.
fn sum(text: &str, parts: Vec<Range<usize>>, scope: &Scope, depth: usize) -> Option<Value> {
    let mut values = Vec::new();
    for part in parts {
        values.push((read(text, part.clone(), scope, depth + 1)?, TextRange::of(part)));
    }
    let mut values = values.into_iter();
    let (first, _) = values.next()?;
    match first {
        Value::List(mut items) => {
            for (value, place) in values {
                match value {
                    Value::List(more) => items.extend(more),
                    Value::Text(field) => items.push(stored(field, place)),
                    _ => return None,
                }
            }
            (items.len() <= ITEMS).then_some(Value::List(items))
        }
        Value::Text(mut field) => {
            if text_of(&field)?.parse::<f64>().is_ok() {
                return None;
            }
            for (value, _) in values {
                let Value::Text(more) = value else { return None };
                field.extend(more);
            }
            Some(Value::Text(field))
        }
        _ => None,
    }
}

fn single(text: &str, range: Range<usize>, scope: &Scope) -> Option<Value> {
    let slice = text.get(range.clone())?;
    let place = TextRange::of(range.clone());
    match slice.bytes().next()? {
        b'"' | b'\'' => {
            let mut reader = Reader::new(text, range.clone(), scope);
            reader.quoted();
            (reader.at == range.end).then(|| Value::Text(reader.finish()))
        }
        b'$' => {
            if variable_length(slice)? != slice.len() {
                return None;
            }
            let literal = match slice.to_lowercase().as_str() {
                "$true" => Some("True"),
                "$false" => Some("False"),
                "$null" => Some(""),
                _ => None,
            };
            if let Some(literal) = literal {
                return Some(Value::Text(vec![Piece::literal(literal, place, false)]));
            }
            let variable = scope.variables.get(&key(slice))?;
            let made = variable.made.value.range;
            match &variable.value {
                Value::Text(field) => Some(Value::Text(used(field, made, place, false))),
                Value::List(items) => {
                    Some(Value::List(items.iter().map(|item| stored(used(item, made, place, false), place)).collect()))
                }
                _ => None,
            }
        }
        byte if byte.is_ascii_digit() || byte == b'-' || byte == b'.' => {
            let number = slice.parse::<f64>().ok()?;
            // `1e-4` and `4.0` become numbers, which print differently: only what prints as written is known.
            (number.is_finite() && number.to_string() == slice).then(|| Value::Text(vec![Piece::literal(slice, place, true)]))
        }
        _ => None,
    }
}
