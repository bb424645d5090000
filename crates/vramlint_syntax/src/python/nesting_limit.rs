//! How deep a text nests, measured on its tokens before anything recurses over it.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

/// Open brackets that `CPython` allows (`MAXLEVEL` in `Parser/lexer/state.h`, 3.12: "too many nested parentheses").
pub(super) const MAX_BRACKETS: usize = 200;

/// Operators in a row that we read; real code has a few dozen.
pub(super) const MAX_CHAIN: u32 = 2000;

/// Levels of indentation that we read on a large stack. `CPython` rejects more than 100.
const MAX_INDENT: u32 = 1000;

/// Up to this sum of operators and levels every stack is large enough.
const ORDINARY: u32 = 64;

/// Bytes of stack for the rest; only what is used is ever backed by memory. Debug builds need about 8 KiB a level.
pub(super) const LARGE_STACK: usize = 64 << 20;

/// Upper bounds of the depth of the syntax tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Depth {
    /// Brackets open at once.
    brackets: usize,
    /// Operators, keywords and brackets that may nest in each other within one statement.
    chain: u32,
    /// Levels of indentation.
    indent: u32,
}

impl Depth {
    /// Measures a text. Linear, and no recursion.
    pub(super) fn of(text: &str) -> Self {
        let mut lexer = lexer::lex(text, Mode::Ipython);
        let mut depth = Self::default();
        let mut frames = Frames::default();
        let mut indent = 0u32;
        loop {
            let kind = lexer.next_token();
            match kind {
                TokenKind::EndOfFile => return depth,
                TokenKind::Indent => indent += 1,
                TokenKind::Dedent => indent = indent.saturating_sub(1),
                TokenKind::Newline => frames.restart(),
                _ => frames.take(Step::of(kind)),
            }
            depth.brackets = depth.brackets.max(frames.brackets());
            depth.chain = depth.chain.max(frames.chain());
            depth.indent = depth.indent.max(indent);
        }
    }

    pub(super) fn is_refused(self) -> bool {
        self.brackets > MAX_BRACKETS || self.chain > MAX_CHAIN || self.indent > MAX_INDENT
    }

    pub(super) fn needs_large_stack(self) -> bool {
        self.chain + self.indent > ORDINARY
    }
}

/// What a token does to the depth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Nests the rest of the expression, or what is before it, by one.
    Deeper,
    /// The same, and a comma does not end it (`lambda a, b: …`).
    DeeperForGood,
    /// Opens a bracket.
    Open,
    /// Closes a bracket.
    Close,
    /// Starts a new expression next to the one before.
    Separate,
    /// Neither.
    Nothing,
}

impl Step {
    fn of(kind: TokenKind) -> Self {
        use TokenKind as T;
        match kind {
            T::Lpar | T::Lsqb | T::Lbrace => Self::Open,
            T::Rpar | T::Rsqb | T::Rbrace => Self::Close,
            T::Lambda | T::Yield | T::Async => Self::DeeperForGood,
            // The last two lines are statements, which never appear in an expression: a bracket is missing before them, and the
            // parser starts anew.
            T::Comma
            | T::Equal
            | T::Semi
            | T::Def
            | T::Class
            | T::Import
            | T::Return
            | T::Raise
            | T::Assert
            | T::Del
            | T::Global
            | T::Try
            | T::While => Self::Separate,
            T::Name
            | T::Int
            | T::Float
            | T::Complex
            | T::String
            | T::FStringStart
            | T::FStringMiddle
            | T::FStringEnd
            | T::TStringStart
            | T::TStringMiddle
            | T::TStringEnd
            | T::Comment
            | T::NonLogicalNewline
            | T::IpyEscapeCommand
            | T::True
            | T::False
            | T::None
            | T::Ellipsis
            | T::Colon => Self::Nothing,
            _ => Self::Deeper,
        }
    }
}

/// The brackets that are open, each with the steps taken in it since the last separator.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// `(steps, of which for good)` of the enclosing brackets.
    outer: Vec<(u32, u32)>,
    current: (u32, u32),
    total: u32,
}

impl Frames {
    pub(super) fn take(&mut self, step: Step) {
        match step {
            Step::Deeper => self.add(1, 0),
            Step::DeeperForGood => self.add(1, 1),
            Step::Open => {
                self.add(1, 0);
                self.outer.push(self.current);
                self.current = (0, 0);
            }
            Step::Close => {
                if let Some(outer) = self.outer.pop() {
                    self.total -= self.current.0;
                    self.current = outer;
                }
            }
            Step::Separate => {
                self.total -= self.current.0 - self.current.1;
                self.current.0 = self.current.1;
            }
            Step::Nothing => {}
        }
    }

    fn add(&mut self, steps: u32, for_good: u32) {
        self.current.0 += steps;
        self.current.1 += for_good;
        self.total += steps;
    }

    /// A new statement.
    pub(super) fn restart(&mut self) {
        self.outer.clear();
        self.current = (0, 0);
        self.total = 0;
    }

    pub(super) fn brackets(&self) -> usize {
        self.outer.len()
    }

    pub(super) fn chain(&self) -> u32 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_code_is_not_deep() {
        let rows = "    [1 + 2, a.b(c)],\n".repeat(5000);
        let depth = Depth::of(&format!("x = [\n{rows}]\n"));
        assert!(depth.chain < 10, "{depth:?}");
        assert!(!depth.needs_large_stack());
    }

    #[test]
    fn a_missing_bracket_does_not_make_the_rest_deep() {
        let rest = "a = b.c(d) + 1\n".repeat(5000);
        assert!(!Depth::of(&format!("f(\n{rest}")).is_refused());
    }

    #[test]
    fn lambdas_nest_through_commas() {
        assert!(Depth::of(&"lambda a, b: ".repeat(3000)).is_refused());
        assert!(!Depth::of(&"f(lambda a, b: a),".repeat(3000)).is_refused());
    }

    #[test]
    fn indentation_counts() {
        let lines: Vec<String> = (0..40).map(|level| format!("{}if a:", " ".repeat(level))).collect();
        assert_eq!(Depth::of(&lines.join("\n")).indent, 39);
    }
}
