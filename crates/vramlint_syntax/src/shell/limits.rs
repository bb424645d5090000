//! Runs a tree-sitter parser within bounds.

use std::ops::ControlFlow;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

/// Longest text, in bytes, that is parsed; of a longer one the first lines are read.
const TEXT_LIMIT: usize = 2 * 1024 * 1024;

/// Brackets that may be open at once, marks (`|`, `(`, `$`…) that one line may hold, and here-documents that one text may hold.
/// tree-sitter-bash 0.25.1 takes time in proportion to the square of each: `a | ` written 25,000 times keeps it busy for a minute.
const MARKS: usize = 2_000;

/// Operations of the parser per byte of text. Scripts need less than two, broken ones too.
const OPERATIONS_PER_BYTE: usize = 6;

/// Operations between two calls of the progress callback (tree-sitter 0.27, lib/src/parser.c).
const OPERATIONS_PER_CALL: usize = 100;

/// The part of a text that is read: all of it, or its beginning where it is too large or twisted beyond what anyone writes.
pub(super) fn readable(text: &str) -> &str {
    let mut end = text.len();
    if end > TEXT_LIMIT {
        end = text.as_bytes()[..TEXT_LIMIT].iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
    }
    let (mut open, mut marks, mut documents) = (0_usize, 0_usize, 0_usize);
    let (mut line, mut last) = (0, b' ');
    for (at, byte) in text.as_bytes()[..end].iter().copied().enumerate() {
        match byte {
            // A line goes on after `\`, a backtick, `^`, `|` and `&`.
            b'\n' if !matches!(last, b'\\' | b'`' | b'^' | b'|' | b'&') => {
                line = at + 1;
                marks = 0;
            }
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            b'<' if last == b'<' => documents += 1,
            _ => {}
        }
        marks += usize::from(matches!(byte, b'(' | b')' | b'[' | b'{' | b'}' | b'|' | b'&' | b';' | b'<' | b'>' | b'$' | b'`'));
        if open > MARKS || marks > MARKS || documents > MARKS {
            return text.get(..line).unwrap_or("");
        }
        if !matches!(byte, b' ' | b'\t' | b'\r') {
            last = byte;
        }
    }
    text.get(..end).unwrap_or("")
}

/// Parses; `None` where the grammar does not get through the text in steps that are in proportion to its length.
pub(super) fn parse(language: &Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let bytes = text.as_bytes();
    let mut left = 100 + bytes.len() * OPERATIONS_PER_BYTE / OPERATIONS_PER_CALL;
    let mut count = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or(&[]), None, Some(options))
}

/// Bytes of all scripts inside the words of a script; a 256th of it for each script further in.
pub(super) const NESTED: usize = 1 << 18;

/// Environment entries that all commands of a script may have together: bounds many exports times many commands.
pub(super) const ENVIRONMENT: usize = 200_000;

/// Bytes of text, a hundred for each word and each variable touched, that reading one script may make: bounds long variables used
/// many times. What comes after is not read.
pub(super) const WORK: usize = 40_000_000;

/// Work that a word, or a touched variable, stands for.
pub(super) const WORD: usize = 100;
