//! Dockerfiles: what they run, as one script.

use super::docker_lines::{Instruction, instructions};
use super::pieces::Pieces;
use super::{Embedded, Language, body};
use crate::data::{NodeRef, Style};
use crate::json;
use std::ops::Range;
use vramlint_base::TextRange;

/// Shell commands of a Dockerfile, as one script: `RUN`; `ENV` as exports; `CMD` and `ENTRYPOINT` at the end of their stage, in
/// one command where Docker would start them as one.
pub fn dockerfile(text: &str) -> Vec<Embedded> {
    let mut pieces = Pieces::new(text);
    let mut stage = Stage::default();
    for instruction in instructions(text) {
        match instruction.keyword.as_str() {
            "FROM" => std::mem::take(&mut stage).write(text, &mut pieces),
            "RUN" => run(text, &instruction, &mut pieces),
            "ENV" => env(text, &instruction, &mut pieces),
            "CMD" => stage.command = Some(Start::read(text, &instruction)),
            "ENTRYPOINT" => stage.entrypoint = Some(Start::read(text, &instruction)),
            _ => {}
        }
    }
    stage.write(text, &mut pieces);
    pieces.finish(Language::Bash, None).into_iter().collect()
}

/// What a stage starts; only the last of each counts.
#[derive(Default)]
struct Stage {
    entrypoint: Option<Start>,
    command: Option<Start>,
}

/// A `CMD` or `ENTRYPOINT`.
enum Start {
    /// A command line.
    Shell(Vec<Range<usize>>),
    /// A JSON list: each word's text, with the place of its inside.
    Words(Vec<(String, Range<usize>)>),
}

impl Start {
    fn read(text: &str, instruction: &Instruction) -> Self {
        exec_form(text, &instruction.parts).map_or_else(|| Self::Shell(instruction.parts.clone()), Self::Words)
    }

    fn place(&self) -> usize {
        match self {
            Self::Shell(parts) => parts.first().map_or(0, |part| part.start),
            Self::Words(words) => words.first().map_or(0, |(_, range)| range.start),
        }
    }

    fn write(&self, text: &str, pieces: &mut Pieces<'_>) {
        match self {
            Self::Shell(parts) => lines(text, parts, pieces),
            Self::Words(words) => {
                for (i, (word, range)) in words.iter().enumerate() {
                    pieces.add(range.start, if i > 0 { " " } else { "" });
                    write_word(text, word, range.clone(), pieces);
                }
            }
        }
    }

    /// Whether it is a script or an init program that starts the words after it.
    fn wraps(&self) -> bool {
        let Self::Words(words) = self else { return false };
        let program = words.first().map_or("", |(word, _)| word.rsplit('/').next().unwrap_or(""));
        let script = words
            .iter()
            .any(|(word, _)| word.rsplit_once('.').is_some_and(|(_, end)| end == "sh") || word.contains("entrypoint"));
        script || matches!(program, "tini" | "dumb-init" | "nvidia_entrypoint" | "env")
    }
}

impl Stage {
    fn write(self, text: &str, pieces: &mut Pieces<'_>) {
        let (entrypoint, command) = (self.entrypoint, self.command);
        let end = |pieces: &mut Pieces<'_>| pieces.end_line(text.len());
        match (entrypoint, command) {
            (Some(entrypoint @ Start::Words(_)), Some(command @ Start::Words(_))) if !entrypoint.wraps() => {
                entrypoint.write(text, pieces);
                pieces.add(command.place(), " ");
                command.write(text, pieces);
            }
            // A shell form of ENTRYPOINT never sees CMD.
            (Some(entrypoint @ Start::Shell(_)), _) => entrypoint.write(text, pieces),
            (entrypoint, command) => {
                for start in entrypoint.into_iter().chain(command) {
                    start.write(text, pieces);
                    end(pieces);
                }
            }
        }
        end(pieces);
    }
}

/// `RUN`, without its own flags. With a here-document alone, that is the script.
fn run(text: &str, instruction: &Instruction, pieces: &mut Pieces<'_>) {
    let mut parts = without_flags(text, &instruction.parts);
    if let Some(words) = exec_form(text, &parts) {
        Start::Words(words).write(text, pieces);
        pieces.end_line(instruction.at);
        return;
    }
    let command: String = parts.iter().map(|part| &text[part.clone()]).collect();
    if super::only_changes_shell(&command) {
        return;
    }
    if let [only] = &parts[..]
        && !instruction.document.is_empty()
        && text[only.clone()].trim_start().starts_with("<<")
    {
        lines(text, &instruction.document, pieces);
        return;
    }
    parts.extend(instruction.document.iter().chain(&instruction.document_end).cloned());
    lines(text, &parts, pieces);
}

