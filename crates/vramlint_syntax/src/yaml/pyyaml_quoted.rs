//! Quoted scalars as PyYAML reads them.
//!
//! PyYAML lets a quoted scalar run on at any indentation, and takes half of a surrogate pair; YAML 1.2 allows neither. Source:
//! PyYAML 6.0.3, `scanner.py`, `scan_flow_scalar`.

/// Reads the quoted scalar that starts at `start`: the offset after its closing quote, and its text. `None` where it does not
/// end, crosses a document mark, or has an escape that PyYAML does not know.
pub(super) fn read(text: &str, start: usize) -> Option<(usize, String)> {
    let quote = *text.as_bytes().get(start)?;
    let mut reader = Reader { text, at: start + 1, out: String::new(), double: quote == b'"' };
    loop {
        let c = reader.peek()?;
        match c {
            '\'' if quote == b'\'' && reader.text[reader.at..].starts_with("''") => {
                reader.out.push('\'');
                reader.at += 2;
            }
            c if c == char::from(quote) => return Some((reader.at + 1, reader.out)),
            '\\' if reader.double => reader.escape()?,
            ' ' | '\t' | '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}' => reader.blanks()?,
            c => {
                reader.out.push(c);
                reader.at += c.len_utf8();
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    out: String,
    double: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// Takes a line break; gives what it stands for.
    fn line_break(&mut self) -> Option<char> {
        let c = self.peek()?;
        if !matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}') {
            return None;
        }
        self.at += if self.text[self.at..].starts_with("\r\n") { 2 } else { c.len_utf8() };
        Some(if matches!(c, '\u{2028}' | '\u{2029}') { c } else { '\n' })
    }

    /// Blanks, and the folding of line breaks among them.
    fn blanks(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        let length = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let blanks = &rest[..length];
        self.at += length;
        let Some(line_break) = self.line_break() else {
            self.out.push_str(blanks);
            return Some(());
        };
        let breaks = self.breaks()?;
        if line_break != '\n' {
            self.out.push(line_break);
        } else if breaks.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(&breaks);
        Some(())
    }

    /// The line breaks that follow, with the indentation between them. `None` at a document mark.
    fn breaks(&mut self) -> Option<String> {
        let mut breaks = String::new();
        loop {
            let rest = &self.text[self.at..];
            if let Some(after) = rest.strip_prefix("---").or_else(|| rest.strip_prefix("..."))
                && after.chars().next().is_none_or(char::is_whitespace)
            {
                return None;
            }
            self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
            match self.line_break() {
                Some(c) => breaks.push(c),
                None => return Some(breaks),
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        self.at += 1;
        if self.line_break().is_some() {
            let breaks = self.breaks()?;
            self.out.push_str(&breaks);
            return Some(());
        }
        let c = self.peek()?;
        self.at += c.len_utf8();
        let digits = match c {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => {
                self.out.push(replacement(c)?);
                return Some(());
            }
        };
        let code = self.text.get(self.at..self.at + digits)?;
        if !code.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        let code = u32::from_str_radix(code, 16).ok()?;
        // Python keeps half a surrogate pair; Rust has no such character.
        let half = (0xD800..0xE000).contains(&code);
        self.out.push(if half { char::REPLACEMENT_CHARACTER } else { char::from_u32(code)? });
        Some(())
    }
}

fn replacement(c: char) -> Option<char> {
    Some(match c {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0B',
        'f' => '\x0C',
        'r' => '\r',
        'e' => '\x1B',
        ' ' | '"' | '\\' | '/' => c,
        'N' => '\u{85}',
        '_' => '\u{A0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn texts_fold_as_in_pyyaml() {
        for (text, value) in [
            ("\"foo\nbar\"", "foo bar"),
            ("\"foo\n\n  bar\"", "foo\nbar"),
            ("\"foo \\\n  bar\"", "foo bar"),
            ("'it''s\r\nfine'", "it's fine"),
            ("\"\\x41\\u4e2d\\ud800\\n\"", "A中\u{FFFD}\n"),
            ("'a\\b'", "a\\b"),
        ] {
            assert_eq!(read(text, 0), Some((text.len(), value.to_string())), "{text}");
        }
        for text in ["\"foo", "'foo\n---\nbar'", "\"\\q\"", "\"\\x4\"", "\"\\", ""] {
            assert_eq!(read(text, 0), None, "{text}");
        }
    }
}
