//! Runs a tree-sitter parser within bounds.

use std::ops::ControlFlow;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree};

/// Longest text, in bytes, that is parsed; of a longer one the first lines are read.
const TEXT_LIMIT: usize = 2 * 1024 * 1024;

/// Calls of the progress callback that a text may take beyond those for its length. tree-sitter calls it every 100 operations of
/// the parser (lib/src/parser.c, `OP_COUNT_PER_PARSER_CALLBACK_CHECK`, 0.27).
const CALLS: usize = 2_000;

/// The part of a text that is read: all of it, or its first lines.
pub(super) fn readable(text: &str) -> &str {
    if text.len() <= TEXT_LIMIT {
        return text;
    }
    let bytes = &text.as_bytes()[..TEXT_LIMIT];
    let end = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |newline| newline + 1);
    text.get(..end).unwrap_or("")
}

/// Parses; `None` where the grammar does not get through the text in steps that are in proportion to its length.
pub(super) fn parse(language: &Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    let bytes = text.as_bytes();
    let mut left = CALLS + bytes.len() / 8;
    let mut count = |_: &ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or(&[]), None, Some(options))
}

/// Environment entries that all commands of a script may have together: bounds many exports times many commands.
pub(super) const ENVIRONMENT: usize = 1_000_000;
