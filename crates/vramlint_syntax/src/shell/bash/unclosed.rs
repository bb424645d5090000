//! The only syntax errors that are certain: a quote or a compound command that stays open to the end of the text.
//!
//! tree-sitter-bash rejects legal scripts now and then, so its word alone is never reported. This reader knows nothing but
//! quotes, here-documents and the words that open and close; where it meets anything it did not expect it falls silent, and what
//! it finds counts only where the parser found an error too.

use super::delimiters::closing;
use crate::{RefusedBy, SyntaxError};
use vramlint_base::{TextRange, message};

/// What is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    If,
    /// `for`, `while`, `until`, `select`, whose `do` has not come.
    Loop,
    Do,
    Case,
    Brace,
    Paren,
}

/// What stays open at the end of the text.
pub(super) fn errors(text: &str) -> Vec<SyntaxError> {
    let mut scan =
        Scan { text, bytes: text.as_bytes(), at: 0, open: Vec::new(), command: true, pattern: false, heredocs: Vec::new() };
    let found = scan.run();
    let (start, message) = match found {
        Err(ErrorKind::Unsure) => return Vec::new(),
        Err(ErrorKind::Quote(at)) => {
            let quote = &text[at..=at];
            (at, message!("unclosed quote {quote}", "引号 {quote} 没有闭合"))
        }
        Ok(()) => {
            let Some((open, at)) = scan.open.last().copied() else { return Vec::new() };
            let length = text[at..].bytes().take_while(u8::is_ascii_alphabetic).count().max(1);
            let word = &text[at..at + length];
            let end = match open {
                Open::If => "fi",
                Open::Loop | Open::Do => "done",
                Open::Case => "esac",
                Open::Brace => "}",
                Open::Paren => ")",
            };
            (at, message!("`{word}` has no matching `{end}`", "`{word}` 没有用 `{end}` 结束"))
        }
    };
    let line = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
    let end = start + text[start..line].trim_end().len();
    vec![SyntaxError { range: TextRange::of(start..end.max(start + 1)), message, refused_by: RefusedBy::All }]
}

enum ErrorKind {
    /// Something that this reader does not follow.
    Unsure,
    /// A quote that is open to the end.
    Quote(usize),
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    open: Vec<(Open, usize)>,
    /// Whether a command may begin here.
    command: bool,
    /// Whether a pattern of `case` is here.
    pattern: bool,
    /// Ends of here-documents that begin on the next line; `-` takes tabs before the end.
    heredocs: Vec<(String, bool)>,
}

