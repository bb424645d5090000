//! Assignments of environment variables in scripts.

use super::{at, between, line_end, line_start, next_line};
use vramlint_base::{Edit, TextRange};
use vramlint_resolve::SourceFile;
use vramlint_syntax::shell::Assignment;

/// Gives a variable another value. Quotes stay, and come where the value needs them.
pub(crate) fn set(file: &SourceFile, assignment: &Assignment, value: &str) -> Option<Edit> {
    file.script()?;
    let word = &assignment.value;
    let (written, old) = (word.range.slice(&file.text), word.text()?);
    let sound =
        word.sources.is_empty() && assignment.range.contains(word.range) && !value.contains(['"', '\'', '$', '`', '\\', '\n']);
    if !sound {
        return None;
    }
    let inner = written.get(1..written.len().saturating_sub(1));
    if written.len() >= 2 && written.starts_with(['"', '\'']) && inner == Some(old) {
        return Some(at(file, TextRange::new(word.range.start + 1, word.range.end - 1), value));
    }
    let plain = !value.is_empty() && value.chars().all(|c| c.is_alphanumeric() || "_-./:,+@%=".contains(c));
    let text = if plain { value.to_owned() } else { format!("\"{value}\"") };
    (written == old).then(|| at(file, word.range, text))
}

/// Removes an assignment: its line where it has one, else the prefix of its command.
pub(crate) fn remove(file: &SourceFile, assignment: &Assignment) -> Option<Edit> {
    file.script()?;
    let range = assignment.range;
    let (start, stop) = (line_start(file, range.start), line_end(file, range.end));
    let (lead, rest) = (between(file, start, range.start).trim(), between(file, range.end, stop));
    if matches!(lead, "" | "export" | "set" | "declare -x") && (rest.trim().is_empty() || rest.trim().starts_with('#')) {
        let one_line = file.lines.line_of(range.start) == file.lines.line_of(range.end);
        return one_line.then(|| at(file, TextRange::new(start, next_line(file, range.end)), ""));
    }
    let blanks = rest.len() - rest.trim_start().len();
    let prefix =
        lead.is_empty() && blanks > 0 && rest.trim_start().starts_with(|c: char| c.is_alphanumeric() || "_./$\"".contains(c));
    prefix.then(|| at(file, TextRange::new(range.start, range.end + blanks as u32), ""))
}
