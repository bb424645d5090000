//! From the parser's tree to ours.

mod comments;
mod expressions;
mod literals;
mod statements;
mod token_ranges;

use super::{Module, errors};
use crate::SyntaxError;
use ruff_python_ast::Mod;
use ruff_python_ast::token::Token;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use std::panic::catch_unwind;
use vramlint_base::TextRange;

/// Parses and lowers a text whose depth has been measured.
///
/// The notebook dialect is parsed, since it differs from Python only where Python has an error: a `!pip install` is then one
/// statement, whatever quotes and brackets are in it, and we report it. `ruff_python_parser` 0.0.10 panics where a value of several lines
/// begins with another mark of the dialect (`x = \r/ y`): such a text is read as Python.
pub(super) fn module(text: &str) -> Module {
    let parse = |mode| parse_unchecked(text, ParseOptions::from(mode));
    let parsed = catch_unwind(|| parse(Mode::Ipython)).unwrap_or_else(|_| parse(Mode::Module));
    let mut lowering = Lowering {
        text,
        tokens: parsed.tokens(),
        broken: !parsed.errors().is_empty(),
        blocks: 0,
        expressions: 0,
        errors: Vec::new(),
    };
    let body = match parsed.syntax() {
        Mod::Module(module) => lowering.block(&module.body),
        Mod::Expression(_) => Vec::new(),
    };
    let errors = errors::convert(text, parsed.errors(), lowering.errors);
    Module { body, comments: comments::collect(text, parsed.tokens()), errors }
}

/// The parser's range as ours.
pub(super) fn range(range: ruff_text_size::TextRange) -> TextRange {
    TextRange::new(range.start().to_u32(), range.end().to_u32())
}

struct Lowering<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// Whether there is a syntax error: the placeholder of a missing expression may then lie outside of its parent.
    broken: bool,
    /// Enclosing blocks.
    blocks: u32,
    /// Enclosing expressions.
    expressions: u32,
    /// What is not Python though the dialect allows it, and blocks that nest too deeply.
    errors: Vec<SyntaxError>,
}
