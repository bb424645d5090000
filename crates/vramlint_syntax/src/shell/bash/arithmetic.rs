//! `$(( … ))` with known operands.

use std::ops::Range;

/// Deepest nesting of parentheses that is read.
const DEPTH: usize = 32;

/// Computes an arithmetic text as bash does, in 64 bits; `None` where it is not plain arithmetic, or `variable` does not know the
/// operand (`A`, `$A`, `${A:-4}`) at a place of the text.
pub(super) fn evaluate(text: &str, variable: &mut dyn FnMut(Range<usize>) -> Option<String>) -> Option<i64> {
    let mut reader = Reader { text, at: 0, variable };
    let value = reader.sum(0)?;
    reader.blanks();
    (reader.at == text.len()).then_some(value)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    variable: &'a mut dyn FnMut(Range<usize>) -> Option<String>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: char) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token) && !self.rest()[1..].starts_with(['=', token]);
        self.at += usize::from(found);
        found
    }

    fn sum(&mut self, depth: usize) -> Option<i64> {
        let mut value = self.product(depth)?;
        loop {
            if self.take('+') {
                value = value.checked_add(self.product(depth)?)?;
            } else if self.take('-') {
                value = value.checked_sub(self.product(depth)?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self, depth: usize) -> Option<i64> {
        let mut value = self.operand(depth)?;
        loop {
            if self.take('*') {
                value = value.checked_mul(self.operand(depth)?)?;
            } else if self.take('/') {
                value = value.checked_div(self.operand(depth)?)?;
            } else if self.take('%') {
                value = value.checked_rem(self.operand(depth)?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn operand(&mut self, depth: usize) -> Option<i64> {
        if depth > DEPTH {
            return None;
        }
        self.blanks();
        if self.rest().starts_with('(') {
            self.at += 1;
            let value = self.sum(depth + 1)?;
            return self.take_close().then_some(value);
        }
        if self.take('-') {
            return self.operand(depth + 1)?.checked_neg();
        }
        if self.rest().starts_with('$') {
            return self.expansion();
        }
        let length = self.rest().bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let range = self.at..self.at + length;
        self.at += length;
        let word = self.text.get(range.clone())?;
        if word.starts_with(|c: char| c.is_ascii_digit()) { number(word) } else { number((self.variable)(range)?.trim()) }
    }

    fn take_close(&mut self) -> bool {
        self.blanks();
        let found = self.rest().starts_with(')');
        self.at += usize::from(found);
        found
    }

    /// `$A`, `${A}`, `${A:-4}`: handed to the caller whole.
    fn expansion(&mut self) -> Option<i64> {
        let rest = self.rest();
        let length = if rest.starts_with("${") {
            rest.find('}')? + 1
        } else {
            1 + rest[1..].bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count()
        };
        let range = self.at..self.at + length;
        self.at += length;
        number((self.variable)(range)?.trim())
    }
}

/// A decimal number; octal and other bases are left unknown, as they are not intended here.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain =
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && (digits.len() == 1 || !digits.starts_with('0'));
    plain.then(|| text.parse().ok()).flatten()
}
