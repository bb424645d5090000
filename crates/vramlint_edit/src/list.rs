//! Comma-separated items in brackets: JSON objects, YAML flow mappings, Python calls and dicts.

use crate::data::entry_range;
use crate::{between, line_break, line_end, line_start, next_line, replace_range, starts_line};
use vramlint_base::{Edit, TextRange};
use vramlint_resolve::SourceFile;
use vramlint_syntax::Comment;
use vramlint_syntax::data::{DataFile, Entry};

/// The items between two brackets.
pub(super) struct List<'a> {
    /// The file.
    pub(super) file: &'a SourceFile,
    /// All comments of the file, in order.
    pub(super) comments: &'a [Comment],
    /// The range between the brackets.
    pub(super) inside: TextRange,
    /// The items in order.
    pub(super) items: Items<'a>,
}

/// The ranges of the items.
pub(super) enum Items<'a> {
    /// These.
    Listed(Vec<TextRange>),
    /// Those of the entries of a mapping.
    Entries(&'a DataFile, &'a [Entry]),
}

impl Items<'_> {
    fn get(&self, index: usize) -> Option<TextRange> {
        match self {
            Self::Listed(ranges) => ranges.get(index).copied(),
            Self::Entries(data, entries) => entries.get(index).map(|entry| entry_range(data, entry.key, entry.value)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Listed(ranges) => ranges.len(),
            Self::Entries(_, entries) => entries.len(),
        }
    }
}

/// Whether a range holds one of the comments, which are in order.
pub(super) fn has_comment(comments: &[Comment], range: TextRange) -> bool {
    let first = comments.partition_point(|comment| comment.range.start < range.start);
    comments.get(first).is_some_and(|comment| range.contains(comment.range))
}

/// The text between two items.
struct Gap {
    comma: Option<u32>,
}

impl List<'_> {
    /// Removes an item with its comma, including its lines if nothing else is on them.
    pub(super) fn remove(&self, index: usize) -> Option<Edit> {
        let item = self.items.get(index)?;
        let before = index.checked_sub(1).and_then(|index| self.items.get(index)).map(|item| item.end);
        let after = self.items.get(index + 1).map(|next| next.start);
        let comma_before = self.gap(before.unwrap_or(self.inside.start), item.start)?.comma;
        let comma_after = self.gap(item.end, after.unwrap_or(self.inside.end))?.comma;
        if comma_before.is_some() != before.is_some() || after.is_some() && comma_after.is_none() {
            return None;
        }
        let end = comma_after.map_or(item.end, |comma| comma + 1);
        if self.items.len() == 1 {
            let all = if self.commented(self.inside) { TextRange::new(item.start, end) } else { self.inside };
            return Some(replace_range(self.file, all, ""));
        }
        let own_line = starts_line(self.file, item.start);
        let ends_line = self.ends_line(end);
        if own_line && ends_line && comma_after.is_some() {
            let lines = TextRange::new(line_start(self.file, item.start), next_line(self.file, end - 1));
            return Some(replace_range(self.file, lines, ""));
        }
        match (before, after) {
            (Some(_), None) => self.remove_last(comma_before?, item, own_line, ends_line && comma_after.is_none()),
            (_, Some(next)) if !between(self.file, end, next).contains(['\n', '\r']) => {
                let removed = TextRange::new(item.start, next);
                (!self.commented(removed)).then(|| replace_range(self.file, removed, ""))
            }
            (Some(_), Some(_)) if !own_line => {
                let removed = TextRange::new(comma_before? + 1, end);
                (!self.commented(removed)).then(|| replace_range(self.file, removed, ""))
            }
            (None, Some(next)) => {
                let removed = TextRange::new(item.start, next);
                (!self.commented(removed)).then(|| replace_range(self.file, removed, ""))
            }
            _ => None,
        }
    }

    /// Removes the last item and the comma before it; comments between the two stay.
    fn remove_last(&self, comma: u32, item: TextRange, own_line: bool, ends_line: bool) -> Option<Edit> {
        let kept_to = if own_line { line_start(self.file, item.start) } else { item.start };
        let gap = TextRange::new(comma + 1, kept_to);
        let kept = gap.slice(&self.file.text).trim_end();
        if !kept.is_empty() && !ends_line {
            return None;
        }
        let end = if own_line && ends_line { line_end(self.file, item.end) } else { item.end };
        Some(replace_range(self.file, TextRange::new(comma, end), kept))
    }

    /// Adds an item after the last one, or as the only one.
    pub(super) fn append(&self, item: &str) -> Option<Edit> {
        match self.items.len() {
            0 => {
                let blank = self.inside.slice(&self.file.text).trim().is_empty();
                blank.then(|| replace_range(self.file, self.inside, item))
            }
            count => self.insert_after(count - 1, item),
        }
    }

    /// Adds an item after another; on its own line if the other item starts a line.
    pub(super) fn insert_after(&self, index: usize, item: &str) -> Option<Edit> {
        let last = self.items.get(index)?;
        let bound = self.items.get(index + 1).map_or(self.inside.end, |next| next.start);
        let comma = self.gap(last.end, bound)?.comma;
        if !starts_line(self.file, last.start) {
            return Some(replace_range(self.file, TextRange::at(last.end), format!(", {item}")));
        }
        let start = line_start(self.file, last.start);
        let (line_break, indent) = (line_break(self.file), between(self.file, start, last.start));
        let end = line_end(self.file, comma.unwrap_or(last.end));
        if end > bound || !self.ends_line(comma.map_or(last.end, |comma| comma + 1)) {
            return Some(replace_range(self.file, TextRange::at(last.end), format!(",{line_break}{indent}{item}")));
        }
        if comma.is_some() {
            return Some(replace_range(self.file, TextRange::at(end), format!("{line_break}{indent}{item},")));
        }
        let rest = between(self.file, last.end, end);
        Some(replace_range(self.file, TextRange::new(last.end, end), format!(",{rest}{line_break}{indent}{item}")))
    }

    /// The text between two offsets; `None` if it has more than one comma, whitespace and comments.
    fn gap(&self, from: u32, to: u32) -> Option<Gap> {
        let text = self.file.text.as_bytes();
        let (mut offset, mut comma) = (from, None);
        while offset < to {
            if let Some(comment) = self.comment_at(offset) {
                offset = comment.end;
                continue;
            }
            match text[offset as usize] {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                b',' if comma.is_none() => comma = Some(offset),
                _ => return None,
            }
            offset += 1;
        }
        Some(Gap { comma })
    }

    fn comment_at(&self, offset: u32) -> Option<TextRange> {
        let index = self.comments.binary_search_by_key(&offset, |comment| comment.range.start).ok()?;
        Some(self.comments[index].range).filter(|range| !range.is_empty())
    }

    fn commented(&self, range: TextRange) -> bool {
        has_comment(self.comments, range)
    }

    /// Whether only whitespace and a comment follow on the line.
    fn ends_line(&self, from: u32) -> bool {
        let rest = between(self.file, from, line_end(self.file, from));
        let blank = rest.len() - rest.trim_start().len();
        let start = from + blank as u32;
        rest.trim().is_empty() || self.comment_at(start).is_some_and(|comment| comment.end >= line_end(self.file, from))
    }
}
