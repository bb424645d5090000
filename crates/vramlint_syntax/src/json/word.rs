//! What has no quotes: numbers, `true`, `false`, `null`, and the texts and keys that only Hjson accepts.

use super::reader::{Mode, Reader, hides};
use crate::data::{NodeId, Scalar, Style};
use vramlint_base::{Message, TextRange, message};

/// Characters of the text that a message shows at most.
const SHOWN: usize = 40;

impl Reader<'_> {
    /// Reads a value without quotes.
    pub(super) fn word(&mut self) -> NodeId {
        match self.mode {
            Mode::Tolerant => self.tolerant_word(),
            Mode::Hjson => self.hjson_word(),
        }
    }

    /// Up to the next comma, bracket, quote, comment or line break.
    fn tolerant_word(&mut self) -> NodeId {
        let start = self.at;
        let rest = self.rest();
        let length = tolerant_end(rest);
        let word = rest[..length].trim_end_matches([' ', '\t']);
        let after = &rest[length..];
        // Hjson takes the whole line: what it reads differs as soon as something follows.
        let alone = after.is_empty() || after.starts_with(['\n', '\r']);
        let range = TextRange::of(start..start + word.len());
        let scalar = Scalar { text: python_trim(word).to_owned(), style: Style::Plain };
        self.doubtful |= is_constant(word) || number_length(word) == Some(word.len()) && is_infinite(word);
        self.at = start + word.len();
        if !is_strict(word) {
            let message = complaint(word);
            if alone { self.strict(range, message) } else { self.refuse(range, message) }
        }
        self.scalar(range, scalar)
    }

    /// As `scantfnns` of hjson 3.1.0 `decoder.py`: a literal in front of a comma, bracket, comment or line break, otherwise text
    /// up to the end of the line, commas and comments included.
    fn hjson_word(&mut self) -> NodeId {
        let start = self.at;
        let rest = self.rest();
        let head = &rest[..literal_end(rest)];
        let literal = python_trim_end(head);
        let number = number_length(head).filter(|length| head[*length..].bytes().all(|byte| matches!(byte, b' ' | b'\t')));
        if number.is_some() || matches!(literal, "null" | "true" | "false") {
            let range = TextRange::of(start..start + literal.len());
            let scalar = Scalar { text: literal.to_owned(), style: Style::Plain };
            let clean = head.trim_end_matches([' ', '\t']) == literal;
            let infinite = number.is_some() && is_infinite(literal);
            let code = hides(head).unwrap_or_default();
            self.at += head.len();
            if !clean {
                self.strict(range, message!("followed by the invisible character U+{code:04X}", "其后有不可见字符 U+{code:04X}"));
            }
            if infinite {
                self.hard = true;
                self.refuse(range, message!("Hjson rejects numbers of this size", "Hjson 拒绝这么大的数"));
            }
            return self.scalar(range, scalar);
        }
        // Only now: a line of many literals is not looked through for each.
        let line = &rest[..rest.find(['\r', '\n']).unwrap_or(rest.len())];
        let text = python_trim(line).to_owned();
        let length = line.trim_end_matches([' ', '\t']).len();
        self.at += line.len();
        let range = TextRange::of(start..start + length);
        if !is_constant(text.trim_end_matches(',')) {
            let message = complaint(&text);
            self.strict(range, message);
        }
        // After an invisible character `4` is text to Hjson: the style keeps it from being typed.
        let literal = matches!(text.as_str(), "null" | "true" | "false") || number_length(&text) == Some(text.len());
        let style = if literal { Style::Single } else { Style::Plain };
        self.scalar(range, Scalar { text, style })
    }

    /// Reads a key without quotes.
    pub(super) fn key_word(&mut self) -> NodeId {
        match self.mode {
            Mode::Tolerant => self.tolerant_key(),
            Mode::Hjson => self.hjson_key(),
        }
    }

    fn tolerant_key(&mut self) -> NodeId {
        let start = self.at;
        let rest = self.rest();
        let mut length = rest.find([':', '：', '=', '{', '}', '[', ']', ',', '"', '\n', '\r']).unwrap_or(rest.len());
        if length == 0 {
            // The cursor has to move: `=` or `：` is where a key is expected.
            length = rest.chars().next().map_or(0, char::len_utf8);
        }
        let word = rest[..length].trim_end();
        let word = if word.is_empty() { &rest[..length] } else { word };
        let range = TextRange::of(start..start + word.len());
        let text = word.to_owned();
        self.at = start + word.len();
        let message = key_complaint(&text);
        if text.contains([' ', '\t']) {
            self.refuse(range, message);
        } else {
            self.strict(range, message);
        }
        self.scalar(range, Scalar { text, style: Style::Plain })
    }

    /// As `scanKeyName` of hjson 3.1.0 `decoder.py`: up to the colon, blanks only right before it.
    fn hjson_key(&mut self) -> NodeId {
        let start = self.at;
        let rest = self.rest();
        let length = rest.find([':', '{', '}', '[', ']', ',']).unwrap_or(rest.len());
        let word = rest[..length].trim_end_matches([' ', '\t', '\r', '\n']);
        let blank = word.len() < length;
        let sound = rest[length..].starts_with(':') && !word.contains([' ', '\t', '\r', '\n']) && !word.is_empty();
        let text = word.to_owned();
        let shown = rest[..length].find(['\r', '\n']).unwrap_or(length).max(1);
        let shown = (shown..=rest.len()).find(|end| rest.is_char_boundary(*end)).unwrap_or(rest.len());
        let message = key_complaint(&text);
        if !sound {
            self.refuse(TextRange::of(start..start + shown), message);
            return self.scalar(TextRange::of(start..start), Scalar { text: String::new(), style: Style::Plain });
        }
        self.at = start + length;
        let range = TextRange::of(start..start + text.len());
        self.strict(range, message);
        let text = if blank { python_trim_end(&text).to_owned() } else { text };
        self.scalar(range, Scalar { text, style: Style::Plain })
    }
}

