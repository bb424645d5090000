//! Reading on after an error.
//!
//! The parser stops at the first error. The offending lines are then overwritten with blanks of the same length, so that
//! offsets stay, and the text is read again.

use super::build::{Built, build};
use super::error_location::{self, ErrorLocation};
use super::events::{self, Step, Stop};
use super::yaml_error::{YamlError, message_of};
use crate::data::NodeKind;
use crate::{Comment, RefusedBy, SyntaxError};
use std::collections::HashSet;
use std::ops::Range;
use vramlint_base::{LineIndex, TextRange};

/// Times that a broken text is read again at most.
const RETRIES: usize = 16;
/// Bytes that are read again altogether at most, whatever stops the parser: keeps large broken files quick.
const RETRY_BYTES: usize = 32 << 20;
/// Control characters that are reported at most.
const CONTROL_ERRORS: usize = 16;

/// What came of a text.
pub(super) struct Recovered {
    /// The text as it was read in the end: as long as the original, broken lines blanked.
    pub(super) text: String,
    pub(super) built: Built,
    pub(super) errors: Vec<SyntaxError>,
}

/// Reads `text` as far as it goes.
pub(super) fn read(text: &str) -> Recovered {
    let mut attempt = Attempt {
        original: text,
        // A line break to PyYAML, of the same length as `\r\n`; YAML 1.2 has forgotten it.
        working: text.replace('\u{85}', "\r\n"),
        lines: LineIndex::new(text),
        blanked: HashSet::new(),
        errors: Vec::new(),
        unquoted: Vec::new(),
        comments: Vec::new(),
    };
    attempt.blank_control_characters();
    let mut rounds = RETRY_BYTES / text.len().max(1);
    let mut retries = RETRIES;
    let steps = loop {
        let (steps, stop) = events::read(&attempt.working);
        let Some(stop) = stop else { break steps };
        if stop.error == YamlError::Panicked || rounds == 0 && attempt.errors.is_empty() {
            attempt.tell(&steps, &stop);
            break steps;
        }
        if retries == 0 || rounds == 0 {
            break steps;
        }
        rounds -= 1;
        match attempt.handle(&steps, &stop) {
            Outcome::Allowed => {}
            Outcome::Error => retries -= 1,
        }
    };
    attempt.finish(steps)
}

/// What stopped the parser.
enum Outcome {
    /// Something that PyYAML reads.
    Allowed,
    /// An error.
    Error,
}

struct Attempt<'a> {
    original: &'a str,
    working: String,
    lines: LineIndex,
    /// Lines (from 0) that were blanked.
    blanked: HashSet<u32>,
    errors: Vec<SyntaxError>,
    /// Quoted scalars that only PyYAML reads, overwritten with a placeholder: where, and their text.
    unquoted: Vec<(Range<usize>, String)>,
    /// Comments that only PyYAML takes for comments, overwritten with blanks.
    comments: Vec<Comment>,
}