impl Scan<'_> {
    fn run(&mut self) -> Result<(), ErrorKind> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.command = true;
                    self.skip_heredocs()?;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'#' => self.skip_line(),
                b';' | b'&' | b'|' => self.separator(byte),
                b'(' => self.paren()?,
                b')' => self.close_paren()?,
                b'<' | b'>' => self.redirection()?,
                _ => self.word()?,
            }
        }
        if self.heredocs.is_empty() { Ok(()) } else { Err(ErrorKind::Unsure) }
    }

    fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.bytes.len(), |length| self.at + length);
    }

    fn separator(&mut self, byte: u8) {
        let double = byte == b';' && self.bytes.get(self.at + 1) == Some(&b';');
        self.at += 1 + usize::from(double);
        self.command = true;
        if double && self.open.last().is_some_and(|(open, _)| *open == Open::Case) {
            self.pattern = true;
            if self.bytes.get(self.at) == Some(&b'&') {
                self.at += 1;
            }
        }
    }

    fn paren(&mut self) -> Result<(), ErrorKind> {
        if self.pattern {
            self.at += 1;
            return Ok(());
        }
        if self.bytes.get(self.at + 1) == Some(&b'(') {
            self.at = closing(self.text, self.at + 1, self.bytes.len(), b')').ok_or(ErrorKind::Unsure)?;
            self.command = true;
            return Ok(());
        }
        self.open.push((Open::Paren, self.at));
        self.at += 1;
        self.command = true;
        Ok(())
    }

    fn close_paren(&mut self) -> Result<(), ErrorKind> {
        self.at += 1;
        if self.pattern {
            self.pattern = false;
            self.command = true;
            return Ok(());
        }
        self.command = true;
        self.close(Open::Paren)
    }

    fn close(&mut self, open: Open) -> Result<(), ErrorKind> {
        match self.open.pop() {
            Some((last, _)) if last == open => Ok(()),
            _ => Err(ErrorKind::Unsure),
        }
    }

    fn redirection(&mut self) -> Result<(), ErrorKind> {
        if self.text[self.at..].starts_with("<<<") {
            self.at += 3;
        } else if self.text[self.at..].starts_with("<<") {
            self.at += 2;
            let dash = self.bytes.get(self.at) == Some(&b'-');
            self.at += usize::from(dash);
            while matches!(self.bytes.get(self.at), Some(b' ' | b'\t')) {
                self.at += 1;
            }
            let start = self.at;
            self.raw_word()?;
            let end: String = self.text[start..self.at].chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
            if end.is_empty() {
                return Err(ErrorKind::Unsure);
            }
            self.heredocs.push((end, dash));
        } else if self.bytes.get(self.at + 1) == Some(&b'(') {
            self.at = closing(self.text, self.at + 2, self.bytes.len(), b')').ok_or(ErrorKind::Unsure)?;
        } else {
            self.at += 1;
            // `>&2`, `<&-`, `>|`
            if matches!(self.bytes.get(self.at), Some(b'&' | b'|' | b'>')) {
                self.at += 1;
            }
        }
        Ok(())
    }

    fn skip_heredocs(&mut self) -> Result<(), ErrorKind> {
        for (end, dash) in std::mem::take(&mut self.heredocs) {
            loop {
                if self.at >= self.bytes.len() {
                    // bash warns, and takes the end of the text for the end of the document.
                    return Err(ErrorKind::Unsure);
                }
                let start = self.at;
                self.skip_line();
                let line = self.text[start..self.at].trim_end_matches('\r');
                let line = if dash { line.trim_start_matches('\t') } else { line };
                self.at = (self.at + 1).min(self.bytes.len());
                if line == end {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Moves after a word, quotes and substitutions in it included.
    fn raw_word(&mut self) -> Result<(), ErrorKind> {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let opened = self.at;
            match byte {
                b'\\' => self.at += if self.text[self.at..].starts_with("\\\r\n") { 3 } else { 2 },
                b'\'' => {
                    let length = self.text[self.at + 1..].find('\'').ok_or(ErrorKind::Quote(opened))?;
                    self.at += length + 2;
                }
                b'"' => self.at = closing(self.text, self.at + 1, self.bytes.len(), b'"').ok_or_else(|| self.quote(opened))?,
                b'`' => self.at = closing(self.text, self.at + 1, self.bytes.len(), b'`').ok_or(ErrorKind::Unsure)?,
                b'$' if self.bytes.get(self.at + 1) == Some(&b'\'') => return Err(ErrorKind::Unsure),
                b'$' => match self.bytes.get(self.at + 1) {
                    Some(b'(') => self.at = closing(self.text, self.at + 2, self.bytes.len(), b')').ok_or(ErrorKind::Unsure)?,
                    Some(b'{') => self.at = closing(self.text, self.at + 2, self.bytes.len(), b'}').ok_or(ErrorKind::Unsure)?,
                    _ => self.at += 1,
                },
                b'(' if self.at > 0 && matches!(self.bytes[self.at - 1], b'=' | b'@' | b'?' | b'!' | b'+' | b'*') => {
                    self.at = closing(self.text, self.at + 1, self.bytes.len(), b')').ok_or(ErrorKind::Unsure)?;
                }
                b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.bytes.len());
        Ok(())
    }

    /// A double quote that stays open: certain only where no substitution is after it.
    fn quote(&self, opened: usize) -> ErrorKind {
        let rest = &self.text[opened + 1..];
        if rest.contains("$(") || rest.contains('`') || rest.contains("${") {
            ErrorKind::Unsure
        } else {
            ErrorKind::Quote(opened)
        }
    }

    fn word(&mut self) -> Result<(), ErrorKind> {
        let start = self.at;
        self.raw_word()?;
        if self.at == start {
            return Err(ErrorKind::Unsure);
        }
        let word = &self.text[start..self.at];
        if self.pattern {
            if word == "esac" {
                self.pattern = false;
                self.close(Open::Case)?;
            }
            return Ok(());
        }
        let began = std::mem::replace(&mut self.command, false);
        if began {
            return self.opening_word(word, start);
        }
        self.later_word(word);
        Ok(())
    }

    /// `in` comes after a word of its own command.
    fn later_word(&mut self, word: &str) {
        if word == "in" && self.open.last().is_some_and(|(open, _)| *open == Open::Case) {
            self.pattern = true;
        }
    }

    fn opening_word(&mut self, word: &str, start: usize) -> Result<(), ErrorKind> {
        let opened = match word {
            "if" => Some(Open::If),
            "while" | "until" | "for" | "select" => Some(Open::Loop),
            "case" => Some(Open::Case),
            "{" => Some(Open::Brace),
            _ => None,
        };
        if let Some(opened) = opened {
            self.open.push((opened, start));
            self.command = !matches!(word, "for" | "select" | "case");
            return Ok(());
        }
        match word {
            "then" | "else" | "elif" => {
                self.command = true;
                if self.open.last().is_some_and(|(open, _)| *open == Open::If) { Ok(()) } else { Err(ErrorKind::Unsure) }
            }
            "do" => {
                self.command = true;
                let (_, at) = self.open.last().copied().filter(|(open, _)| *open == Open::Loop).ok_or(ErrorKind::Unsure)?;
                self.open.pop();
                self.open.push((Open::Do, at));
                Ok(())
            }
            "!" | "time" => {
                self.command = true;
                Ok(())
            }
            "fi" => self.close(Open::If),
            "done" => self.close(Open::Do),
            "esac" => self.close(Open::Case),
            "}" => self.close(Open::Brace),
            // Words of which this reader does not know what they open.
            "[[" => self.skip_test(),
            "function" | "coproc" => {
                self.command = true;
                self.at = self.text[self.at..].find(['{', '(', '\n']).map_or(self.bytes.len(), |length| self.at + length);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `[[ … ]]`, where `(`, `<` and `|` mean something else.
    fn skip_test(&mut self) -> Result<(), ErrorKind> {
        loop {
            while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|'))
            {
                self.at += 1;
            }
            let start = self.at;
            self.raw_word()?;
            match &self.text[start..self.at] {
                "]]" => return Ok(()),
                "" => return Err(ErrorKind::Unsure),
                _ => {}
            }
        }
    }
}
