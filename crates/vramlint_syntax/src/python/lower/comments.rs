//! Comments from the tokens.

use super::range;
use crate::Comment;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_text_size::Ranged;

/// Comments in order.
pub(super) fn collect(text: &str, tokens: &[Token]) -> Vec<Comment> {
    tokens.iter().filter(|token| token.kind() == TokenKind::Comment).map(|token| comment(text, token)).collect()
}

fn comment(text: &str, token: &Token) -> Comment {
    let range = range(token.range());
    let start = range.start as usize;
    let line = text[..start].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let before = text[line..start].trim_start_matches('\u{feff}');
    Comment {
        range,
        text: range.slice(text).trim_start_matches('#').trim().to_owned(),
        trailing: !before.trim_matches([' ', '\t', '\u{c}']).is_empty(),
    }
}
