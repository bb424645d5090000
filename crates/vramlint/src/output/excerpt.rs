//! The source lines that a finding shows, prepared for a terminal.

use super::terminal_line::RenderedLine;
use std::ops::Range;
use vramlint_base::visible::one_line;
use vramlint_base::{FileId, FileRange, Finding, Lang};
use vramlint_resolve::{Project, SourceFile};

/// Ranges that are at most this many lines apart are shown together.
const NEAR: u32 = 3;

/// Adjacent lines of one file, with labels.
#[derive(Debug)]
pub(super) struct Excerpt {
    /// The file, as shown.
    pub(super) path: String,
    /// Line and column of the main label, both from 1.
    pub(super) head: (u32, u32),
    /// The first line, from 0.
    pub(super) first: u32,
    /// The lines as they are drawn; each ends with `\n`.
    pub(super) text: String,
    /// The labels, in order of position.
    pub(super) labels: Vec<Label>,
}

/// A label on a part of an excerpt.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Byte range in [`Excerpt::text`].
    pub(super) range: Range<usize>,
    /// Empty for the finding itself, whose message is printed above.
    pub(super) message: String,
    /// Whether the label is the finding itself.
    pub(super) primary: bool,
}

/// A range to be drawn, within one line of a file.
struct Mark {
    file: FileId,
    line: u32,
    column: u32,
    range: Range<usize>,
    message: String,
    primary: bool,
}

/// The excerpts of a finding: first its own range, then the related ranges in order.
pub(super) fn excerpts(project: &Project, finding: &Finding, lang: Lang) -> Vec<Excerpt> {
    let mut groups: Vec<Vec<Mark>> = Vec::new();
    add(project, &mut groups, mark(project, finding.place, String::new(), true));
    for related in &finding.related {
        add(project, &mut groups, mark(project, related.place, one_line(related.message.get(lang)).into_owned(), false));
    }
    groups.into_iter().map(|group| draw(project.file(group[0].file), group)).collect()
}

/// Marks only the first line of a multi-line range, so that a whole script is not repeated.
fn mark(project: &Project, place: FileRange, message: String, primary: bool) -> Mark {
    let place = project.to_host(place);
    let (file, start, _) = project.position(place);
    let (from, to) = (place.range.start as usize, place.range.end as usize);
    let line = start.line - 1;
    let end = to.min(line_range(file, line).end).max(from);
    // Trailing whitespace is only kept if the range ends on this line, because the finding may be about whitespace.
    let covered = file.text.get(from..end).unwrap_or_default();
    let shown = if to > end { covered.trim_end().len() } else { covered.len() };
    Mark { file: place.file, line, column: start.column, range: from..from + shown, message, primary }
}

/// Whether the lines around a finding may contain secrets, as in an environment file.
fn is_private(file: &SourceFile) -> bool {
    file.extension() == "env"
}

fn add(project: &Project, groups: &mut Vec<Vec<Mark>>, mark: Mark) {
    let reach = if is_private(project.file(mark.file)) { 0 } else { NEAR };
    let overlaps = |other: &Mark| other.range.start < mark.range.end && mark.range.start < other.range.end;
    for group in groups.iter_mut().filter(|group| group[0].file == mark.file) {
        if let Some(same) = group.iter_mut().find(|other| other.range == mark.range) {
            if same.message.is_empty() || same.message == mark.message {
                same.message = mark.message;
                return;
            }
            continue;
        }
        let near = group.iter().any(|other| other.line.abs_diff(mark.line) <= reach);
        if near && !group.iter().any(overlaps) {
            group.push(mark);
            return;
        }
    }
    groups.push(vec![mark]);
}

/// Byte range of a line without its line break.
fn line_range(file: &SourceFile, line: u32) -> Range<usize> {
    let (start, end) = (file.lines().line_start(line) as usize, file.lines().line_start(line + 1) as usize);
    let text = file.text.get(start..end).unwrap_or_default();
    start..start + text.trim_end_matches(['\n', '\r']).len()
}

fn draw(file: &SourceFile, mut group: Vec<Mark>) -> Excerpt {
    let head = group.iter().find(|mark| mark.primary).unwrap_or(&group[0]);
    let head = (head.line + 1, head.column);
    group.sort_by_key(|mark| mark.range.start);
    let says_something = |line: &u32| !is_private(file) && !file.text[line_range(file, *line)].trim().is_empty();
    let (top, bottom) = (group[0].line, group[group.len() - 1].line);
    let first = top.checked_sub(1).filter(says_something).unwrap_or(top);
    let last = Some(bottom + 1).filter(says_something).unwrap_or(bottom);
    let (mut text, mut labels) = (String::new(), Vec::new());
    for line in first..=last {
        let bytes = line_range(file, line);
        let here: Vec<&Mark> = group.iter().filter(|mark| mark.line == line).collect();
        let within = |offset: usize| offset.clamp(bytes.start, bytes.end) - bytes.start;
        let focus = here.first().map_or(0..0, |mark| within(mark.range.start)..within(mark.range.end));
        let drawn = RenderedLine::new(&file.text[bytes.clone()], focus);
        labels.extend(here.into_iter().map(|mark| Label {
            range: text.len() + drawn.place(within(mark.range.start))..text.len() + drawn.place(within(mark.range.end)),
            message: mark.message.clone(),
            primary: mark.primary,
        }));
        text.push_str(&drawn.text);
        text.push('\n');
    }
    Excerpt { path: one_line(&file.path).into_owned(), head, first, text, labels }
}
