//! Flags of launch commands.
//!
//! Words that come from a variable or an array are not written in the command: nothing here touches them.

use super::{at, between, line_end, line_start, starts_line};
use vramlint_base::{Edit, TextRange};
use vramlint_resolve::SourceFile;
use vramlint_resolve::launch::{Launch, LaunchFlag};
use vramlint_syntax::shell::Word;

/// Gives a flag another value. Quotes stay.
pub(crate) fn set(file: &SourceFile, flag: &LaunchFlag, value: &str) -> Option<Edit> {
    let [word] = flag.values.as_slice() else { return None };
    set_word(file, flag.word, word, value)
}

/// Gives an option of the script another value: `word` is the option's own word, `value` that of its value (the same for
/// `--name=value`, `name=value`).
pub(crate) fn set_word(file: &SourceFile, option: TextRange, word: &Word, value: &str) -> Option<Edit> {
    file.script()?;
    let written = word.range.slice(&file.text);
    let old = word.text()?;
    if !word.sources.is_empty() {
        return None;
    }
    let range = if written == old {
        word.range
    } else if written.len() == old.len() + 2 && written.get(1..written.len() - 1) == Some(old) && written.starts_with(['"', '\''])
    {
        TextRange::new(word.range.start + 1, word.range.end - 1)
    } else {
        return None;
    };
    let inline = option.contains(word.range);
    let quoted = range != word.range;
    let sound = is_literal(file, option) && (quoted || is_word(value)) && !value.contains(['"', '\'', '$', '`', '\\', '\n']);
    (sound && (!inline || range.start > option.start)).then(|| at(file, range, value))
}

/// Removes a flag with its values; its line too, where it has one of its own.
pub(crate) fn remove(file: &SourceFile, launch: &Launch, flag: &LaunchFlag) -> Option<Edit> {
    remove_words(file, launch, whole(file, flag)?)
}

/// Removes words of a command that stand side by side; their line too, where they have one of their own.
pub(crate) fn remove_words(file: &SourceFile, launch: &Launch, words: TextRange) -> Option<Edit> {
    file.script()?;
    if !launch.range.contains(words) || words.start == launch.range.start {
        return None;
    }
    let stop = line_end(file, words.end);
    let rest = between(file, words.end, stop).trim();
    let goes_on = is_continuation(rest);
    if starts_line(file, words.start) && goes_on {
        let next = file.lines.line_start(file.lines.line_of(words.start) + 1);
        let one_line = file.lines.line_of(words.start) == file.lines.line_of(words.end);
        return one_line.then(|| at(file, TextRange::new(line_start(file, words.start), next), ""));
    }
    let mut start = words.start;
    if starts_line(file, start) {
        // The last line of the command: the mark that continues the line above goes too.
        let above = line_start(file, start).checked_sub(1)?;
        let line = between(file, line_start(file, above), start).trim_end();
        let mark = line.chars().last().filter(|mark| is_continuation(&mark.to_string()))?;
        start = line_start(file, above) + (line.len() - mark.len_utf8()) as u32;
    }
    let blanks = between(file, line_start(file, start), start);
    let start = start - (blanks.len() - blanks.trim_end_matches([' ', '\t']).len()) as u32;
    Some(at(file, TextRange::new(start, words.end), ""))
}

/// Gives a flag another name, its value stays.
pub(crate) fn rename(file: &SourceFile, flag: &LaunchFlag, name: &str) -> Option<Edit> {
    file.script()?;
    let written = flag.word.slice(&file.text);
    let old = written.split_once('=').map_or(written, |(old, _)| old);
    let range = TextRange::new(flag.word.start, flag.word.start + old.len() as u32);
    (is_literal(file, flag.word) && is_word(old)).then(|| at(file, range, name))
}

/// Adds flags (`--num_processes 4`) before the script.
pub(crate) fn insert(file: &SourceFile, launch: &Launch, flags: &str) -> Option<Edit> {
    let place = before(file, launch)?;
    Some(at(file, TextRange::at(place), format!("{flags} ")))
}

/// Adds words at the end of the command: arguments of the script.
pub(crate) fn append(file: &SourceFile, launch: &Launch, words: &str) -> Option<Edit> {
    file.script()?;
    (launch.script.is_some() || launch.module.is_some()).then(|| at(file, TextRange::at(launch.range.end), format!(" {words}")))
}

/// Moves words that stand behind the script (a flag and its values, side by side) before it.
pub(crate) fn before_script(file: &SourceFile, launch: &Launch, words: TextRange) -> Option<Vec<Edit>> {
    let removal = remove_words(file, launch, words)?;
    let written = words.slice(&file.text);
    let literal = is_literal(file, words) && !written.contains(['\n', '\r']);
    let addition = insert(file, launch, written)?;
    let apart = addition.place.range.end < removal.place.range.start;
    (literal && apart).then(|| vec![addition, removal])
}

/// From a flag's word to the end of its last value.
fn whole(file: &SourceFile, flag: &LaunchFlag) -> Option<TextRange> {
    let end = flag.values.last().map_or(flag.word.end, |value| value.range.end.max(flag.word.end));
    let range = TextRange::new(flag.word.start, end);
    let side_by_side = flag.values.iter().all(|value| value.range.start >= flag.word.start);
    let one_line = !range.slice(&file.text).contains(['\n', '\r']);
    (is_literal(file, flag.word) && side_by_side && one_line).then_some(range)
}

/// Where flags may be put before the script: in front of its word, or of the `-m` that belongs to it.
fn before(file: &SourceFile, launch: &Launch) -> Option<u32> {
    file.script()?;
    if let Some(module) = &launch.module {
        let lead = between(file, launch.range.start, module.range.start);
        let head = lead.trim_end();
        let mark = ["--module", "-m"].into_iter().find(|mark| head.ends_with(&format!(" {mark}")))?;
        return (!lead[head.len()..].contains('\n')).then(|| launch.range.start + (head.len() - mark.len()) as u32);
    }
    let script = launch.script.as_ref()?;
    let own = launch.flags.iter().all(|flag| !flag.word.touches(script.range));
    let inside = launch.range.contains(script.range) && script.range.start > launch.range.start;
    (own && inside).then_some(script.range.start)
}

/// Whether an option stands in the command itself, not in a variable that is used there.
fn is_literal(file: &SourceFile, option: TextRange) -> bool {
    option.slice(&file.text).starts_with(|c: char| c == '-' || c.is_alphanumeric() || c == '_' || c == '+')
}

/// Whether a shell takes a text for one word without quotes.
fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./:,+@%=".contains(c))
}

/// The mark that a command goes on in the next line: bash, PowerShell, batch.
fn is_continuation(rest: &str) -> bool {
    matches!(rest, "\\" | "`" | "^")
}
