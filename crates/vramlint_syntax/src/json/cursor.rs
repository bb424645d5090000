//! The place in the text: blanks, comments, errors.

use super::reader::{Mode, Reader};
use crate::{Comment, RefusedBy, SyntaxError};
use vramlint_base::{Message, TextRange, message};

impl<'a> Reader<'a> {
    /// The byte at the cursor.
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The text from the cursor on.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The character at the cursor, as a range; empty only at the end of the text.
    pub(super) fn here(&self) -> TextRange {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        TextRange::of(self.at..self.at + length)
    }

    /// Records what strict JSON rejects and Hjson accepts.
    pub(super) fn strict(&mut self, range: TextRange, message: Message) {
        self.errors.push(SyntaxError { range, message, refused_by: RefusedBy::StrictJson });
    }

    /// Records what no reader accepts. Hjson stops here; the tolerant reading goes on and keeps one such error per line, since
    /// what follows on the same line is mostly a consequence.
    pub(super) fn refuse(&mut self, range: TextRange, message: Message) {
        if self.halted {
            return;
        }
        let start = range.start as usize;
        let again = self.last_refusal.is_some_and(|last| {
            let (from, to) = (last.min(start), last.max(start));
            self.mode == Mode::Tolerant && !self.text.as_bytes()[from..to].contains(&b'\n')
        });
        if !again {
            self.errors.push(SyntaxError { range, message, refused_by: RefusedBy::All });
        }
        self.last_refusal = Some(start);
        if self.mode == Mode::Hjson {
            self.halt();
        }
    }

    /// Moves the cursor, unless reading has ended.
    pub(super) fn go(&mut self, at: usize) {
        if !self.halted {
            self.at = at;
        }
    }

    /// Ends the reading.
    pub(super) fn halt(&mut self) {
        self.halted = true;
        self.at = self.text.len();
    }

    /// Passes blanks and comments.
    pub(super) fn blanks(&mut self) {
        while !self.halted {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = self.rest();
            if rest.starts_with('#') || rest.starts_with("//") {
                let length = rest.find(['\r', '\n']).unwrap_or(rest.len());
                let mark = if rest.starts_with('#') { 1 } else { 2 };
                self.comment(length, mark, 0);
            } else if rest.starts_with("/*") {
                self.block_comment();
            } else if self.mode == Mode::Tolerant && rest.starts_with(is_invisible) {
                self.invisible();
            } else {
                break;
            }
        }
    }

    fn block_comment(&mut self) {
        if let Some(end) = self.rest()[2..].find("*/") {
            self.comment(end + 4, 2, 2);
            return;
        }
        let range = TextRange::of(self.at..self.at + 2);
        self.hard = true;
        self.refuse(range, message!("this comment is never closed: `*/` is missing", "注释没有结束：缺少 `*/`"));
        self.at = self.text.len();
    }

    fn comment(&mut self, length: usize, open: usize, close: usize) {
        let range = TextRange::of(self.at..self.at + length);
        let before = self.text[..self.at].trim_end_matches([' ', '\t']);
        let trailing = !(before.is_empty() || before.ends_with(['\n', '\r', '\u{feff}']));
        let text = self.text[self.at + open..self.at + length - close].trim().to_owned();
        self.comments.push(Comment { range, text, trailing });
        self.at += length;
        self.strict(range, message!("JSON has no comments", "JSON 不支持注释"));
    }

    fn invisible(&mut self) {
        let Some(found) = self.rest().chars().next() else { return };
        let range = self.here();
        let code = u32::from(found);
        self.refuse(
            range,
            message!("invisible character U+{code:04X}; replace it with a space", "不可见字符 U+{code:04X}；请改为空格"),
        );
        self.go(self.at + found.len_utf8());
    }
}

/// Characters that look like a blank and are none to JSON.
pub(super) fn is_invisible(found: char) -> bool {
    matches!(found, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}') || found.is_whitespace() && !" \t\r\n".contains(found)
}