impl Attempt<'_> {
    /// Characters outside YAML's printable set are rejected by every reader, wherever they are, comments included.
    fn blank_control_characters(&mut self) {
        let found: Vec<(usize, char)> = self.original.char_indices().filter(|(_, c)| !is_printable(*c)).collect();
        if found.is_empty() {
            return;
        }
        let blanked = |c: char| if is_printable(c) { c.to_string() } else { " ".repeat(c.len_utf8()) };
        self.working = self.original.chars().map(blanked).collect();
        for (at, c) in found.into_iter().take(CONTROL_ERRORS) {
            self.report(at..at + c.len_utf8(), YamlError::Character(c));
        }
    }

    /// Reports what stopped the parser, and changes the text so that it gets past it.
    fn handle(&mut self, steps: &[Step], stop: &Stop) -> Outcome {
        if stop.error == YamlError::CommentNotSeparated && self.take_comment(stop.at) {
            return Outcome::Allowed;
        }
        if matches!(stop.error, YamlError::QuoteNotClosed | YamlError::Tab)
            && let Some(scalar) = error_location::pyyaml_scalar(&self.working, steps, stop)
        {
            self.overwrite(scalar.range.start + 1..scalar.range.end - 1, 'x');
            self.unquoted.push((scalar.range, scalar.text));
            return Outcome::Allowed;
        }
        let blame = self.tell(steps, stop);
        self.blank(&blame);
        Outcome::Error
    }

    /// Reports what is to blame, unless it may be the work of lines that were blanked.
    fn tell(&mut self, steps: &[Step], stop: &Stop) -> ErrorLocation {
        let blame = error_location::blame(&self.working, steps, stop);
        if !self.follows_a_blanked_line(blame.report.start) && !self.lost_its_end(&blame) {
            self.report(blame.report.clone(), blame.error);
        }
        blame
    }

    fn report(&mut self, range: Range<usize>, error: YamlError) {
        // What was overwritten consists of other characters.
        let range = self.original.floor_char_boundary(range.start)..self.original.ceil_char_boundary(range.end);
        let found = self.original.get(range.clone()).unwrap_or("");
        let found = found.lines().next().unwrap_or("");
        self.errors.push(SyntaxError {
            range: TextRange::of(range),
            message: message_of(error, found),
            refused_by: RefusedBy::All,
        });
    }

    /// PyYAML and ruamel read `"x"#y` as a value and a comment, and `[1,#y` too.
    fn take_comment(&mut self, at: usize) -> bool {
        let closed = self.working[..at].ends_with(['"', '\'', ']', '}', ',', '[', '{']);
        if !closed || self.working.as_bytes().get(at) != Some(&b'#') {
            return false;
        }
        let end = at + self.working[at..].find(['\n', '\r']).unwrap_or(self.working.len() - at);
        let text = self.original[at..end].trim_start_matches('#').trim().to_string();
        self.comments.push(Comment { range: TextRange::of(at..end), text, trailing: true });
        self.overwrite(at..end, ' ');
        true
    }

    /// Whether an error here may come from lines that were blanked right above: it is then not reported, since the next run
    /// will tell once the first error is repaired.
    fn follows_a_blanked_line(&self, at: usize) -> bool {
        let mut line = self.lines.line_of(at as u32);
        loop {
            if self.blanked.contains(&line) {
                return true;
            }
            let empty = self.original_line(line).trim().is_empty();
            let here = line == self.lines.line_of(at as u32);
            if line == 0 || !empty && !here {
                return false;
            }
            line -= 1;
        }
    }

    /// Whether a bracket or quote is open because a line below it was blanked.
    fn lost_its_end(&self, blame: &ErrorLocation) -> bool {
        let line = self.lines.line_of(blame.report.start as u32);
        let opens =
            matches!(blame.error, YamlError::BracketNotClosed(_) | YamlError::WrongBracket(..) | YamlError::QuoteNotClosed);
        opens && self.blanked.iter().any(|blanked| *blanked > line)
    }

    fn original_line(&self, line: u32) -> &str {
        let range = self.lines.line_start(line) as usize..self.lines.line_start(line + 1) as usize;
        self.original.get(range).unwrap_or("")
    }

    /// Overwrites the lines that are to blame.
    fn blank(&mut self, blame: &ErrorLocation) {
        if blame.error == YamlError::Tab && self.blank_tabs(blame.report.start) {
            return;
        }
        let first = self.lines.line_of(blame.lines.start as u32);
        let last = self.lines.line_of(blame.lines.end.max(blame.lines.start + 1) as u32 - 1);
        let column = self.blank_line(first);
        let mut line = first + 1;
        while line <= last {
            self.blank_line(line);
            line += 1;
        }
        while blame.deeper && line < self.lines.line_count() {
            let text = self.original_line(line);
            let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
            if !text.trim().is_empty() && indent <= column {
                break;
            }
            self.blank_line(line);
            line += 1;
        }
    }

    /// Blanks a line; item marks at its start survive the first time. Gives the column of its first text.
    fn blank_line(&mut self, line: u32) -> usize {
        let start = self.lines.line_start(line) as usize;
        let text = self.working.get(start..self.lines.line_start(line + 1) as usize).unwrap_or("");
        let text = text.trim_end_matches(['\n', '\r']);
        let end = start + text.len();
        let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
        let mut content = indent;
        while text[content..].starts_with("- ") {
            content += 2 + (text[content + 2..].len() - text[content + 2..].trim_start_matches(' ').len());
        }
        let keep = if self.blanked.insert(line) && content < text.len() { content } else { 0 };
        self.overwrite(start + keep..end, ' ');
        content
    }

    /// Makes one blank of each tab that indents this line and those below it that tabs indent too; of the tab at the place
    /// where none indents. `false` where there was none.
    fn blank_tabs(&mut self, at: usize) -> bool {
        let first = self.lines.line_of(at as u32);
        let mut changed = false;
        for line in first..self.lines.line_count() {
            let start = self.lines.line_start(line) as usize;
            let text = self.working.get(start..self.lines.line_start(line + 1) as usize).unwrap_or("");
            let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
            let tabs = text[..indent].contains('\t');
            if !tabs && !text.trim().is_empty() {
                break;
            }
            if tabs {
                self.overwrite(start..start + indent, ' ');
                changed = true;
            }
        }
        if self.working.as_bytes().get(at) == Some(&b'\t') {
            self.overwrite(at..at + 1, ' ');
            changed = true;
        }
        changed
    }

    /// Overwrites bytes with an ASCII character; line breaks stay, unless the filler is text.
    fn overwrite(&mut self, range: Range<usize>, filler: char) {
        let Some(old) = self.working.get(range.clone()) else { return };
        let new: String = (old.bytes())
            .map(|byte| if filler == ' ' && matches!(byte, b'\n' | b'\r') { char::from(byte) } else { filler })
            .collect();
        self.working.replace_range(range, &new);
    }

    fn finish(mut self, steps: Vec<Step>) -> Recovered {
        let mut built = build(&self.working, steps);
        for (range, text) in self.unquoted {
            let start = range.start as u32;
            let node =
                built.file.nodes.iter_mut().find(|node| node.range.start == start && matches!(node.kind, NodeKind::Scalar(_)));
            if let Some(NodeKind::Scalar(scalar)) = node.map(|node| &mut node.kind) {
                scalar.text = text;
            }
        }
        built.file.comments.append(&mut self.comments);
        built.file.comments.sort_by_key(|comment| comment.range.start);
        Recovered { text: self.working, built, errors: self.errors }
    }
}

/// YAML's printable characters, the same in 1.1 and 1.2 (PyYAML 6.0.3, `reader.py`).
fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..)
}
