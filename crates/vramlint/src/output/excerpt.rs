//! The lines of files that a finding is shown with, as one small text.
//!
//! Only marked lines and their neighbours are taken, so that a finding at the end of a long file costs no more than one at its
//! start. Overlong lines are cut to a window around their mark, and characters that would steer the terminal are replaced, so
//! that a text from a stranger cannot.

use std::collections::BTreeSet;
use vramlint_base::{FileId, Place, TextRange};
use vramlint_resolve::{Project, SourceFile};

/// Lines around a mark.
pub(super) const CONTEXT: u32 = 1;
/// A mark over more lines than this shows its first line only.
const LONGEST_MARK: u32 = 8;
/// Characters of a line that are shown.
const WIDEST: usize = 160;
/// Characters before a mark that stay where a line is cut.
const LEAD: usize = 60;

/// A marked place in the excerpt's own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Offset of the first byte.
    pub(super) start: usize,
    /// Bytes.
    pub(super) len: usize,
}

/// The excerpt.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    /// Its text: every line ends with `\n`.
    text: String,
    lines: Vec<Line>,
    /// The marks, in the order in which they were given.
    pub(super) marks: Vec<Mark>,
}

#[derive(Debug)]
struct Line {
    path: String,
    /// Line of the file, from 0.
    number: u32,
    /// Offset in the excerpt's text.
    start: usize,
    /// Lines with the same number follow each other in their file.
    block: usize,
    /// Columns of the file before the first character shown, less the character that stands for them.
    skipped: usize,
}

/// A part of the excerpt.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) path: &'a str,
    /// Line of the file, from 0, of the first byte.
    pub(super) line: usize,
    /// Column, from 0, of the first byte.
    pub(super) column: usize,
    /// Offset in the excerpt's text of the first byte.
    pub(super) start: usize,
    pub(super) text: &'a str,
    pub(super) line_count: usize,
}

/// A place that is carried from a file into the excerpt.
struct Wanted {
    file: FileId,
    range: TextRange,
    first: u32,
    last: u32,
}

impl Excerpt {
    /// The lines around `places`, files in the order of their first place.
    pub(super) fn new(project: &Project, places: impl IntoIterator<Item = Place>) -> Self {
        let wanted: Vec<Wanted> = places.into_iter().map(|place| wanted(project, place)).collect();
        let mut excerpt = Self { marks: vec![Mark { start: 0, len: 0 }; wanted.len()], ..Self::default() };
        let mut files: Vec<FileId> = Vec::new();
        for one in &wanted {
            if !files.contains(&one.file) {
                files.push(one.file);
            }
        }
        for id in files {
            excerpt.add(project.file(id), &wanted);
        }
        excerpt
    }

    fn add(&mut self, file: &SourceFile, wanted: &[Wanted]) {
        let here = || wanted.iter().enumerate().filter(|(_, one)| one.file == file.id);
        // A last line without any text is shown only if it is marked.
        let count = file.lines.line_count() - u32::from(file.text.ends_with(['\n', '\r']) && file.lines.line_count() > 1);
        let mut shown = BTreeSet::new();
        for (_, one) in here() {
            shown.extend(one.first.saturating_sub(CONTEXT)..(one.last + 1 + CONTEXT).min(count));
            shown.extend(one.first..=one.last);
        }
        let mut before: Option<u32> = None;
        let mut block = self.lines.last().map_or(0, |line| line.block);
        for number in shown {
            if before.is_none_or(|before| before + 1 < number) {
                block += 1;
            }
            before = Some(number);
            let content = content(file, number);
            let marked = here().map(|(_, one)| one.range.start).find(|start| content.start <= *start && *start <= content.end);
            let window = window(&file.text, content, marked);
            let at = self.push(file, number, block, content, window);
            for (index, one) in here() {
                self.carry(index, one, content, window, at);
            }
        }
    }

