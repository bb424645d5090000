//! Cuts the input into messages and lets only valid ones through.
//!
//! The transport ends a session at the first message that it cannot decode. This reader stands before it: a broken message becomes a
//! notification to ourselves ([`INVALID_MESSAGE`]), which the sequencer answers with the error, and reading goes on with the next header.

use serde_json::{Value, json};
use std::io;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tower_lsp_server::jsonrpc::{Request, Response};

/// The method that stands for a message that cannot be read. Its params are a JSON-RPC error.
pub(crate) const INVALID_MESSAGE: &str = "$/vramlint/invalidMessage";

/// The largest message that is read, bytes. An open document is part of one.
const MAX_MESSAGE: u64 = 64 << 20;
/// The largest header that is read, bytes.
const MAX_HEADER: usize = 8 << 10;
/// A body above this is no message: its length is wrong.
const MAX_SKIPPED: u64 = 1 << 32;

/// JSON-RPC 2.0: the text is no JSON.
const PARSE_ERROR: i64 = -32700;
/// JSON-RPC 2.0: the JSON is no request.
const INVALID_REQUEST: i64 = -32600;

/// Copies valid messages from `input` to `output` until the input ends.
pub(crate) async fn copy_messages(
    mut input: impl AsyncRead + Unpin,
    mut output: impl AsyncWrite + Unpin,
    ended: impl FnOnce(),
) -> io::Result<()> {
    let mut reader = MessageReader::default();
    let mut chunk = vec![0; 64 << 10];
    let copied = async {
        loop {
            let count = input.read(&mut chunk).await?;
            if count == 0 {
                return Ok(());
            }
            reader.push(&chunk[..count]);
            while let Some(message) = reader.next() {
                let message = message.unwrap_or_else(|error| error.notification());
                output.write_all(format!("Content-Length: {}\r\n\r\n{message}", message.len()).as_bytes()).await?;
            }
        }
    }
    .await;
    ended();
    copied
}

/// Why a message cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
struct InvalidMessage {
    code: i64,
    why: String,
}

impl InvalidMessage {
    fn new(code: i64, why: impl Into<String>) -> Self {
        Self { code, why: why.into() }
    }

    fn notification(&self) -> String {
        json!({"jsonrpc": "2.0", "method": INVALID_MESSAGE, "params": {"code": self.code, "message": self.why}}).to_string()
    }
}

/// The bytes that have arrived and are not read yet.
#[derive(Default)]
struct MessageReader {
    bytes: Vec<u8>,
    /// The header at the front, once it is there.
    header: Option<Header>,
    /// Bytes of a refused body that are still to come.
    skip: u64,
    /// The place in the stream was lost, and that has been said.
    lost: bool,
}

/// What the header says of the body.
struct Header {
    /// Bytes up to the body.
    end: usize,
    /// Bytes of the body.
    length: u64,
    /// The body is not in UTF-8.
    foreign: bool,
}

impl MessageReader {
    fn push(&mut self, bytes: &[u8]) {
        let skipped = usize::try_from(self.skip).unwrap_or(usize::MAX).min(bytes.len());
        self.skip -= skipped as u64;
        self.bytes.extend_from_slice(&bytes[skipped..]);
    }

    /// The next message, or why it cannot be read; `None` until more bytes arrive.
    fn next(&mut self) -> Option<Result<String, InvalidMessage>> {
        loop {
            let read = self.header.take().map_or_else(|| self.read_header(), |header| Some(Ok(header)))?;
            let header = match read {
                Ok(header) => header,
                Err(_) if self.lost => continue,
                Err(why) => {
                    self.lost = true;
                    return Some(Err(InvalidMessage::new(PARSE_ERROR, why)));
                }
            };
            if header.length > MAX_MESSAGE {
                self.bytes.drain(..header.end);
                let here = usize::try_from(header.length).unwrap_or(usize::MAX).min(self.bytes.len());
                if header.length <= MAX_SKIPPED {
                    self.bytes.drain(..here);
                    self.skip = header.length - here as u64;
                }
                let why = format!("a message of {} bytes: at most {MAX_MESSAGE} are read", header.length);
                return Some(Err(InvalidMessage::new(INVALID_REQUEST, why)));
            }
            let end = header.end + usize::try_from(header.length).unwrap_or(usize::MAX);
            if self.bytes.len() < end {
                self.header = Some(header);
                return None;
            }
            let body = &self.bytes[header.end..end];
            let message = if header.foreign {
                Err(InvalidMessage::new(PARSE_ERROR, "Content-Type: only charset=utf-8 is read"))
            } else {
                message(body)
            };
            // A length that is too large takes the next message with it.
            let swallowed = if message.is_ok() { None } else { next_header(body) };
            self.bytes.drain(..swallowed.map_or(end, |at| header.end + at));
            self.lost = false;
            return Some(message);
        }
    }

