//! Places that the parser's tree lacks, from its tokens.

use super::Lowering;
use ruff_python_ast::token::TokenKind;
use ruff_text_size::{Ranged, TextSize};
use vramlint_base::TextRange;

impl Lowering<'_> {
    /// `inner` with the parentheses around it, as far as they lie inside `within`.
    pub(super) fn with_parentheses(&self, inner: TextRange, within: TextRange) -> TextRange {
        let (start, end) = (TextSize::new(inner.start), TextSize::new(inner.end));
        let before = &self.tokens[..self.tokens.partition_point(|token| token.end() <= start)];
        let after = &self.tokens[self.tokens.partition_point(|token| token.start() < end)..];
        let solid = |kind: TokenKind| !matches!(kind, TokenKind::Comment | TokenKind::NonLogicalNewline);
        let left = before.iter().rev().filter(|t| solid(t.kind())).take_while(|t| t.kind() == TokenKind::Lpar);
        let right = after.iter().filter(|t| solid(t.kind())).take_while(|t| t.kind() == TokenKind::Rpar);
        left.zip(right)
            .map(|(left, right)| TextRange::new(left.start().to_u32(), right.end().to_u32()))
            .take_while(|outer| within.contains(*outer))
            .last()
            .unwrap_or(inner)
    }

    /// The end of the first colon after `from` and not after `until`.
    pub(super) fn colon_end(&self, from: u32, until: u32) -> Option<u32> {
        let first = self.tokens.partition_point(|token| token.start().to_u32() < from);
        self.tokens[first..]
            .iter()
            .take_while(|token| token.end().to_u32() <= until)
            .find(|token| token.kind() == TokenKind::Colon)
            .map(|token| token.end().to_u32())
    }
}
