//! One script of several files: what `source` reads stands where it is read, and what a caller passes stands before the first line.

use super::script_calls::{ScriptCall, sourced_script};
use crate::SourceFile;
use crate::path_resolver::PathResolver;
use crate::source_set::SourceSet;
use std::fmt::Write;
use vramlint_base::{FileRange, TextRange};
use vramlint_syntax::shell::{Assignment, Assumption, Command, Word, parse_bash};

/// Files that source files that source files.
const DEPTH: usize = 4;
/// Longest text in bytes; what would make it longer is left out.
const LENGTH: usize = 1 << 20;

/// The text of a script together with what it sources and what its caller passes.
pub(super) struct JoinedScript<'a> {
    file: &'a SourceFile,
    text: String,
    /// In the order of the text.
    parts: Vec<Part>,
}

/// Where a part of the text stands in a file.
struct Part {
    start: u32,
    end: u32,
    place: FileRange,
    /// Whether the bytes are those of the file. Otherwise the whole part stands for the whole place.
    verbatim: bool,
}

impl<'a> JoinedScript<'a> {
    /// The script of a file as `call` runs it, or as it runs without arguments.
    pub(super) fn new(file: &'a SourceFile, sources: &SourceSet, paths: &PathResolver, call: Option<&ScriptCall>) -> Self {
        let mut joined = Self { file, text: String::new(), parts: Vec::new() };
        if let Some(call) = call {
            joined.pass_on(call);
        }
        joined.read(file, sources, paths, &mut Vec::new());
        if let Some(call) = call {
            joined.push("\n#SBATCH");
            for option in &call.scheduler_options {
                joined.push(" ");
                joined.stand_for(option.text().unwrap_or_default(), call.place(option));
            }
            joined.push("\n");
        }
        joined
    }

    /// The commands that stand in the file itself, with their places there.
    pub(super) fn commands(&self) -> Vec<Command> {
        parse_bash(&self.text).commands.iter().filter_map(|command| self.own_command(command)).collect()
    }

    /// `export NAME='value'` and `set -- 'argument' …`.
    fn pass_on(&mut self, call: &ScriptCall) {
        for variable in &call.environment {
            let _ = write!(self.text, "export {}=", variable.name);
            let place = variable.value.origin.unwrap_or(FileRange::new(call.file, variable.range));
            self.stand_for(&quoted(&variable.value), place);
            self.push("\n");
        }
        self.push("set --");
        for argument in &call.arguments {
            self.push(" ");
            self.stand_for(&quoted(argument), call.place(argument));
        }
        self.push("\n");
    }

    /// The text of a file, with what it sources in place of the commands that source it.
    fn read(&mut self, file: &SourceFile, sources: &SourceSet, paths: &PathResolver, open: &mut Vec<vramlint_base::FileId>) {
        open.push(file.id);
        let mut at = 0;
        for command in file.script().map_or(&[][..], |script| &script.commands) {
            let (start, end) = (command.range.start as usize, command.range.end as usize);
            let Some(other) = sourced_script(command, file, sources, paths) else { continue };
            let fits = open.len() < DEPTH && self.text.len() + file.text.len() + other.text.len() < LENGTH;
            if start < at || !fits || open.contains(&other.id) || returns(&other.text) {
                continue;
            }
            self.copy(file, at, start);
            self.push("{\n");
            self.read(other, sources, paths, open);
            self.push("\n}");
            at = end;
        }
        self.copy(file, at, file.text.len());
        open.pop();
    }

    fn copy(&mut self, file: &SourceFile, start: usize, end: usize) {
        if let Some(text) = file.text.get(start..end) {
            self.add_part(text, FileRange::new(file.id, TextRange::of(start..end)), true);
        }
    }

    fn stand_for(&mut self, text: &str, place: FileRange) {
        self.add_part(text, place, false);
    }

    fn add_part(&mut self, text: &str, place: FileRange, verbatim: bool) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        self.parts.push(Part { start, end: self.text.len() as u32, place, verbatim });
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The place of a range of the text in its file.
    fn place(&self, range: TextRange) -> Option<FileRange> {
        let part = &self.parts[self.parts.partition_point(|part| part.start <= range.start).checked_sub(1)?];
        if range.start > part.end {
            return None;
        }
        if !part.verbatim {
            return Some(part.place);
        }
        let from = part.place.range.start + (range.start - part.start);
        let to = part.place.range.start + (range.end.min(part.end) - part.start);
        Some(FileRange::new(part.place.file, TextRange::new(from, to)))
    }

    fn own_place(&self, range: TextRange) -> Option<TextRange> {
        self.place(range).filter(|place| place.file == self.file.id).map(|place| place.range)
    }

    fn own_command(&self, command: &Command) -> Option<Command> {
        let range = self.own_place(command.range)?;
        let assignment = |made: &Assignment| {
            let value = self.own_word(&made.value, range);
            // An assignment of another file has the place of the command that sees it.
            let origin = if self.own_place(made.range).is_some() { value.origin } else { self.place(made.range) };
            Assignment {
                range: self.own_place(made.range).unwrap_or(range),
                name_range: self.own_place(made.name_range).unwrap_or(range),
                value: Word { origin, ..value },
                ..made.clone()
            }
        };
        Some(Command {
            range,
            words: command.words.iter().map(|word| self.own_word(word, range)).collect(),
            environment: command.environment.iter().map(assignment).collect(),
            ..command.clone()
        })
    }

    /// A word with its places in the file; `around` where it has none.
    fn own_word(&self, word: &Word, around: TextRange) -> Word {
        let range = self.own_place(word.range).unwrap_or(around);
        let place_of = |source: &TextRange| self.own_place(*source);
        let mut own: Vec<TextRange> = word.sources.iter().filter_map(place_of).collect();
        let origin = word.sources.last().and_then(|last| self.place(*last)).filter(|place| place.file != self.file.id);
        if own.is_empty() && !word.sources.is_empty() {
            own.push(range);
        }
        let assumption = |made: &Assumption| Assumption { range: self.own_place(made.range).unwrap_or(range), ..made.clone() };
        Word { range, sources: own, assumptions: word.assumptions.iter().map(assumption).collect(), origin, ..word.clone() }
    }
}

/// A word as the shell reads it back.
fn quoted(word: &Word) -> String {
    word.text().map_or_else(|| "\"$(:)\"".to_owned(), |text| format!("'{}'", text.replace('\'', "'\\''")))
}

/// Whether a sourced script may end before its last line: that would end the script around it in the joined text.
fn returns(text: &str) -> bool {
    text.lines().any(|line| line.split([' ', ';', '&', '|']).any(|word| word == "return")) && !text.contains("()")
}
