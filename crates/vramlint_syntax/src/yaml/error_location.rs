//! Which lines are to blame for an error. The parser names the place where it could not go on, which is often below the line
//! that a person has to change.

use super::events::{Step, Stop};
use super::pyyaml_quoted;
use super::yaml_error::YamlError;
use std::ops::Range;

/// What to tell, and what to blank.
#[derive(Debug)]
pub(super) struct ErrorLocation {
    pub(super) error: YamlError,
    /// Where to point.
    pub(super) report: Range<usize>,
    /// Text whose lines are to be blanked.
    pub(super) lines: Range<usize>,
    /// Whether lines below that are indented deeper belong to what is blanked.
    pub(super) deeper: bool,
}

/// Longest part of a line that is pointed at or quoted in a message, in bytes.
const LONGEST_REPORT: usize = 40;

/// Finds what is to blame where the parser stopped after `steps`.
pub(super) fn blame(text: &str, steps: &[Step], stop: &Stop) -> ErrorLocation {
    let at = visible(text, stop.at);
    let line = line_around(text, at);
    let first = text[line.clone()].trim_start();
    if first.starts_with("{%") || first.starts_with("{#") {
        let start = line.end - text[line.start..line.end].trim_start().len();
        return ErrorLocation { error: YamlError::Template, report: start..end_of_line(text, start), lines: line, deeper: false };
    }
    if let Some(blame) = open_bracket(text, steps, stop, at) {
        return blame;
    }
    match stop.error {
        YamlError::QuoteNotClosed => {
            let opening = open_quote(text, steps, stop.at).unwrap_or(at);
            let report = opening..opening + text[opening..].chars().next().map_or(0, char::len_utf8);
            ErrorLocation { error: stop.error, report, lines: line_around(text, opening), deeper: true }
        }
        YamlError::SecondColon => second_colon(text, steps, at),
        YamlError::Tab => {
            let indent = line.start..line.start + indent_of(&text[line.clone()]);
            let tab = text[indent.clone()].find('\t').map(|i| indent.start + i);
            let tab = tab.or_else(|| text[line.clone()].find('\t').map(|i| line.start + i)).unwrap_or(at);
            ErrorLocation { error: YamlError::Tab, report: tab..next_boundary(text, tab), lines: line, deeper: false }
        }
        YamlError::NotAKey if !starts_line(text, at) => {
            ErrorLocation { error: YamlError::AfterValue, report: word(text, at), lines: line, deeper: true }
        }
        YamlError::CommaMissing if text[at..].starts_with(':') => {
            ErrorLocation { error: stop.error, report: word_before(text, at), lines: line, deeper: true }
        }
        error => {
            let alone = matches!(
                error,
                YamlError::NotAKey
                    | YamlError::NotAnItem
                    | YamlError::Indentation
                    | YamlError::CommentInText
                    | YamlError::NoColon
            );
            ErrorLocation { error, report: word(text, item_start(text, at)), lines: line, deeper: !alone }
        }
    }
}

/// A bracket that was left open on an earlier line: either the text ended, or a line follows that starts a new key.
fn open_bracket(text: &str, steps: &[Step], stop: &Stop, at: usize) -> Option<ErrorLocation> {
    let unclosed = match stop.error {
        YamlError::BracketNotClosed(open) | YamlError::WrongBracket(open, _) => {
            (text[stop.at..].starts_with(open)).then_some(stop.at).or_else(|| open_brackets(text, steps, at).last().copied())
        }
        YamlError::Tab | YamlError::QuoteNotClosed => None,
        _ => {
            let outermost = open_brackets(text, steps, at).first().copied()?;
            let (opened, here) = (line_around(text, outermost), line_around(text, at));
            let key = starts_with_key(&text[here.clone()]);
            let outside = indent_of(&text[here.clone()]) <= indent_of(&text[opened.clone()]);
            (here.start > opened.start && key && outside).then_some(outermost)
        }
    }?;
    let open = text[unclosed..].chars().next()?;
    let error = if let YamlError::WrongBracket(..) = stop.error { stop.error } else { YamlError::BracketNotClosed(open) };
    Some(ErrorLocation {
        error,
        report: unclosed..next_boundary(text, unclosed),
        lines: line_around(text, unclosed),
        deeper: true,
    })
}

/// `a: b: c` on one line; or a text that ran on over several lines until it met the colon of the next key.
fn second_colon(text: &str, steps: &[Step], at: usize) -> ErrorLocation {
    let line = line_around(text, at);
    let scalar = steps.iter().rev().find_map(|step| if let Step::Scalar { at, .. } = step { Some(at.clone()) } else { None });
    let ran_on = scalar.filter(|scalar| scalar.start < line.start && scalar.end > line.start);
    let Some(scalar) = ran_on else {
        return ErrorLocation { error: YamlError::SecondColon, report: word(text, at), lines: line, deeper: true };
    };
    let first = line_around(text, scalar.start);
    if starts_line(text, scalar.start) {
        let error = if text[first.clone()].contains(':') { YamlError::NoBlankAfterColon } else { YamlError::NoColon };
        let lines = first.start..line.start.max(first.start + 1);
        return ErrorLocation { error, report: word(text, scalar.start), lines, deeper: false };
    }
    let start = line.start + indent_of(&text[line.clone()]);
    ErrorLocation { error: YamlError::DeeperThanKey, report: word(text, start), lines: line, deeper: true }
}

