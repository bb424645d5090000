//! Strings in quotes: `"…"`, and Hjson's `'…'` and `'''…'''`.

use super::reader::{Mode, Reader};
use crate::data::{NodeId, Scalar, Style};
use vramlint_base::{TextRange, message};

impl Reader<'_> {
    /// Reads a string; the cursor is at its opening quote. Only values know `'''`.
    pub(super) fn string(&mut self, key: bool) -> NodeId {
        if !key && self.rest().starts_with("'''") {
            return self.multi_line();
        }
        let start = self.at;
        let quote = self.text.as_bytes()[start];
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = self.rest();
            let plain = rest.bytes().position(|byte| byte == quote || byte == b'\\' || byte < 0x20).unwrap_or(rest.len());
            text.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(found) if found == quote => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') => self.escape(&mut text),
                None | Some(b'\n' | b'\r') => {
                    self.cut(start, key, &mut text);
                    break;
                }
                Some(control) => {
                    let range = self.here();
                    self.refuse(
                        range,
                        message!(
                            "control character 0x{control:02X} in a string; use an escape sequence",
                            "字符串中有控制字符 0x{control:02X}；请改用转义序列"
                        ),
                    );
                    text.push(char::from(control));
                    self.go(self.at + 1);
                }
            }
        }
        let range = TextRange::of(start..self.at);
        if quote == b'\'' {
            self.strict(range, message!("JSON allows only double quotes", "JSON 只允许双引号"));
        }
        let style = if quote == b'"' { Style::Double } else { Style::Single };
        self.scalar(range, Scalar { text, style })
    }

    /// A string that does not end on its line: it is cut where it was probably meant to end.
    fn cut(&mut self, start: usize, key: bool, text: &mut String) {
        let line = &self.text[start + 1..self.at];
        let kept = match line.find(':') {
            Some(colon) if key => &line[..colon],
            _ => line.trim_end().trim_end_matches([',', '}', ']']),
        };
        let kept = kept.trim_end();
        let end = start + 1 + kept.len();
        if text.len() == line.len() {
            text.truncate(kept.len());
        }
        self.refuse(TextRange::of(start..end), message!("this string is not closed on its line", "字符串没有在本行内结束"));
        self.go(end);
    }

    fn escape(&mut self, text: &mut String) {
        let start = self.at;
        let Some(letter) = self.rest()[1..].chars().next() else {
            self.at += 1;
            return;
        };
        let simple = match letter {
            '"' | '\\' | '/' | '\'' => letter,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode(text),
            '\n' | '\r' => {
                self.at += 1;
                return;
            }
            _ => {
                let range = TextRange::of(start..start + 1 + letter.len_utf8());
                self.refuse(
                    range,
                    message!(
                        "`\\{letter}` is not a JSON escape; write a backslash as `\\\\`",
                        "`\\{letter}` 不是 JSON 转义；反斜杠应写成 `\\\\`"
                    ),
                );
                text.push('\\');
                letter
            }
        };
        if letter == '\'' {
            self.strict(TextRange::of(start..start + 2), message!("`\\'` is not a JSON escape", "`\\'` 不是 JSON 转义"));
        }
        text.push(simple);
        self.go(start + 1 + letter.len_utf8());
    }

    /// `\uXXXX`, with its second half where it is a surrogate.
    fn unicode(&mut self, text: &mut String) {
        let start = self.at;
        let digits = four(&self.text[start + 2..]);
        let Some(first) = digits.and_then(hex) else {
            let range = TextRange::of(start..start + 2);
            self.refuse(range, message!("`\\u` needs four hexadecimal digits", "`\\u` 之后需要四位十六进制数字"));
            text.push(char::REPLACEMENT_CHARACTER);
            self.go(start + 2);
            return;
        };
        let end = start + 2 + digits.map_or(0, str::len);
        if !digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            let range = TextRange::of(start..end);
            self.strict(range, message!("`\\u` needs four hexadecimal digits", "`\\u` 之后需要四位十六进制数字"));
        }
        self.at = end;
        let mut code = first;
        if first & 0xFC00 == 0xD800
            && let Some(digits) = self.rest().strip_prefix("\\u").and_then(four)
            && let Some(second) = hex(digits).filter(|second| second & 0xFC00 == 0xDC00)
        {
            code = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
            let strict = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let range = TextRange::of(end..end + 2 + digits.len());
            self.at = range.end as usize;
            if !strict {
                self.strict(range, message!("`\\u` needs four hexadecimal digits", "`\\u` 之后需要四位十六进制数字"));
            }
        }
        text.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }

    /// `'''…'''`: Hjson takes from every line as many blanks as stand before the opening quotes.
    fn multi_line(&mut self) -> NodeId {
        let start = self.at;
        let Some(indent) = self.indent(start) else { return self.unclosed_multi_line(start) };
        let Some(end) = self.text[start + 3..].find("'''").map(|end| start + 3 + end) else {
            return self.unclosed_multi_line(start);
        };
        let mut body = self.text[start + 3..end].trim_start_matches([' ', '\t', '\r']);
        if let Some(rest) = body.strip_prefix('\n') {
            body = outdented(rest, indent);
        }
        let mut text = String::new();
        for (i, line) in body.split('\n').enumerate() {
            if i > 0 {
                text.push('\n');
            }
            let line = if i > 0 { outdented(line, indent) } else { line };
            text.extend(line.chars().filter(|found| *found != '\r'));
        }
        if text.ends_with('\n') {
            text.pop();
        }
        self.at = end + 3;
        let range = TextRange::of(start..self.at);
        self.strict(range, message!("JSON does not support multi-line strings", "JSON 不支持多行字符串"));
        self.scalar(range, Scalar { text, style: Style::Literal })
    }

    /// Characters before `start` on its line. On the first line Hjson counts on from the end of the text, and stops with
    /// `IndexError` where there is no line break.
    fn indent(&self, start: usize) -> Option<usize> {
        let before = &self.text[..start];
        if let Some(line) = before.rfind('\n') {
            return Some(before[line + 1..].chars().count());
        }
        let last = self.text.rfind('\n');
        if last.is_none() && self.mode == Mode::Tolerant {
            return Some(before.chars().count());
        }
        last.map(|last| before.chars().count() + self.text[last + 1..].chars().count())
    }

    fn unclosed_multi_line(&mut self, start: usize) -> NodeId {
        self.hard = true;
        self.refuse(
            TextRange::of(start..start + 3),
            message!("`'''` is not closed, or the string has only one line", "`'''` 没有闭合，或整个字符串只有一行"),
        );
        self.at = self.text.len();
        let text = self.text[start + 3..].to_owned();
        self.scalar(TextRange::of(start..self.at), Scalar { text, style: Style::Literal })
    }
}

/// `line` without at most `indent` blanks at its start.
fn outdented(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    &line[blanks..]
}

/// The first four characters.
fn four(text: &str) -> Option<&str> {
    let (last, found) = text.char_indices().nth(3)?;
    Some(&text[..last + found.len_utf8()])
}

/// Four digits as Python's `int(text, 16)` takes them: Hjson lets blanks, a plus and underscores pass. `0x` is not taken.
fn hex(digits: &str) -> Option<u32> {
    let trimmed = digits.trim();
    let trimmed = trimmed.strip_prefix('+').unwrap_or(trimmed);
    let sound = trimmed.split('_').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if sound { u32::from_str_radix(&trimmed.replace('_', ""), 16).ok() } else { None }
}
