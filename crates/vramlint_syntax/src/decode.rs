//! Bytes to text: byte order mark, encoding, NUL.

use crate::{RefusedBy, SyntaxError};
use vramlint_base::{LineIndex, Message, TextRange, message};

/// A text and what was wrong with its bytes.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// The text. Bytes that are not UTF-8 became U+FFFD. The byte order mark of UTF-8 stays, that of UTF-16 does not.
    pub text: String,
    /// Not UTF-8 (with the place of the first bad byte), UTF-16, NUL.
    pub errors: Vec<SyntaxError>,
    /// Whether it looks binary: it is then not read further.
    pub binary: bool,
}

/// Bytes looked at to tell whether a file is binary; git looks at as many.
const PROBE: usize = 8000;

/// How Git LFS begins the file that stands for a large one (git-lfs 3.7 docs/spec.md).
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// Decodes a file. Python opens configuration as UTF-8 (`accelerate` names it, the others take the locale's, on Linux UTF-8), so
/// everything else is an error.
pub fn decode(bytes: Vec<u8>) -> Decoded {
    if bytes.starts_with(LFS_POINTER) {
        // The content is elsewhere.
        return Decoded { text: String::from_utf8_lossy(&bytes).into_owned(), errors: Vec::new(), binary: true };
    }
    if let Some(little) = utf16(&bytes) {
        return decode_utf16(&bytes, little);
    }
    let binary = is_binary(&bytes);
    let (text, bad) = match String::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let bytes = error.into_bytes();
            let bad = Bad { at, byte: bytes[at], cut: is_cut(&bytes[at..]), gbk: looks_like_gbk(&bytes) };
            (String::from_utf8_lossy(&bytes).into_owned(), Some(bad))
        }
    };
    let mut errors = Vec::new();
    if binary {
        let at = text.bytes().position(is_control).unwrap_or(0);
        errors.push(refused(character(&text, at), message!("binary file, not text", "这是二进制文件，不是文本")));
    } else if let Some(bad) = bad {
        errors.push(refused(character(&text, bad.at), bad.message(&text)));
    }
    Decoded { text, errors, binary }
}

/// The first byte that is not UTF-8.
struct Bad {
    at: usize,
    byte: u8,
    cut: bool,
    gbk: bool,
}

impl Bad {
    fn message(&self, text: &str) -> Message {
        let line = LineIndex::new(text).line_of(self.at as u32) + 1;
        let byte = self.byte;
        if self.cut {
            return message!(
                "the file ends in the middle of a character: byte 0x{byte:02X} on line {line}",
                "文件在一个字符中间结束：第 {line} 行的字节 0x{byte:02X}"
            );
        }
        if self.gbk {
            return message!(
                "not UTF-8: byte 0x{byte:02X} on line {line}; the file looks like GBK, save it as UTF-8",
                "不是 UTF-8：第 {line} 行的字节 0x{byte:02X}；文件看起来是 GBK 编码，请另存为 UTF-8"
            );
        }
        message!("not UTF-8: byte 0x{byte:02X} on line {line}", "不是 UTF-8：第 {line} 行的字节 0x{byte:02X}")
    }
}

fn refused(range: TextRange, message: Message) -> SyntaxError {
    SyntaxError { range, message, refused_by: RefusedBy::All }
}

/// The range of the character at `at`.
fn character(text: &str, at: usize) -> TextRange {
    let length = text.get(at..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    TextRange::of(at..at + length)
}

/// Whether the bytes are UTF-16, and whether little-endian: by the byte order mark, or because every second byte of the start is
/// zero and no other, as in Latin text saved by PowerShell without one.
fn utf16(bytes: &[u8]) -> Option<bool> {
    match bytes {
        // With two zero bytes after it, this is the mark of UTF-32: left to the test for binary files.
        [0xFF, 0xFE, 0, 0, ..] => return None,
        [0xFF, 0xFE, ..] => return Some(true),
        [0xFE, 0xFF, ..] => return Some(false),
        _ => {}
    }
    let start = &bytes[..bytes.len().min(64) & !1];
    let zero = |parity: usize| start.iter().skip(parity).step_by(2).all(|byte| *byte == 0);
    let printed =
        |parity: usize| start.iter().skip(parity).step_by(2).all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'));
    if start.len() < 4 {
        None
    } else if zero(1) && printed(0) {
        Some(true)
    } else if zero(0) && printed(1) {
        Some(false)
    } else {
        None
    }
}

fn decode_utf16(bytes: &[u8], little: bool) -> Decoded {
    let pairs = bytes.chunks_exact(2);
    let odd = !pairs.remainder().is_empty();
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let mut text: String =
        char::decode_utf16(pairs.map(unit)).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    if odd {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    let message = message!(
        "the file is UTF-16, but Python reads it as UTF-8 and raises an error; save it as UTF-8",
        "文件是 UTF-16 编码，而 Python 按 UTF-8 读取会报错；请另存为 UTF-8"
    );
    let errors = vec![refused(character(&text, 0), message)];
    let binary = is_binary(text.as_bytes());
    Decoded { text, errors, binary }
}

/// A NUL, or more than a tenth control characters, at the start of the file.
fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(PROBE)];
    let controls: usize = start.iter().map(|byte| usize::from(CONTROLS[usize::from(*byte)])).sum();
    memchr::memchr(0, start).is_some() || controls * 10 > start.len()
}

/// For each byte, 1 if it is a control character that no text holds: every file is asked for most of its bytes.
static CONTROLS: [u8; 256] = {
    let (mut controls, mut byte) = ([0; 256], 0);
    while byte < controls.len() {
        controls[byte] = is_control(byte as u8) as u8;
        byte += 1;
    }
    controls
};

