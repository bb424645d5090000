//! Keys and values of JSON, from the text before the cursor.

use super::builder::CompletionBuilder;
use super::catalog_item::{Availability, CatalogItem, VersionFilter};
use super::target_syntax::TargetSyntax;
use super::yaml::{ValueRequest, add_values, weight};
use super::{CompletionContext, vocabulary};
use vramlint_catalog::Dialect;

/// A bracket that is open at the cursor.
#[derive(Debug, Default)]
struct OpenBracket {
    object: bool,
    /// The key whose value is being written.
    key: Option<String>,
    keys: Vec<String>,
    /// Whether a key or an item may follow.
    ready: bool,
}

/// What is completed.
#[derive(Debug)]
enum CursorTarget {
    Key,
    Value(String),
}

/// The context of the cursor.
#[derive(Debug)]
pub(super) struct CursorContext {
    target: CursorTarget,
    pub path: Vec<String>,
    pub taken: Vec<String>,
    /// The keys of the outermost object before the cursor.
    pub root: Vec<String>,
    /// Start of the word, after its quote.
    start: usize,
    quoted: Option<char>,
}

/// The known names at a position, and their dialect.
pub(super) type Names = (Vec<CatalogItem>, Option<Dialect>);

/// The completions at the cursor.
pub(super) fn completions(cx: &CompletionContext<'_>) -> Option<CompletionBuilder> {
    completions_in(cx, TargetSyntax::Json, 0, |at| {
        let kind = vocabulary::kind(cx);
        Some((vocabulary::block_items(cx, kind, &at.path, &at.taken), kind.dialect()))
    })
}

/// The completions at the cursor of a JSON-like text that starts at `from`, such as a Python dict.
pub(super) fn completions_in(
    cx: &CompletionContext<'_>,
    syntax: TargetSyntax,
    from: usize,
    names: impl FnOnce(&CursorContext) -> Option<Names>,
) -> Option<CompletionBuilder> {
    let mut at = cursor_context(cx.before().get(from..)?)?;
    at.start += from;
    at.taken.extend(following_keys(cx.after(), at.quoted));
    let typed = &cx.before()[at.start..];
    let (known, dialect) = names(&at)?;
    match &at.target {
        CursorTarget::Key => Some(keys(cx, dialect, &at, typed, &known)),
        CursorTarget::Value(key) => {
            let mut completions = CompletionBuilder::new(at.start, cx.offset, typed);
            let request = ValueRequest { dialect, path: &at.path, key, quoted: at.quoted };
            add_values(cx, &mut completions, syntax, &request, &known);
            Some(completions)
        }
    }
}

fn keys(
    cx: &CompletionContext<'_>,
    dialect: Option<Dialect>,
    at: &CursorContext,
    typed: &str,
    known: &[CatalogItem],
) -> CompletionBuilder {
    let versions = VersionFilter::new(cx.project, cx.file.id);
    let rest = cx.rest();
    let word = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
    let colon = word.trim_start_matches(['"', '\'']).trim_start().starts_with(':');
    // Editors insert the closing quote.
    let closed = at.quoted.is_some_and(|quote| rest.starts_with(quote));
    let start = if at.quoted.is_some() && !colon { at.start - 1 } else { at.start };
    let end = if closed && !colon { cx.offset + 1 } else { cx.offset };
    let quote = at.quoted.unwrap_or('"');
    let mut completions = CompletionBuilder::new(start, end, typed);
    for known in known {
        if !completions.matches_typed(known.name()) || at.taken.iter().any(|key| key == known.name()) {
            continue;
        }
        let availability = versions.availability(*known);
        if availability != Availability::Unavailable {
            let name = known.name();
            let text = match (colon, at.quoted) {
                (true, Some(_)) => name.to_owned(),
                (true, None) => format!("{quote}{name}{quote}"),
                (false, _) => format!("{quote}{name}{quote}: "),
            };
            completions.add(versions.key(*known, text, availability, cx.lang, weight(dialect, *known)));
        }
    }
    completions
}