/// The parts after `--mount=…` and other flags of `RUN`.
fn without_flags(text: &str, parts: &[Range<usize>]) -> Vec<Range<usize>> {
    for (i, part) in parts.iter().enumerate() {
        let mut rest = text[part.clone()].trim_start();
        while rest.starts_with("--") {
            rest = rest.find([' ', '\t', '\r', '\n']).map_or("", |end| rest[end..].trim_start());
        }
        if !matches!(rest.trim_end(), "" | "\\") {
            let own = part.end - rest.len()..part.end;
            return std::iter::once(own).chain(parts[i + 1..].iter().cloned()).collect();
        }
    }
    Vec::new()
}

fn lines(text: &str, parts: &[Range<usize>], pieces: &mut Pieces<'_>) {
    for part in parts {
        let line = &text[part.clone()];
        let end = body(line);
        if end.ends_with([' ', '\t']) && end.trim_end().ends_with('\\') {
            // Blanks after the backslash: Docker goes on all the same, bash would not.
            pieces.copy(part.start..part.start + end.trim_end().len());
            pieces.copy(part.start + end.len()..part.end);
        } else {
            pieces.copy(part.clone());
        }
    }
    pieces.end_line(parts.last().map_or(0, |part| part.end));
}

/// `ENV A=1 B="2 3"` and the old `ENV A text up to the end`.
fn env(text: &str, instruction: &Instruction, pieces: &mut Pieces<'_>) {
    let Some(first) = instruction.parts.first() else { return };
    let line = body(&text[first.clone()]);
    let name = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(line.len());
    if name == 0 {
        return;
    }
    pieces.add(instruction.at, "export ");
    if line[name..].starts_with('=') {
        lines(text, &instruction.parts, pieces);
        return;
    }
    let value = line[name..].trim();
    if value.contains(['"', '\\', '`', '\'']) || instruction.parts.len() > 1 {
        // Docker's quoting and bash's differ here: the name is set, to something unknown.
        pieces.copy(first.start..first.start + name);
        pieces.add(first.start, "=\"${_}\"");
    } else {
        let start = first.start + line.trim_end().len() - value.len();
        pieces.copy(first.start..first.start + name);
        pieces.add(first.start, "=\"");
        pieces.copy(start..start + value.len());
        pieces.add(first.start, "\"");
    }
    pieces.end_line(instruction.at);
}

/// The words of `["a", "b"]`, with the places of their insides.
fn exec_form(text: &str, parts: &[Range<usize>]) -> Option<Vec<(String, Range<usize>)>> {
    let (start, end) = (parts.first()?.start, parts.last()?.end);
    if !text[start..end].trim_start().starts_with('[') {
        return None;
    }
    // Lines and comments between the parts, and backslashes at the ends of lines, become blanks: places stay.
    let mut list = vec![b' '; end - start];
    for part in parts {
        let line = text[part.clone()].trim_end();
        let line = if parts.len() > 1 { line.strip_suffix('\\').unwrap_or(line) } else { line };
        list[part.start - start..part.start - start + line.len()].copy_from_slice(line.as_bytes());
    }
    let file = json::parse(std::str::from_utf8(&list).ok()?);
    let root = file.root().filter(|_| file.errors.is_empty())?;
    let word = |item: NodeRef<'_>| {
        let scalar = item.scalar().filter(|scalar| scalar.style == Style::Double)?;
        let TextRange { start: from, end: to } = item.range();
        Some((scalar.text.clone(), start + from as usize + 1..start + to as usize - 1))
    };
    let words: Option<Vec<_>> = root.items().map(word).collect();
    words.filter(|words| !words.is_empty())
}

/// A word of an exec form: no shell reads it, so that it is quoted unless it is plain.
fn write_word(text: &str, word: &str, range: Range<usize>, pieces: &mut Pieces<'_>) {
    let plain = word.chars().all(|c| c.is_alphanumeric() || "_./:@%+,=-".contains(c));
    let written = &text[range.clone()] == word;
    if plain && written && !word.is_empty() {
        pieces.copy(range);
    } else if written && !word.contains('\'') {
        pieces.add(range.start, "'");
        pieces.copy(range.clone());
        pieces.add(range.start, "'");
    } else {
        pieces.add(range.start, &format!("'{}'", word.replace('\'', "'\\''")));
    }
}