    /// The header at the front. An error has dropped bytes up to the next one.
    fn read_header(&mut self) -> Option<Result<Header, &'static str>> {
        let Some(end) = header_end(&self.bytes) else {
            if self.bytes.len() <= MAX_HEADER {
                return None;
            }
            self.drop_to_next_header(1);
            return Some(Err("a header without an end"));
        };
        let start = find_name(&self.bytes[..end], b"content-length:");
        let Some(start) = start else {
            self.bytes.drain(..end);
            self.drop_to_next_header(0);
            return Some(Err("a header without Content-Length"));
        };
        let own = |line: &&[u8]| find_name(line, b"content-") == Some(0);
        let lines: Vec<&[u8]> = self.bytes[..end].split(|byte| *byte == b'\n').filter(own).collect();
        let value = |name: &[u8]| {
            let line = lines.iter().find(|line| find_name(line, name) == Some(0))?;
            Some(String::from_utf8_lossy(&line[name.len()..]).trim().to_owned())
        };
        // Something that is no header stands before it: it is dropped, and said once.
        let before = self.bytes[..start].strip_suffix(b"\n").unwrap_or(&self.bytes[..start]);
        let is_header = |line: &[u8]| line.contains(&b':') || line.trim_ascii().is_empty();
        let in_a_line = before.len() == start && start > 0;
        if in_a_line || !before.split(|byte| *byte == b'\n').all(is_header) {
            self.bytes.drain(..start);
            return Some(Err("bytes before a header"));
        }
        let Some(length) = value(b"content-length:").and_then(|text| text.parse::<u64>().ok()) else {
            self.bytes.drain(..end);
            self.drop_to_next_header(0);
            return Some(Err("Content-Length is no number of bytes"));
        };
        let charset =
            value(b"content-type:").and_then(|text| Some(text.to_lowercase().split_once("charset=")?.1.trim().to_owned()));
        let foreign = charset.is_some_and(|charset| !matches!(charset.trim_matches('"'), "utf-8" | "utf8"));
        Some(Ok(Header { end, length, foreign }))
    }

    /// Drops bytes up to a header at or behind `from`; what may be the start of one stays.
    fn drop_to_next_header(&mut self, from: usize) {
        let name = b"content-length:";
        let next = find_name(&self.bytes[from.min(self.bytes.len())..], name).map(|at| at + from);
        let keep = next.unwrap_or_else(|| self.bytes.len().saturating_sub(name.len()));
        self.bytes.drain(..keep);
    }
}

/// The end of the header: behind the first empty line.
fn header_end(bytes: &[u8]) -> Option<usize> {
    let bytes = &bytes[..bytes.len().min(MAX_HEADER)];
    let crlf = bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
    let lf = bytes[..crlf.unwrap_or(bytes.len())].windows(2).position(|two| two == b"\n\n").map(|at| at + 2);
    crlf.into_iter().chain(lf).min()
}

/// Where a lowercase name stands, in any case.
fn find_name(bytes: &[u8], name: &[u8]) -> Option<usize> {
    bytes.windows(name.len()).position(|part| part.eq_ignore_ascii_case(name))
}

/// Where a header begins inside of a body. In the strings of JSON, line ends are escaped.
fn next_header(body: &[u8]) -> Option<usize> {
    let start = find_name(body, b"content-length:").filter(|at| *at > 0)?;
    let line = body[start..].iter().position(|byte| *byte == b'\n').map(|at| &body[start..start + at])?;
    line[b"content-length:".len()..].iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_whitespace()).then_some(start)
}

/// The text of a valid message.
fn message(body: &[u8]) -> Result<String, InvalidMessage> {
    let parse_error = |error: &dyn std::fmt::Display| InvalidMessage::new(PARSE_ERROR, error.to_string());
    let text = std::str::from_utf8(body).map_err(|error| parse_error(&error))?;
    let (text, value) = match serde_json::from_str::<Value>(text) {
        Ok(value) => (text.to_owned(), value),
        Err(error) => {
            // An editor may send half of a character; the rest of the document is still worth reading.
            let whole = without_lone_surrogates(text).ok_or_else(|| parse_error(&error))?;
            let value = serde_json::from_str(&whole).map_err(|error| parse_error(&error))?;
            (whole, value)
        }
    };
    let valid = match value.get("method") {
        Some(method) => method.as_str().is_some_and(|name| !name.is_empty()) && serde_json::from_value::<Request>(value).is_ok(),
        None => serde_json::from_value::<Response>(value).is_ok(),
    };
    if valid { Ok(text) } else { Err(InvalidMessage::new(INVALID_REQUEST, "neither a request nor a response of JSON-RPC 2.0")) }
}

