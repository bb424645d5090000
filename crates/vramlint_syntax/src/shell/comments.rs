//! Comments, and the scheduler's lines among them.

use super::{Directive, Script, Word, WordValue};
use crate::Comment;
use std::ops::Range;
use vramlint_base::TextRange;

/// Marks of schedulers: Slurm, PBS, LSF.
const MARKS: [&str; 3] = ["SBATCH", "PBS", "BSUB"];

/// Notes the comment at a place. A shebang is none.
pub(super) fn note(text: &str, place: Range<usize>, script: &mut Script) {
    let Some(written) = text.get(place.clone()) else { return };
    let written = written.trim_end();
    let range = TextRange::of(place.start..place.start + written.len());
    let line_start = text[..place.start].rfind('\n').map_or(0, |newline| newline + 1);
    let before = text[line_start..place.start].trim_start_matches('\u{feff}');
    if written.starts_with("#!") && line_start == 0 && before.is_empty() {
        return;
    }
    let trailing = !before.trim().is_empty();
    let inner = written.strip_prefix("<#").map_or(written, |inner| inner.strip_suffix("#>").unwrap_or(inner));
    let comment = inner.trim_start_matches('#').trim();
    script.comments.push(Comment { range, text: comment.to_owned(), trailing });
    if !before.is_empty() {
        return;
    }
    let mark = MARKS.into_iter().find(|mark| {
        let rest = written.strip_prefix('#').and_then(|rest| rest.strip_prefix(mark));
        rest.is_some_and(|rest| rest.starts_with(char::is_whitespace))
    });
    if let Some(mark) = mark {
        let words = words(written, 1 + mark.len(), range.start);
        script.directives.push(Directive { mark: mark.to_owned(), range, words });
    }
}

/// The words of a scheduler's line, up to a comment on it. Quotes hold a word together and go.
fn words(line: &str, from: usize, offset: u32) -> Vec<Word> {
    let mut words = Vec::new();
    let mut start = None;
    let mut quote = None;
    let mut value = String::new();
    for (at, c) in line.char_indices().skip_while(|(at, _)| *at < from).chain([(line.len(), '\n')]) {
        if let Some(open) = quote {
            if c == open {
                quote = None;
            } else {
                value.push(c);
            }
            if at < line.len() {
                continue;
            }
        }
        if c.is_whitespace() {
            if let Some(begin) = start.take() {
                let range = TextRange::new(offset + begin as u32, offset + at as u32);
                words.push(word(std::mem::take(&mut value), range));
            }
            continue;
        }
        if start.is_none() && c == '#' {
            break;
        }
        start.get_or_insert(at);
        if matches!(c, '"' | '\'') {
            quote = Some(c);
        } else {
            value.push(c);
        }
    }
    words
}

fn word(text: String, range: TextRange) -> Word {
    let open = super::has_blank_to_fill_in(&text) || text.contains('$');
    let value = if open { WordValue::Unknown } else { WordValue::Known(text) };
    Word { range, value, sources: Vec::new(), assumptions: Vec::new(), path_end: None, origin: None }
}