/// Scans the text up to the cursor. `None` in a comment, and if nothing can be completed.
fn cursor_context(text: &str) -> Option<CursorContext> {
    let bytes = text.as_bytes();
    let mut frames: Vec<OpenBracket> = Vec::new();
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    // The last string, which is a key if a colon follows, and whether a line break followed it.
    let (mut last, mut broken): (Option<String>, bool) = (None, false);
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => {
                let (end, closed) = string(text, at);
                if !closed && end == bytes.len() {
                    return finish(frames, at + 1, Some(char::from(quote)), broken);
                }
                last = text.get(at + 1..end - usize::from(closed)).map(str::to_owned);
                at = end;
                if let Some(frame) = frames.last_mut() {
                    // A value on a line of its own after another value is a key; the comma is missing.
                    if frame.key.is_some() || !frame.object {
                        frame.ready = false;
                    }
                }
                broken = false;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = line_end(text, at)?,
            b'#' => at = line_end(text, at)?,
            b'/' if bytes.get(at + 1) == Some(&b'*') => at = text[at..].find("*/").map(|length| at + length + 2)?,
            open @ (b'{' | b'[') => {
                frames.push(OpenBracket { object: open == b'{', ready: true, ..OpenBracket::default() });
                (last, broken, at) = (None, false, at + 1);
            }
            b'}' | b']' => {
                frames.pop();
                if let Some(frame) = frames.last_mut() {
                    (frame.key, frame.ready) = (if frame.object { None } else { frame.key.take() }, false);
                }
                (last, broken, at) = (None, false, at + 1);
            }
            b':' => {
                if let Some(frame) = frames.last_mut().filter(|frame| frame.object)
                    && let Some(key) = last.take()
                {
                    frame.keys.push(key.clone());
                    (frame.key, frame.ready) = (Some(key), true);
                }
                (broken, at) = (false, at + 1);
            }
            b',' => {
                if let Some(frame) = frames.last_mut() {
                    (frame.key, frame.ready) = (None, true);
                }
                (last, broken, at) = (None, false, at + 1);
            }
            b'\n' => (broken, at) = (true, at + 1),
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => {
                let end = text[at..]
                    .find(|c: char| c.is_whitespace() || ",:{}[]\"'".contains(c))
                    .map_or(text.len(), |length| at + length);
                let end = end.max(at + 1);
                if end == text.len() {
                    return finish(frames, at, None, broken);
                }
                last = text.get(at..end).map(str::to_owned);
                if let Some(frame) = frames.last_mut().filter(|frame| frame.key.is_some() || !frame.object) {
                    frame.ready = false;
                }
                (broken, at) = (false, end);
            }
        }
    }
    // A key without its colon.
    if last.is_some() && frames.last().is_some_and(|frame| frame.object && frame.key.is_none()) && !broken {
        return None;
    }
    finish(frames, text.len(), None, broken)
}

fn finish(mut frames: Vec<OpenBracket>, start: usize, quoted: Option<char>, broken: bool) -> Option<CursorContext> {
    let root = frames.first().map(|frame| frame.keys.clone()).unwrap_or_default();
    let frame = frames.pop()?;
    let mut path: Vec<String> =
        frames.into_iter().map(|frame| if frame.object { frame.key.unwrap_or_default() } else { "[]".to_owned() }).collect();
    let target = match (frame.object, frame.key) {
        (true, Some(key)) if frame.ready => CursorTarget::Value(key),
        // After a complete value, a new line starts a new key.
        (true, _) if frame.ready || broken => CursorTarget::Key,
        // An item of a list is a value of the list's key.
        (false, _) if frame.ready => CursorTarget::Value(path.pop()?),
        _ => return None,
    };
    Some(CursorContext { target, path, taken: frame.keys, root, start, quoted })
}

/// The end of the string that starts at `at`, and whether it is closed. Strings end at the line break.
fn string(text: &str, at: usize) -> (usize, bool) {
    let quote = text[at..].chars().next();
    let mut escaped = false;
    for (offset, c) in text[at + 1..].char_indices() {
        match c {
            '\n' => return (at + 1 + offset, false),
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if Some(c) == quote => return (at + 2 + offset, true),
            _ => {}
        }
    }
    (text.len(), false)
}

/// The end of the line; `None` if the cursor is on it.
fn line_end(text: &str, at: usize) -> Option<usize> {
    text[at..].find('\n').map(|length| at + length)
}

/// The keys after the cursor in the same object, without the one at the cursor.
fn following_keys(text: &str, quoted: Option<char>) -> Vec<String> {
    let mut found = Vec::new();
    let (mut depth, mut last, mut at) = (0usize, None, 0);
    if let Some(quote) = quoted {
        at = text.find([quote, '\n']).map_or(text.len(), |end| end + 1);
    }
    let bytes = text.as_bytes();
    let mut first = true;
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' => {
                let (end, closed) = string(text, at);
                last = text.get(at + 1..end - usize::from(closed)).map(str::to_owned);
                at = end;
                first = false;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => break,
            b'}' | b']' => depth -= 1,
            b':' if depth == 0 && !first => found.extend(last.take()),
            _ => {}
        }
        at += 1;
    }
    found
}