/// Control characters that no text holds; escape and backspace are in logs of terminals, form feeds in old sources.
const fn is_control(found: u8) -> bool {
    matches!(found, 0..=7 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
}

/// Whether `tail` is the beginning of one character of UTF-8 and nothing else.
fn is_cut(tail: &[u8]) -> bool {
    std::str::from_utf8(tail).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

/// Whether everything beyond ASCII pairs up as GB18030, most of it common Chinese characters or punctuation (rows A1 to A3 and
/// B0 to F7 of GB 2312).
fn looks_like_gbk(bytes: &[u8]) -> bool {
    let (mut pairs, mut common, mut at) = (0_usize, 0_usize, 0);
    while let Some(lead) = bytes.get(at) {
        if lead.is_ascii() {
            at += 1;
            continue;
        }
        let trail = bytes.get(at + 1).copied().unwrap_or(0);
        let four = matches!(bytes.get(at + 1..at + 4), Some([b'0'..=b'9', 0x81..=0xFE, b'0'..=b'9']));
        if !matches!(lead, 0x81..=0xFE) || !four && !matches!(trail, 0x40..=0x7E | 0x80..=0xFE) {
            return false;
        }
        pairs += 1;
        common += usize::from(matches!(lead, 0xA1..=0xA3 | 0xB0..=0xF7) && trail >= 0xA1);
        at += if four { 4 } else { 2 };
    }
    pairs > 0 && common * 4 >= pairs * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only_error(bytes: &[u8]) -> (Decoded, String) {
        let decoded = decode(bytes.to_vec());
        assert_eq!(decoded.errors.len(), 1, "{:?}", decoded.errors);
        let message = decoded.errors[0].message.en.clone();
        (decoded, message)
    }

    #[test]
    fn utf8_is_kept_as_it_is() {
        for text in ["", "a: 1\r\n", "\u{feff}批量: 4\n", "\u{1b}[1mlog\u{1b}[0m\n\u{c}"] {
            let decoded = decode(text.as_bytes().to_vec());
            assert_eq!(decoded.text, text);
            assert!(decoded.errors.is_empty() && !decoded.binary, "{text:?}");
        }
    }

    #[test]
    fn gbk_is_named_with_byte_and_line() {
        // "# 批量大小\nbatch: 4\n" in GBK, after one line of ASCII.
        let mut bytes = b"stage: 2\r\n# ".to_vec();
        bytes.extend([0xC5, 0xFA, 0xC1, 0xBF, 0xB4, 0xF3, 0xD0, 0xA1]);
        bytes.extend(b"\nbatch: 4\n");
        let (decoded, message) = only_error(&bytes);
        assert_eq!(message, "not UTF-8: byte 0xC5 on line 2; the file looks like GBK, save it as UTF-8");
        assert_eq!(decoded.errors[0].range, TextRange::new(12, 15));
        assert!(decoded.text.ends_with("\nbatch: 4\n") && !decoded.binary);
    }

    #[test]
    fn other_bytes_are_not_called_gbk() {
        let (decoded, message) = only_error(b"name: caf\xE9\nb: 1\n");
        assert_eq!(message, "not UTF-8: byte 0xE9 on line 1");
        assert_eq!(decoded.errors[0].range.slice(&decoded.text), "\u{fffd}");
        let (_, message) = only_error(&"a: 批".as_bytes()[..5]);
        assert_eq!(message, "the file ends in the middle of a character: byte 0xE6 on line 1");
    }

    #[test]
    fn utf16_is_decoded_and_refused() {
        let text = "批: 4\r\n";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for bytes in [[&[0xFF, 0xFE], &little[..]].concat(), [&[0xFE, 0xFF], &big[..]].concat()] {
            let (decoded, message) = only_error(&bytes);
            assert_eq!(decoded.text, text);
            assert!(message.contains("UTF-16") && !decoded.binary);
        }
        let bare: Vec<u8> = "stage: 2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(only_error(&bare).0.text, "stage: 2\n");
        let odd = [&[0xFF, 0xFE], &little[..], b"x"].concat();
        assert!(only_error(&odd).0.text.ends_with("\n\u{fffd}"));
    }

    #[test]
    fn binary_files_are_told_apart() {
        let nul: &[u8] = b"PK\x03\x04\x00\x00";
        for bytes in [nul, b"\x01\x02\x03abc", &[0xFF, 0xFE, 0, 0, b'a', 0, 0, 0]] {
            let (decoded, message) = only_error(bytes);
            assert!(decoded.binary, "{bytes:?}");
            assert_eq!(message, "binary file, not text");
        }
        let late = [vec![b'a'; PROBE], vec![0]].concat();
        assert!(!decode(late).binary);
    }

    #[test]
    fn control_characters_are_those_that_no_text_holds() {
        let held = [8, b'\t', b'\n', 12, b'\r', 27];
        for byte in 0..=u8::MAX {
            assert_eq!(is_control(byte), (byte < b' ' && !held.contains(&byte)) || byte == 0x7f, "{byte}");
        }
        let mut text = [vec![1; 100], vec![b'a'; 900]].concat();
        assert!(!decode(text.clone()).binary);
        text[999] = 0x7f;
        assert!(decode(text).binary);
    }

    #[test]
    fn any_bytes_give_ranges_inside_the_text() {
        let mut state = 1_u32;
        for length in 0..300 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    (state >> 24) as u8
                })
                .collect();
            let decoded = decode(bytes);
            for error in &decoded.errors {
                assert!(decoded.text.get(error.range.as_usize()).is_some());
                assert!(!error.range.is_empty() || error.range.start as usize == decoded.text.len());
            }
        }
    }
}
