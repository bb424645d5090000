//! The surroundings of an anchor, as text: the line, the message that goes on over wrapped lines, the lines before.

use crate::stream::{self, Stream};
use regex::Regex;
use std::sync::LazyLock;

/// How many bytes before an anchor a reader may look at.
pub(crate) const LOOK_BACK: usize = 4 << 10;
/// How many bytes after it.
pub(crate) const LOOK_AHEAD: usize = 16 << 10;
/// Maximum number of lines of one message.
const MAX_LINES: usize = 60;

static ESCAPES: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?:\x1b|\\u001b|\\x1b|\\033)\[[0-9;?]*[A-Za-z]").expect("a legal pattern"));

/// A place in a log with its surroundings.
pub(crate) struct Excerpt<'a> {
    window: &'a [u8],
    anchor: usize,
}

impl<'a> Excerpt<'a> {
    /// The surroundings of the byte `anchor` of `bytes`.
    pub(crate) fn new(bytes: &'a [u8], anchor: usize) -> Self {
        let start = anchor.saturating_sub(LOOK_BACK);
        let end = bytes.len().min(anchor + LOOK_AHEAD);
        Self { window: &bytes[start..end], anchor: anchor - start }
    }

    /// The line up to the anchor, without escapes of terminals, and who wrote it. `\n` in the text of a JSON log ends a line too.
    pub(crate) fn line_before(&self) -> (Stream, String) {
        let before = &self.window[..self.anchor];
        let start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
        let line = clean(&before[start..]);
        let (stream, rest) = stream::split(&line);
        let rest = rest.rsplit('\n').next().unwrap_or_default();
        (stream, rest.to_owned())
    }

    /// The line from the anchor on.
    pub(crate) fn line_after(&self) -> String {
        let after = &self.window[self.anchor..];
        let end = memchr::memchr2(b'\n', b'\r', after).unwrap_or(after.len());
        clean(&after[..end])
    }

    /// The whole line without what names its writer.
    pub(crate) fn line(&self) -> String {
        self.line_before().1 + &self.line_after()
    }

    /// The lines before that of the anchor, the nearest first.
    pub(crate) fn lines_above(&self) -> impl Iterator<Item = String> {
        let before = &self.window[..self.anchor];
        let end = memchr::memrchr(b'\n', before).unwrap_or(0);
        before[..end]
            .rsplit(|byte| *byte == b'\n')
            .map(|line| stream::split(&clean(line)).1.trim_end().to_owned())
            .take(MAX_LINES)
    }

    /// The message from the anchor on, up to the next `stop`, without white space and frames: terminals and web pages wrap messages
    /// anywhere. Lines of other ranks are left out.
    pub(crate) fn message_without_spaces(&self, stop: &str) -> String {
        let (writer, _) = self.line_before();
        let after = &self.window[self.anchor..];
        let mut message = String::new();
        for (index, line) in after.split(|byte| matches!(byte, b'\n' | b'\r')).take(MAX_LINES).enumerate() {
            let line = clean(line);
            let rest = if index == 0 {
                line.as_str()
            } else {
                let (stream, rest) = stream::split(&line);
                if !writer.is_continued_by(&stream) {
                    continue;
                }
                rest
            };
            let stopped = rest.match_indices(stop).map(|(at, _)| at).find(|at| index > 0 || *at > 0);
            let rest = stopped.map_or(rest, |at| &rest[..at]);
            message.extend(rest.chars().filter(|c| !is_frame(*c)));
            if stopped.is_some() || rest.starts_with("Traceback (most recent") {
                break;
            }
        }
        message
    }

    /// Whether `text` stands near the anchor behind it, unbroken.
    pub(crate) fn follows(&self, text: &str) -> bool {
        const NEAR: usize = 200;
        let after = &self.window[self.anchor..];
        memchr::memmem::find(&after[..after.len().min(NEAR)], text.as_bytes()).is_some()
    }

    /// The end of the text before the anchor, without white space and frames, over at most two lines.
    pub(crate) fn head_without_spaces(&self) -> String {
        let (_, line) = self.line_before();
        let above = self.lines_above().next().unwrap_or_default();
        above.chars().chain(line.chars()).filter(|c| !is_frame(*c)).collect()
    }
}

fn is_frame(c: char) -> bool {
    c.is_whitespace() || matches!(c, '│' | '╭' | '╰' | '╮' | '╯' | '─' | '|' | '┃')
}

/// The text of `bytes` without escapes of terminals. `\n` of a JSON text becomes a line break.
fn clean(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if !bytes.contains(&0x1b) && !bytes.contains(&b'\\') {
        return text.into_owned();
    }
    ESCAPES.replace_all(&text, "").replace("\\r\\n", "\n").replace("\\n", "\n")
}
