//! Preview of a fix: its title, and the lines before and after.

use super::style::Style;
use super::terminal_line::RenderedLine;
use owo_colors::OwoColorize;
use std::fmt::Write;
use vramlint_base::visible::one_line;
use vramlint_base::{Applicability, Edit, FileId, Fix, Lang};
use vramlint_resolve::{Project, SourceFile};

/// Maximum number of lines of one change, before and after each.
const MAX_LINES: usize = 12;

/// Bytes before the first edit and after the last one that are shown at most.
const NEAR: usize = 1024;

/// Adjacent changed lines of one file.
#[derive(Debug, PartialEq, Eq)]
struct Hunk {
    /// Number of the first line, from 1.
    line: u32,
    before: Vec<String>,
    after: Vec<String>,
}

/// `fix: title`, and the changed lines. The path is only shown if it is not `home`, the file of the finding.
pub(super) fn fix_preview(project: &Project, fix: &Fix, home: FileId, style: Style) -> String {
    let level = match (fix.applicability, style.lang) {
        (Applicability::Safe, Lang::En) => "fix: ",
        (Applicability::Unsafe, Lang::En) => "unsafe fix: ",
        (Applicability::Display, Lang::En) => "advice: ",
        (Applicability::Safe, Lang::Zh) => "修复：",
        (Applicability::Unsafe, Lang::Zh) => "修复（不安全）：",
        (Applicability::Display, Lang::Zh) => "建议：",
    };
    let level = if style.color { level.cyan().to_string() } else { level.to_owned() };
    let mut text = format!("  {level}{}\n", one_line(fix.title.get(style.lang)));
    let mut edits: Vec<Edit> =
        fix.edits.iter().map(|edit| Edit { place: project.to_host(edit.place), text: edit.text.clone() }).collect();
    edits.sort_by_key(|edit| edit.place);
    let hunks: Vec<(FileId, Hunk)> = edits
        .chunk_by(|a, b| a.place.file == b.place.file)
        .flat_map(|edits| hunks(project.file(edits[0].place.file), edits).into_iter().map(|hunk| (edits[0].place.file, hunk)))
        .collect();
    let width = hunks.iter().map(|(_, hunk)| hunk.line.to_string().len()).max().unwrap_or(1);
    let mut shown = home;
    for (file, hunk) in &hunks {
        if *file != shown {
            shown = *file;
            // Writing to a string cannot fail.
            let _ = writeln!(text, "    {}", one_line(&project.file(*file).path));
        }
        draw(&mut text, hunk, width, style.color);
    }
    text
}

fn draw(text: &mut String, hunk: &Hunk, width: usize, color: bool) {
    let focus = match (&hunk.before[..], &hunk.after[..]) {
        ([before], [after]) => before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count(),
        _ => 0,
    };
    let mut number = hunk.line.to_string();
    for (sign, lines) in [('-', &hunk.before), ('+', &hunk.after)] {
        for line in lines.iter().take(MAX_LINES) {
            let drawn = RenderedLine::new(line, focus..focus + 1).text;
            let row = format!("{sign} {drawn}");
            let row = match (color, sign) {
                (true, '-') => row.trim_end().red().to_string(),
                (true, _) => row.trim_end().green().to_string(),
                _ => row,
            };
            let _ = writeln!(text, "{}", format!("    {number:>width$} {row}").trim_end());
            number.clear();
        }
        if lines.len() > MAX_LINES {
            let _ = writeln!(text, "    {:>width$} {sign} …", "");
        }
    }
}

/// Changes of one file, merged if they affect the same lines. `edits` are sorted and do not overlap.
fn hunks(file: &SourceFile, edits: &[Edit]) -> Vec<Hunk> {
    let line_of = |offset: u32| file.lines().line_of(offset);
    let mut groups: Vec<(u32, u32, Vec<&Edit>)> = Vec::new();
    for edit in edits {
        let (first, last) = (line_of(edit.place.range.start), line_of(edit.place.range.end));
        match groups.last_mut() {
            Some((_, end, group)) if first <= *end => {
                *end = last.max(*end);
                group.push(edit);
            }
            _ => groups.push((first, last, vec![edit])),
        }
    }
    groups.into_iter().map(|(first, last, edits)| hunk(file, first, last, &edits)).collect()
}

fn hunk(file: &SourceFile, first: u32, last: u32, edits: &[&Edit]) -> Hunk {
    let (mut start, mut end) = (file.lines().line_start(first) as usize, file.lines().line_start(last + 1) as usize);
    if let (Some(first), Some(last)) = (edits.first(), edits.last()) {
        // Of endless lines, a part is shown.
        start = start.max(file.text.floor_char_boundary((first.place.range.start as usize).saturating_sub(NEAR)));
        end = end.min(file.text.ceil_char_boundary(last.place.range.end as usize + NEAR));
    }
    let before = &file.text[start..end];
    let (mut after, mut done) = (String::new(), start);
    for edit in edits {
        let range = edit.place.range.as_usize();
        after.push_str(file.text.get(done..range.start).unwrap_or_default());
        after.push_str(&edit.text);
        done = range.end;
    }
    after.push_str(file.text.get(done..end).unwrap_or_default());
    let (mut before, mut after): (Vec<String>, Vec<String>) =
        (before.lines().map(str::to_owned).collect(), after.lines().map(str::to_owned).collect());
    // Omit unchanged lines: an insertion shows only the new lines.
    let leading = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    before.drain(..leading);
    after.drain(..leading);
    let trailing = before.iter().rev().zip(after.iter().rev()).take_while(|(a, b)| a == b).count();
    before.truncate(before.len() - trailing);
    after.truncate(after.len() - trailing);
    Hunk { line: first + 1 + leading as u32, before, after }
}