/// The text with U+FFFD for every escaped half of a surrogate pair that lacks the other half; `None` if there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let unit = |at: usize| {
        let escape = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let (mut out, mut from, mut at) = (String::new(), 0, 0);
    while let Some(next) = text[at..].find('\\') {
        at += next;
        match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(0xD800..=0xDFFF) => {
                out.push_str(&text[from..at]);
                out.push_str("\\ufffd");
                at += 6;
                from = at;
            }
            // Skips the escaped character too.
            _ => at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    (from > 0).then(|| out + &text[from..])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHUTDOWN: &str = r#"{"jsonrpc":"2.0","id":1,"method":"shutdown"}"#;

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// What is read of a stream that arrives in pieces of `size` bytes: bodies, and codes of errors.
    fn read_in_pieces(stream: &[u8], size: usize) -> Vec<Result<String, i64>> {
        let mut reader = MessageReader::default();
        let mut out = Vec::new();
        for piece in stream.chunks(size) {
            reader.push(piece);
            while let Some(message) = reader.next() {
                out.push(message.map_err(|error| error.code));
            }
        }
        out
    }

    fn read(stream: &str) -> Vec<Result<String, i64>> {
        let whole = read_in_pieces(stream.as_bytes(), usize::MAX);
        for size in [1, 7, 64] {
            assert_eq!(read_in_pieces(stream.as_bytes(), size), whole, "in pieces of {size}: {stream:.80}");
        }
        whole
    }

    #[test]
    fn reading_goes_on_after_a_message_that_cannot_be_read() {
        let good = Ok(SHUTDOWN.to_owned());
        for (body, code) in [
            ("{", PARSE_ERROR),
            ("\u{7}garbage", PARSE_ERROR),
            ("[]", INVALID_REQUEST),
            ("null", INVALID_REQUEST),
            (r#"[{"jsonrpc":"2.0","method":"initialized"}]"#, INVALID_REQUEST),
            (r#"{"method":"initialized"}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","method":7}"#, INVALID_REQUEST),
            (r#"{"jsonrpc":"2.0","id":{},"method":"shutdown"}"#, INVALID_REQUEST),
            (&"[".repeat(100_000), PARSE_ERROR),
        ] {
            assert_eq!(read(&(framed(body) + &framed(SHUTDOWN))), [Err(code), good.clone()], "{body:.40}");
        }
    }

    #[test]
    fn wrong_headers_lose_no_message_behind_them() {
        let good = Ok(SHUTDOWN.to_owned());
        for broken in [
            format!("Content-Length: -5\r\n\r\n{SHUTDOWN}"),
            format!("Content-Length: many\r\n\r\n{SHUTDOWN}"),
            format!("X-Other: 1\r\n\r\n{SHUTDOWN}"),
            format!("Content-Length: {}\r\n\r\n{SHUTDOWN}", SHUTDOWN.len() - 4),
            "some words of a person\r\n".repeat(3),
            "Content-Length: 18446744073709551616\r\n\r\n".to_owned(),
            "Content-Length: 18446744073709551615\r\n\r\n".to_owned(),
            format!("Content-Length: {}\r\nContent-Type: text; charset=utf-16\r\n\r\n{SHUTDOWN}", SHUTDOWN.len()),
            "x".repeat(3 * MAX_HEADER),
        ] {
            let read = read(&(broken.clone() + &framed(SHUTDOWN)));
            assert_eq!(read.last(), Some(&good), "{broken:.60}");
            assert!(read.len() <= 3 && read[..read.len() - 1].iter().any(Result::is_err), "{broken:.60}: {read:?}");
        }
        // A length that is too large ends in the message behind it, which is read all the same.
        let long = format!("Content-Length: {}\r\n\r\n{SHUTDOWN}", SHUTDOWN.len() + 30);
        assert_eq!(read(&(long + &framed(SHUTDOWN) + &framed(SHUTDOWN))).last(), Some(&good));
        assert_eq!(read(&format!("Content-Length: {}\n\n{SHUTDOWN}", SHUTDOWN.len())), std::slice::from_ref(&good));
        assert_eq!(
            read(&format!("content-length:{}\r\nContent-Type: a; charset=utf-8\r\n\r\n{SHUTDOWN}", SHUTDOWN.len())),
            [good]
        );
    }

    #[test]
    fn a_message_that_is_too_large_is_skipped() {
        let body = " ".repeat(usize::try_from(MAX_MESSAGE).expect("fits") + 1);
        let stream = framed(&body) + &framed(SHUTDOWN);
        assert_eq!(read_in_pieces(stream.as_bytes(), 1 << 16), [Err(INVALID_REQUEST), Ok(SHUTDOWN.to_owned())]);
    }

    #[test]
    fn halves_of_a_pair_are_replaced() {
        let body = |text: &str| format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"text":"{text}"}}}}"#);
        for (sent, read_as) in [
            (r"a \ud83d b", r"a \ufffd b"),
            (r"\ude00", r"\ufffd"),
            (r"\ud83d\ude00 \ud83d\ud83d", r"\ud83d\ude00 \ufffd\ufffd"),
            (r"\\ud83d \ud83d", r"\\ud83d \ufffd"),
            (r"\ud83d显", r"\ufffd显"),
        ] {
            assert_eq!(read(&framed(&body(sent))), [Ok(body(read_as))]);
        }
        assert_eq!(without_lone_surrogates(r"\ud83d\ude00 \n"), None);
    }
}