/// A quoted scalar that PyYAML reads although the parser does not.
pub(super) struct PyYamlScalar {
    pub(super) range: Range<usize>,
    pub(super) text: String,
}

/// The quoted scalar of several lines at which the parser stopped, if PyYAML reads it as a whole value: it ends, and nothing but a comment, a
/// comma or a closing bracket follows on its last line.
pub(super) fn pyyaml_scalar(text: &str, steps: &[Step], stop: &Stop) -> Option<PyYamlScalar> {
    let start = open_quote(text, steps, stop.at)?;
    let (end, value) = pyyaml_quoted::read(text, start)?;
    let rest = text[end..end_of_line(text, end)].trim_start_matches(' ');
    let bracketed = !open_brackets(text, steps, start).is_empty();
    let complete = rest.is_empty() || rest.starts_with('#') || bracketed && rest.starts_with([',', ']', '}']);
    let several_lines = text[start..end].contains(['\n', '\r']);
    (complete && several_lines && end >= stop.at).then_some(PyYamlScalar { range: start..end, text: value })
}

/// The quote that is still open at `at`.
fn open_quote(text: &str, steps: &[Step], at: usize) -> Option<usize> {
    scan(text, steps, at).quote
}

/// Brackets that are still open at `at`, the outermost first.
fn open_brackets(text: &str, steps: &[Step], at: usize) -> Vec<usize> {
    scan(text, steps, at).brackets
}

#[derive(Default)]
struct Open {
    brackets: Vec<usize>,
    quote: Option<usize>,
}

/// What is open at `until`: the brackets of the steps, and what is between the last step and there, since the parser reads
/// ahead of its steps.
fn scan(text: &str, steps: &[Step], until: usize) -> Open {
    let mut open = Open::default();
    let mut stack = Vec::new();
    let mut at = 0;
    for step in steps {
        let end = match step {
            Step::Start { flow, at, .. } => {
                stack.push(flow.then_some(at.start));
                at.end
            }
            Step::End(at) => {
                stack.pop();
                at.end
            }
            Step::Scalar { at, .. } | Step::Alias { at, .. } | Step::Anchor { at, .. } | Step::DocumentStart(at) => at.end,
            Step::Comment(_) | Step::DocumentEnd => 0,
        };
        at = at.max(end);
    }
    open.brackets = stack.into_iter().flatten().collect();
    let bytes = text.as_bytes();
    let until = until.min(bytes.len());
    while at < until {
        let starts = at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b'\r' | b'[' | b'{' | b',' | b':');
        match bytes[at] {
            b'#' if starts => at = end_of_line(text, at),
            b'"' | b'\'' if starts => match pyyaml_quoted::read(text, at) {
                Some((end, _)) if end <= until => at = end,
                _ => {
                    open.quote = Some(at);
                    return open;
                }
            },
            b'[' | b'{' if starts || !open.brackets.is_empty() => {
                open.brackets.push(at);
                at += 1;
            }
            b']' | b'}' => {
                open.brackets.pop();
                at += 1;
            }
            _ => at += 1,
        }
    }
    if open.quote.is_none() && matches!(bytes.get(until), Some(b'"' | b'\'')) {
        open.quote = Some(until);
    }
    open
}

/// The place itself if something is written there, else the last thing written before it.
fn visible(text: &str, at: usize) -> usize {
    if text[at..].chars().next().is_some_and(|c| !c.is_whitespace() || c == '\t') {
        return at;
    }
    let before = text[..at].trim_end();
    before.char_indices().next_back().map_or(at, |(i, _)| i)
}

/// The word at `at`; of a long one, the beginning.
fn word(text: &str, at: usize) -> Range<usize> {
    let rest = &text[at..];
    let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let end = text.floor_char_boundary(at + length.min(LONGEST_REPORT));
    at..end.max(next_boundary(text, at))
}

/// The word before `at`.
fn word_before(text: &str, at: usize) -> Range<usize> {
    let end = text[..at].trim_end().len();
    let start = text[..end].rfind(char::is_whitespace).map_or(0, |i| next_boundary(text, i));
    word(text, start.min(end)).start..end.max(start)
}

/// Whether nothing but blanks and item marks is before `at` on its line.
fn starts_line(text: &str, at: usize) -> bool {
    let line = line_around(text, at);
    text[line.start..at].trim_start_matches([' ', '\t', '-']).is_empty()
}

/// The item mark before `at`, if only item marks stand before it on its line.
fn item_start(text: &str, at: usize) -> usize {
    let line = line_around(text, at);
    if starts_line(text, at) { line.start + indent_of(&text[line.start..at]) } else { at }
}

fn next_boundary(text: &str, at: usize) -> usize {
    at + text[at..].chars().next().map_or(0, char::len_utf8)
}

/// The line that holds `at`, without its line break.
fn line_around(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind(['\n', '\r']).map_or(0, |i| i + 1);
    start..end_of_line(text, at)
}

fn end_of_line(text: &str, at: usize) -> usize {
    at + text[at..].find(['\n', '\r']).unwrap_or(text.len() - at)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// Whether a line reads `key:`, perhaps as an item.
fn starts_with_key(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '-']);
    let name = line.len() - line.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')).len();
    name > 0 && line[name..].strip_prefix(':').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}
