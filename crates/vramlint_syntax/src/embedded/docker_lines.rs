//! The instructions of a Dockerfile: continuation lines, comments between them, here-documents.

use super::{body, continues, lines};
use std::ops::Range;

/// An instruction.
pub(super) struct Instruction {
    /// The keyword, in capitals.
    pub(super) keyword: String,
    /// Where the keyword is.
    pub(super) at: usize,
    /// What follows the keyword, line by line with line breaks, without comments.
    pub(super) parts: Vec<Range<usize>>,
    /// The lines of its here-document.
    pub(super) document: Vec<Range<usize>>,
    /// The line that ends the here-document.
    pub(super) document_end: Option<Range<usize>>,
}

/// The instructions of `text` in order.
pub(super) fn instructions(text: &str) -> Vec<Instruction> {
    let mut found = Vec::new();
    let mut all = lines(text);
    while let Some((at, line)) = all.next() {
        let start = line.len() - line.trim_start().len();
        let trimmed = body(&line[start..]);
        let length = trimmed.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(trimmed.len());
        if length == 0 {
            continue;
        }
        let keyword = trimmed[..length].to_ascii_uppercase();
        let blanks = trimmed[length..].len() - trimmed[length..].trim_start().len();
        let own = at + start + length + blanks..at + line.len();
        let mut parts = Vec::from([own]);
        let mut open = continues(line.trim_end_matches([' ', '\t', '\r', '\n']));
        while open {
            let Some((at, line)) = all.next() else { break };
            // Docker drops comments and empty lines between the lines of an instruction.
            if line.trim_start().starts_with('#') || line.trim().is_empty() {
                continue;
            }
            parts.push(at..at + line.len());
            open = continues(line.trim_end());
        }
        let (mut document, mut document_end) = (Vec::new(), None);
        if let Some(mark) = matches!(keyword.as_str(), "RUN" | "COPY" | "ADD").then(|| here_mark(text, &parts)).flatten() {
            for (at, line) in all.by_ref() {
                if line.trim() == mark {
                    document_end = Some(at..at + line.len());
                    break;
                }
                document.push(at..at + line.len());
            }
        }
        found.push(Instruction { keyword, at: at + start, parts, document, document_end });
    }
    found
}

/// The end mark of the here-document that an instruction opens: `<<EOF`, `<<-"EOF"`.
fn here_mark<'a>(text: &'a str, parts: &[Range<usize>]) -> Option<&'a str> {
    parts.iter().find_map(|part| {
        let line = &text[part.clone()];
        let (_, behind) = line.split_once("<<")?;
        let mark = behind.strip_prefix('-').unwrap_or(behind).trim_start_matches(['"', '\'']);
        let length = mark.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(mark.len());
        let named = mark.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        named.then_some(&mark[..length])
    })
}