/// Where a word ends in the tolerant reading. A comment has to be after a blank: `http://host` is one word.
fn tolerant_end(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut blank = false;
    for (i, byte) in bytes.iter().enumerate() {
        let comment = *byte == b'#' || *byte == b'/' && matches!(bytes.get(i + 1), Some(b'/' | b'*'));
        let ends = matches!(byte, b',' | b'{' | b'}' | b'[' | b']' | b'"' | b'\n' | b'\r') || blank && comment;
        if ends && i > 0 {
            return i;
        }
        blank = matches!(byte, b' ' | b'\t');
    }
    rest.len()
}

/// Where Hjson looks whether it has read a literal: at the end of the line at the latest.
fn literal_end(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let ends = |i: &usize| match bytes[*i] {
        b',' | b'}' | b']' | b'#' | b'\r' | b'\n' => true,
        b'/' => matches!(bytes.get(i + 1), Some(b'/' | b'*')),
        _ => false,
    };
    (0..bytes.len()).find(ends).unwrap_or(bytes.len())
}

/// Length of the JSON number at the start of `text`.
fn number_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(bytes.first() == Some(&b'-'));
    at += match bytes.get(at)? {
        b'0' => 1,
        b'1'..=b'9' => digits(at),
        _ => return None,
    };
    if bytes.get(at) == Some(&b'.') && digits(at + 1) > 0 {
        at += 1 + digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if digits(at + 1 + sign) > 0 {
            at += 1 + sign + digits(at + 1 + sign);
        }
    }
    Some(at)
}

/// Whether a number is too large for a float; Hjson turns every float into an integer and fails. Integers are exact in Python.
fn is_infinite(number: &str) -> bool {
    number.contains(['.', 'e', 'E']) && number.parse::<f64>().is_ok_and(f64::is_infinite)
}

/// Constants that Python's `json` accepts beyond the standard.
fn is_constant(word: &str) -> bool {
    matches!(word, "NaN" | "Infinity" | "-Infinity")
}

fn is_strict(word: &str) -> bool {
    matches!(word, "true" | "false" | "null") || is_constant(word) || number_length(word) == Some(word.len())
}

/// Trims as `str.strip` of Python does.
fn python_trim(text: &str) -> &str {
    text.trim_matches(is_python_space)
}

fn python_trim_end(text: &str) -> &str {
    text.trim_end_matches(is_python_space)
}

fn is_python_space(found: char) -> bool {
    found.is_whitespace() || matches!(found, '\u{1c}'..='\u{1f}')
}

/// A text short enough for a message.
pub(super) fn clipped(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn complaint(word: &str) -> Message {
    let bare = word.trim_end_matches([',', ' ']);
    let json = match bare {
        "True" | "TRUE" => Some("true"),
        "False" | "FALSE" => Some("false"),
        "None" | "Null" | "NULL" => Some("null"),
        _ => None,
    };
    if let Some(json) = json {
        return message!("`{bare}` is not JSON; write `{json}`", "`{bare}` 不是 JSON；请写 `{json}`");
    }
    let shown = clipped(word);
    if let Some(code) = hides(word) {
        return message!("`{shown}` contains the invisible character U+{code:04X}", "`{shown}` 含有不可见字符 U+{code:04X}");
    }
    if word.contains(['“', '”', '‘', '’']) {
        return message!("`{shown}` has typographic quotes; JSON needs `\"`", "`{shown}` 使用了弯引号；JSON 需要 `\"`");
    }
    if let Some(wide) = word.chars().find(|found| "，：；".contains(*found)) {
        return message!("`{shown}` contains a full-width `{wide}`", "`{shown}` 含有全角标点 `{wide}`");
    }
    let numeric = bare.trim_start_matches(['+', '-', '.']).starts_with(|first: char| first.is_ascii_digit());
    if numeric && bare.chars().all(|found| found.is_ascii_alphanumeric() || "+-._".contains(found)) {
        return message!("`{shown}` is not a JSON number", "`{shown}` 不是 JSON 数字");
    }
    message!("unquoted string: `{shown}`", "字符串缺少引号：`{shown}`")
}

fn key_complaint(key: &str) -> Message {
    let shown = clipped(key);
    if let Some(code) = hides(key) {
        return message!(
            "the key `{shown}` contains the invisible character U+{code:04X}",
            "键名 `{shown}` 含有不可见字符 U+{code:04X}"
        );
    }
    if key.contains(['“', '”', '‘', '’']) {
        return message!(
            "the key `{shown}` has typographic quotes; JSON needs `\"`",
            "键名 `{shown}` 使用了弯引号；JSON 需要 `\"`"
        );
    }
    message!("a key needs double quotes: `{shown}`", "键名需要双引号：`{shown}`")
}
