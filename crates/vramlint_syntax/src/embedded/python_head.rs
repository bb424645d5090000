//! Commands that the head of a Python file shows: in the docstring of the module, or in the comments before its code.

use super::pieces::Pieces;
use super::{Embedded, Language, body, continues, lines};

/// The lines that are read at most: a licence may stand first.
const LINES: usize = 200;

/// The commands that start a program, each with the lines that it goes on to.
pub fn python_head(text: &str) -> Vec<Embedded> {
    let mut pieces = Pieces::new(text);
    let mut quote: Option<&str> = None;
    let mut goes_on = false;
    for (at, line) in lines(text).take(LINES) {
        let trimmed = line.trim_start();
        let mut content = trimmed;
        match quote {
            Some(mark) => {
                if let Some(end) = content.find(mark) {
                    content = &content[..end];
                    quote = None;
                }
            }
            None if trimmed.trim().is_empty() => continue,
            None if trimmed.starts_with('#') => content = trimmed.trim_start_matches('#').trim_start(),
            None => {
                let opened = trimmed.trim_start_matches(['r', 'R', 'u', 'U']);
                let Some(mark) = ["\"\"\"", "'''"].into_iter().find(|mark| opened.starts_with(mark)) else { break };
                content = &opened[3..];
                match content.find(mark) {
                    Some(end) => content = &content[..end],
                    None => quote = Some(mark),
                }
            }
        }
        let content = content.strip_prefix("$ ").unwrap_or(content);
        let start = at + (content.as_ptr() as usize - line.as_ptr() as usize);
        if goes_on || starts_program(content) {
            let command = body(content).len();
            pieces.copy(start..start + command);
            pieces.add(start + command, "\n");
            goes_on = continues(content);
        }
    }
    pieces.finish(Language::Bash, None).into_iter().collect()
}

/// Whether a line begins as a command that starts a training, after variables: `CUDA_VISIBLE_DEVICES=0 torchrun …`.
pub(super) fn starts_program(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| {
        word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        })
    });
    let (Some(program), Some(next)) = (words.next(), words.next()) else { return false };
    match program {
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
