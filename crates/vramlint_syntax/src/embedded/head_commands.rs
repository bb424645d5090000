//! Commands that the head of a file shows: in the docstring of a Python module, or in the comments before its code or keys.

use super::pieces::Pieces;
use super::{Embedded, Language, body, continues, lines};

/// The lines that are read at most: a licence may stand first.
const LINES: usize = 200;

/// The commands in the docstring and the first comments of a Python file that start a program.
pub fn python_head(text: &str) -> Option<Embedded> {
    let mut quote: Option<&str> = None;
    shown_commands(text, |line| {
        if let Some(mark) = quote {
            let end = line.find(mark);
            quote = quote.filter(|_| end.is_none());
            return Some(&line[..end.unwrap_or(line.len())]);
        }
        if let Some(comment) = line.strip_prefix('#') {
            return Some(comment);
        }
        let opened = line.trim_start_matches(['r', 'R', 'u', 'U']);
        let mark = ["\"\"\"", "'''"].into_iter().find(|mark| opened.starts_with(mark))?;
        let content = &opened[3..];
        let end = content.find(mark);
        quote = Some(mark).filter(|_| end.is_none());
        Some(&content[..end.unwrap_or(content.len())])
    })
}

/// The commands in the first comments of a YAML file that start a program.
pub fn yaml_head(text: &str) -> Option<Embedded> {
    shown_commands(text, |line| line.strip_prefix('#'))
}

/// The commands that start a program, each with the lines that it goes on to. `content_of` takes a line without its indentation and
/// gives the words that it shows; `None` ends the head.
fn shown_commands<'a>(text: &'a str, mut content_of: impl FnMut(&'a str) -> Option<&'a str>) -> Option<Embedded> {
    let mut pieces = Pieces::new(text);
    let mut goes_on = false;
    for (at, line) in lines(text).take(LINES) {
        if line.trim().is_empty() {
            continue;
        }
        let Some(content) = content_of(line.trim_start()) else { break };
        let content = content.trim_start_matches('#').trim_start();
        let content = content.strip_prefix("$ ").unwrap_or(content);
        let start = at + (content.as_ptr() as usize - line.as_ptr() as usize);
        if goes_on || starts_program(content) {
            // A docstring writes a backslash as two.
            let is_escaped = body(content).ends_with("\\\\");
            let command = body(content).len() - usize::from(is_escaped);
            pieces.copy(start..start + command);
            pieces.add(start + command, "\n");
            goes_on = is_escaped || continues(content);
        }
    }
    let commands = pieces.finish(Language::Bash, None)?;
    Some(Embedded { is_shown: true, ..commands })
}

/// Whether a line begins as a command that starts a training, after variables: `CUDA_VISIBLE_DEVICES=0 torchrun …`.
pub(super) fn starts_program(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        })
    });
    let (Some(program), Some(next)) = (words.next(), words.next()) else { return false };
    match program.rsplit('/').next().unwrap_or(program) {
        "torchrun" | "deepspeed" => next.starts_with('-') || next.ends_with(".py"),
        "python" | "python3" => next == "-m" || next.ends_with(".py") || next == "-u",
        "accelerate" => next == "launch",
        "tune" | "uv" => next == "run",
        "llamafactory-cli" | "axolotl" => next == "train",
        "swift" | "trl" | "litgpt" => {
            next.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-')
                && words.next().is_some_and(|word| word.starts_with('-') || word.contains('/') || word == "\\")
        }
        _ => false,
    }
}