    /// Appends a line and gives the offset at which its window starts.
    fn push(&mut self, file: &SourceFile, number: u32, block: usize, content: TextRange, window: TextRange) -> usize {
        let start = self.text.len();
        let skipped = TextRange::new(content.start, window.start).slice(&file.text).chars().count();
        if skipped > 0 {
            self.text.push('…');
        }
        let at = self.text.len();
        self.text.extend(window.slice(&file.text).chars().map(harmless));
        if window.end < content.end {
            self.text.push('…');
        }
        self.text.push('\n');
        self.lines.push(Line { path: file.path.clone(), number, start, block, skipped: skipped.saturating_sub(1) });
        at
    }

    /// Carries the ends of a mark that lie on the line.
    fn carry(&mut self, index: usize, one: &Wanted, content: TextRange, window: TextRange, at: usize) {
        let carried = |offset: u32| at + (offset.clamp(window.start, window.end) - window.start) as usize;
        let on = |offset: u32| content.start <= offset && offset <= content.end;
        let mark = &mut self.marks[index];
        if on(one.range.start) {
            *mark = Mark { start: carried(one.range.start), len: 0 };
        }
        if on(one.range.end) {
            mark.len = carried(one.range.end) - mark.start;
        }
    }

    /// The lines of `start..start + len` with their neighbours, or (without neighbours) the part from `start` on. `None` where
    /// lines lie between that the excerpt lacks.
    pub(super) fn part(&self, start: usize, len: usize, before: usize, after: usize) -> Option<Part<'_>> {
        let line_of = |offset: usize| self.lines.partition_point(|line| line.start <= offset).checked_sub(1);
        let mut first = line_of(start)?;
        let mut last = line_of(if len == 0 { start } else { start + len - 1 })?;
        let block = self.lines[first].block;
        if self.lines[last].block != block {
            return None;
        }
        let same = |index: usize| self.lines.get(index).is_some_and(|line| line.block == block);
        let (own, column) = (first, self.column(first, start));
        for _ in 0..before {
            first -= usize::from(first > 0 && same(first - 1));
        }
        for _ in 0..after {
            last += usize::from(same(last + 1));
        }
        let from = if before == 0 { start } else { self.lines[first].start };
        let to = self.lines.get(last + 1).map_or(self.text.len(), |line| line.start);
        Some(Part {
            path: &self.lines[own].path,
            line: self.lines[first].number as usize,
            column: if before == 0 { column } else { 0 },
            start: from,
            text: self.text.get(from..to)?,
            line_count: last - first + 1,
        })
    }

    fn column(&self, line: usize, offset: usize) -> usize {
        let line = &self.lines[line];
        line.skipped + self.text.get(line.start..offset).map_or(0, |text| text.chars().count())
    }
}

fn wanted(project: &Project, place: Place) -> Wanted {
    let Place { file: id, mut range } = project.to_host(place);
    let file = project.file(id);
    let length = file.text.len() as u32;
    range = TextRange::new(range.start.min(length), range.end.min(length));
    let first = file.lines.line_of(range.start);
    // A range that ends at the start of a line ends in truth with the line before.
    let mut last = file.lines.line_of(range.end.saturating_sub(u32::from(range.end > range.start)));
    if last - first >= LONGEST_MARK {
        last = first;
    }
    range.end = range.end.min(content(file, last).end).max(range.start);
    range.start = range.start.min(content(file, first).end);
    Wanted { file: id, range, first, last }
}

/// The line without its line break.
fn content(file: &SourceFile, number: u32) -> TextRange {
    let range = TextRange::new(file.lines.line_start(number), file.lines.line_start(number + 1));
    let trimmed = range.slice(&file.text).trim_end_matches(['\n', '\r']).len() as u32;
    TextRange::new(range.start, range.start + trimmed)
}

/// The part of a line that is shown: all, unless it is too long.
fn window(text: &str, content: TextRange, marked: Option<u32>) -> TextRange {
    let line = content.slice(text);
    if line.len() <= WIDEST || line.chars().count() <= WIDEST {
        return content;
    }
    let at = marked.map_or(0, |mark| TextRange::new(content.start, mark).slice(text).chars().count());
    let from = at.saturating_sub(LEAD);
    let offset = |n: usize| line.char_indices().nth(n).map_or(line.len(), |(offset, _)| offset) as u32;
    TextRange::new(content.start + offset(from), content.start + offset(from + WIDEST))
}

