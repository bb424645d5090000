//! Edits of flags in launch commands.
//!
//! Words that come from a variable or an array are not written in the command and are left alone.

use crate::{between, line_end, line_start, replace_range, starts_line};
use vramlint_base::{Edit, TextRange};
use vramlint_resolve::SourceFile;
use vramlint_resolve::launch::Launch;

/// Removes adjacent words of a command, including their line if nothing else is on it.
pub fn remove_words(file: &SourceFile, launch: &Launch, words: TextRange) -> Option<Edit> {
    file.script()?;
    if !launch.range.contains(words) || words.start == launch.range.start {
        return None;
    }
    let stop = line_end(file, words.end);
    let rest = between(file, words.end, stop).trim();
    let is_continued = is_continuation(rest);
    if starts_line(file, words.start) && is_continued {
        let next = file.lines().line_start(file.lines().line_of(words.start) + 1);
        let one_line = file.lines().line_of(words.start) == file.lines().line_of(words.end);
        return one_line.then(|| replace_range(file, TextRange::new(line_start(file, words.start), next), ""));
    }
    let mut start = words.start;
    if starts_line(file, start) {
        // The last line of the command: also remove the continuation mark of the previous line.
        let above = line_start(file, start).checked_sub(1)?;
        let line = between(file, line_start(file, above), start).trim_end();
        let mark = line.chars().last().filter(|mark| is_continuation(&mark.to_string()))?;
        start = line_start(file, above) + (line.len() - mark.len_utf8()) as u32;
    }
    let blanks = between(file, line_start(file, start), start);
    let start = start - (blanks.len() - blanks.trim_end_matches([' ', '\t']).len()) as u32;
    Some(replace_range(file, TextRange::new(start, words.end), ""))
}

/// Whether `rest` is the line continuation mark of bash, PowerShell or batch.
fn is_continuation(rest: &str) -> bool {
    matches!(rest, "\\" | "`" | "^")
}
