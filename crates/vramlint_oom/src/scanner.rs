//! Goes through a log in pieces, in constant memory.

use crate::anchors::{self, AnchorSearch};
use crate::collector::Collector;
use crate::event::Event;
use crate::excerpt::{Excerpt, LOOK_AHEAD, LOOK_BACK};
use crate::forms;

/// How many new bytes are searched at a time.
const BLOCK: usize = 256 << 10;

/// What a log holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    /// The failures in the order of their first message.
    pub events: Vec<Event>,
    /// How many further failures were left out, because the list is full.
    pub omitted: u64,
    /// Number of lines.
    pub lines: u64,
}

/// Reads a log that arrives in pieces.
pub struct Scanner {
    search: AnchorSearch,
    /// The end of what was searched, and what was not searched yet.
    buffer: Vec<u8>,
    /// First byte of `buffer` that was not searched.
    searched: usize,
    /// Line of the first byte of `buffer`, from 1.
    line: u64,
    collector: Collector,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// A scanner at the beginning of a log.
    pub fn new() -> Self {
        Self {
            search: AnchorSearch::new(),
            buffer: Vec::with_capacity(LOOK_BACK + BLOCK * 2 + LOOK_AHEAD),
            searched: 0,
            line: 1,
            collector: Collector::default(),
        }
    }

    /// All failures of a log that is there as a whole.
    pub fn scan(log: &[u8]) -> Log {
        let mut scanner = Self::new();
        scanner.push(log);
        scanner.finish()
    }

    /// Takes the next bytes of the log.
    pub fn push(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(BLOCK) {
            self.buffer.extend_from_slice(piece);
            if self.buffer.len() >= self.searched + BLOCK + LOOK_AHEAD {
                self.search(self.buffer.len() - LOOK_AHEAD);
                self.forget();
            }
        }
    }

    /// The failures, after the last byte.
    pub fn finish(mut self) -> Log {
        self.search(self.buffer.len());
        let rest = count_lines(&self.buffer);
        let ends_open = self.buffer.last().is_some_and(|byte| *byte != b'\n');
        let lines = self.line - 1 + rest + u64::from(ends_open);
        let (events, omitted) = self.collector.finish();
        Log { events, omitted, lines }
    }

    /// Searches up to the byte `end`. Anchors that begin before it may end behind it.
    fn search(&mut self, end: usize) {
        let behind = self.buffer.len().min(end + anchors::longest());
        let mut line = self.line;
        let mut counted = 0;
        let mut last = self.searched;
        for (at, anchor) in self.search.find_iter(&self.buffer[self.searched..behind]) {
            let at = at + self.searched;
            if at >= end {
                break;
            }
            last = at + 1;
            line += count_lines(&self.buffer[counted..at]);
            counted = at;
            if let Some(sighting) = forms::read(anchor, &Excerpt::new(&self.buffer, at)) {
                self.collector.take(line, sighting);
            }
        }
        self.searched = end.max(last);
    }

    /// Forgets what no reader looks back at.
    fn forget(&mut self) {
        let keep = self.searched.saturating_sub(LOOK_BACK);
        self.line += count_lines(&self.buffer[..keep]);
        self.buffer.drain(..keep);
        self.searched -= keep;
    }
}

fn count_lines(bytes: &[u8]) -> u64 {
    memchr::memchr_iter(b'\n', bytes).count() as u64
}