/// A character of the same length in UTF-8 that moves no cursor, hides nothing and reverses no text.
pub(super) fn harmless(c: char) -> char {
    match c {
        '\t' => '\t',
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}' => '\u{fffd}',
        c if c.is_control() && c.len_utf8() == 1 => '?',
        c if c.is_control() => '¿',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, place};

    fn excerpt(files: &[(&str, &str)], marks: &[(u32, &str)]) -> Excerpt {
        let report = Fixture::new(files).report();
        Excerpt::new(&report.project, marks.iter().map(|(file, needle)| place(&report.project, *file, needle)))
    }

    fn marked(excerpt: &Excerpt) -> Vec<&str> {
        excerpt.marks.iter().map(|mark| &excerpt.text[mark.start..mark.start + mark.len]).collect()
    }

    #[test]
    fn marks_keep_their_text_over_all_line_ends() {
        let excerpt = excerpt(&[("a", "一: 1\r\n二: 2\r\n三: 3\r四: 4\n"), ("b", "x")], &[(0, "2\r\n三"), (1, "x"), (0, "1")]);
        assert_eq!(excerpt.text, "一: 1\n二: 2\n三: 3\n四: 4\nx\n");
        assert_eq!(marked(&excerpt), ["2\n三", "x", "1"]);
    }

    #[test]
    fn only_marked_lines_and_their_neighbours_are_taken() {
        let text: String = (1..=20).fold(String::new(), |text, n| text + &format!("line {n};\n"));
        let excerpt = excerpt(&[("a", &text)], &[(0, "line 18;"), (0, "line 3;")]);
        assert_eq!(excerpt.text, "line 2;\nline 3;\nline 4;\nline 17;\nline 18;\nline 19;\n");
        let mark = excerpt.marks[0];
        let part = excerpt.part(mark.start, mark.len, 1, 1).expect("in one block");
        assert_eq!((part.line, part.column, part.line_count, part.text), (16, 0, 3, "line 17;\nline 18;\nline 19;\n"));
        let part = excerpt.part(mark.start + 5, 2, 0, 0).expect("in one block");
        assert_eq!((part.line, part.column, part.line_count), (17, 5, 1));
        assert!(excerpt.part(excerpt.marks[1].start, mark.start - excerpt.marks[1].start, 0, 0).is_none());
    }

    #[test]
    fn a_long_line_is_cut_around_its_mark() {
        let text = format!("{{{}\"键\": 4, {}}}", "\"a\": 1, ".repeat(1000), "\"b\": 2, ".repeat(1000));
        let excerpt = excerpt(&[("a.json", &text)], &[(0, "4")]);
        assert_eq!(marked(&excerpt), ["4"]);
        assert!(excerpt.text.chars().count() < WIDEST + 4 && excerpt.text.starts_with('…') && excerpt.text.ends_with("…\n"));
        let part = excerpt.part(excerpt.marks[0].start, 1, 0, 0).expect("there");
        assert_eq!(part.column, 1 + 8 * 1000 + 5);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let excerpt = excerpt(&[("a", "\u{1b}[31m\u{202e}x\u{9b}\u{0}\ty")], &[(0, "y")]);
        assert_eq!(excerpt.text, "?[31m\u{fffd}x¿?\ty\n");
        assert_eq!(marked(&excerpt), ["y"]);
    }

    #[test]
    fn empty_texts_and_ends_are_marked() {
        for (text, at) in [("", 0), ("a\n", 2), ("a", 1), ("a\r\n", 1)] {
            let report = Fixture::new(&[("a", text)]).report();
            let excerpt = Excerpt::new(&report.project, [Place::new(FileId(0), TextRange::new(at, 99))]);
            let mark = excerpt.marks[0];
            assert_eq!(mark.len, 0, "{text:?}");
            assert!(excerpt.part(mark.start, mark.len, 1, 1).is_some(), "{text:?}");
        }
    }

    #[test]
    fn a_mark_over_many_lines_shows_its_first() {
        let text = "def f():\n".to_owned() + &"    pass\n".repeat(30);
        let excerpt = excerpt(&[("a.py", &text)], &[(0, &text)]);
        assert_eq!(marked(&excerpt), ["def f():"]);
        assert_eq!(excerpt.text.lines().count(), 2);
    }
}
