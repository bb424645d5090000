//! Markdown: code blocks, and the text around fenced ones.

use super::head_commands::starts_program;
use super::language::{is_session, language_of, name_in_comment, name_of};
use super::pieces::Pieces;
use super::prompt::without_prompts;
use super::{Embedded, Language, lines};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;
use vramlint_base::TextRange;

/// Code blocks of Markdown (or of any text that uses them) in the languages that vramlint reads: fenced ones, and those without a
/// language, indented ones included, that start a program. Prompts and output of terminal sessions are left out.
pub fn markdown(text: &str) -> Vec<Embedded> {
    let mut found = Vec::new();
    let mut open: Option<(Pieces<'_>, String)> = None;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                let info = if let CodeBlockKind::Fenced(info) = kind { info.into_string() } else { String::new() };
                open = Some((Pieces::new(text), info));
            }
            Event::Text(piece) => {
                if let Some((pieces, _)) = &mut open {
                    add(pieces, text, &piece, range);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((pieces, info)) = open.take()
                    && let Some(language) = language_of(&info).or_else(|| info.trim().is_empty().then_some(Language::Bash))
                    && let Some(mut block) = pieces.finish(language, name_of(&info))
                    && (!info.trim().is_empty() || shows_commands(&block.text))
                {
                    // Commands are often labelled as Python, after the program that they start.
                    if language == Language::Python && shows_commands(&block.text) {
                        block.language = Language::Bash;
                    }
                    block.name = block.name.or_else(|| name_in_comment(&block.text));
                    found.push(without_prompts(block, is_session(&info)));
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the first line of a block that is no comment is a command that starts a program.
fn shows_commands(text: &str) -> bool {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches("$ "));
    let prepares =
        |line: &str| ["cd ", "export ", "source ", "pip ", "git ", "conda "].iter().any(|start| line.starts_with(start));
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#') && !prepares(line));
    // Variables may have lines of their own: `CUDA_VISIBLE_DEVICES=0 \\`.
    lines.next().is_some_and(|first| {
        let joined: Vec<&str> = [first].into_iter().chain(lines.take(4)).map(|line| line.trim_end_matches('\\')).collect();
        starts_program(first) || first.ends_with('\\') && starts_program(&joined.join(" "))
    })
}

/// The parser gives a piece as it is in the text, or, after a tab that is indentation in part, with blanks in its stead.
fn add(pieces: &mut Pieces<'_>, text: &str, piece: &str, range: Range<usize>) {
    let host = &text[range.clone()];
    if let Some(blanks) = piece.strip_suffix(host) {
        pieces.add(range.start, blanks);
        pieces.copy(range);
    } else {
        // `\r\n` given as `\n`: the place of the line break is that of its last byte.
        let same = host.len() - host.trim_end_matches(['\r', '\n']).len();
        match piece.strip_suffix('\n') {
            Some(line) if line == &host[..host.len() - same] => {
                pieces.copy(range.start..range.end - same);
                pieces.copy(range.end - 1..range.end);
            }
            _ => pieces.add(range.start, piece),
        }
    }
}

/// Ranges of the lines outside fenced blocks, line breaks included; neighbouring lines are one range.
pub fn prose(text: &str) -> Vec<TextRange> {
    let fenced: Vec<Range<usize>> = Parser::new_ext(text, Options::empty())
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))))
        .map(|(_, range)| range)
        .collect();
    let mut blocks = fenced.iter().peekable();
    let mut found: Vec<TextRange> = Vec::new();
    for (at, line) in lines(text) {
        while blocks.peek().is_some_and(|block| block.end <= at) {
            blocks.next();
        }
        if blocks.peek().is_some_and(|block| block.start < at + line.len()) {
            continue;
        }
        let range = TextRange::of(at..at + line.len());
        match found.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => found.push(range),
        }
    }
    found
}
