//! GitHub workflows and composite actions: the scripts of their steps.

use super::pieces::Pieces;
use super::{Embedded, Language, body, lines};
use std::ops::Range;

/// Lines of a step at most, before and after its `run`: bounds the search for its shell.
const STEP_LINES: usize = 1000;

/// `run:` blocks of a GitHub workflow, or of a composite action, one text per step: each step has a shell of its own. `${{ … }}`
/// becomes a variable that nothing sets. Steps with a shell that is not read (`cmd`) are left out.
pub fn workflow(text: &str) -> Vec<Embedded> {
    let all: Vec<Line<'_>> = lines(text).map(|(at, line)| Line::read(at, line)).collect();
    let default = default_shell(&all);
    let mut found = Vec::new();
    let mut next = 0;
    // The lines that name machines: the last of each column, until one further left follows.
    let mut machines: Vec<&Line<'_>> = Vec::new();
    for (i, line) in all.iter().enumerate() {
        if line.key == "runs-on" {
            machines.retain(|machine| machine.column < line.column);
            machines.push(line);
        }
        if i < next || line.key != "run" || line.value.is_empty() {
            continue;
        }
        let (content, folded, end) = content(&all, i);
        next = end;
        let shell = step_shell(&all, i).or(default).unwrap_or_else(|| machine_shell(&machines, line.column));
        let Some(language) = language(shell) else { continue };
        let mut pieces = Pieces::new(text);
        for (i, part) in content.iter().enumerate() {
            let line = &text[part.clone()];
            let same = |line: &str| !line.trim().is_empty() && !line.starts_with([' ', '\t']);
            let joins = folded && same(line) && content.get(i + 1).is_some_and(|next| same(&text[next.clone()]));
            let end = if joins { part.start + body(line).len() } else { part.end };
            write(text, part.start..end, &mut pieces);
            pieces.copy_as(end, &" ".repeat(part.end - end));
        }
        found.extend(pieces.finish(language, None));
    }
    found
}

/// A line of YAML, as far as a mapping written in lines needs.
struct Line<'a> {
    at: usize,
    whole: &'a str,
    /// Blanks in front of the line; `None` for blank lines and comments.
    indent: Option<usize>,
    /// Column of the key: after `- `, where there is one.
    column: usize,
    key: &'a str,
    value: &'a str,
}

impl<'a> Line<'a> {
    fn read(at: usize, line: &'a str) -> Self {
        let text = body(line);
        let indent = text.len() - text.trim_start_matches(' ').len();
        let mut column = indent;
        while text[column..].starts_with("- ") {
            column += 2;
            column += text[column..].len() - text[column..].trim_start_matches(' ').len();
        }
        let (key, value) = text[column..].split_once(':').unwrap_or(("", ""));
        let sound = value.is_empty() || value.starts_with([' ', '\t']);
        let blank = text.trim().is_empty() || text[indent..].starts_with('#');
        let key = if sound { key.trim().trim_matches(['"', '\'']) } else { "" };
        Self { at, whole: line, indent: (!blank).then_some(indent), column, key, value: value.trim() }
    }

    /// The value without quotes and comment.
    fn unquoted(&self) -> &'a str {
        let value = self.value.find(" #").map_or(self.value, |end| &self.value[..end]);
        value.trim().trim_matches(['"', '\''])
    }
}

/// `shell` of `defaults: run:` of the whole file.
fn default_shell<'a>(all: &[Line<'a>]) -> Option<&'a str> {
    let start = all.iter().position(|line| line.indent == Some(0) && line.key == "defaults")?;
    let inside = all[start + 1..].iter().take_while(|line| line.indent != Some(0));
    inside.filter(|line| line.key == "shell").map(Line::unquoted).next()
}

/// The shell that the machine of a job has by default: PowerShell on Windows (GitHub's workflow syntax, `jobs.<job_id>.steps[*].shell`).
/// `machines` are the `runs-on` above a step in `column`.
fn machine_shell(machines: &[&Line<'_>], column: usize) -> &'static str {
    let machine = machines.iter().rev().find(|machine| machine.column < column);
    if machine.is_some_and(|machine| machine.unquoted().starts_with("windows")) { "pwsh" } else { "bash" }
}

/// `shell` of the step whose `run` is line `run`.
fn step_shell<'a>(all: &[Line<'a>], run: usize) -> Option<&'a str> {
    let column = all[run].column;
    let starts = |line: &Line<'_>| line.indent.is_some_and(|indent| indent < column && line.column == column);
    let inside = |line: &&Line<'_>| line.indent.is_none_or(|indent| indent >= column);
    let head = (run.saturating_sub(STEP_LINES)..=run).rev().find(|i| starts(&all[*i]) || !inside(&&all[*i]))?;
    let tail = all[head + 1..].iter().take(2 * STEP_LINES).take_while(inside);
    let step = std::iter::once(&all[head]).chain(tail);
    step.filter(|line| line.column == column && line.key == "shell").map(Line::unquoted).next()
}

fn language(shell: &str) -> Option<Language> {
    match shell.split(' ').next().unwrap_or("") {
        "bash" | "sh" | "zsh" => Some(Language::Bash),
        "pwsh" | "powershell" => Some(Language::PowerShell),
        "python" | "python3" => Some(Language::Python),
        _ => None,
    }
}

/// The pieces of the script of `run:` in line `run`, whether YAML folds their lines into one, and the line after it.
fn content(all: &[Line<'_>], run: usize) -> (Vec<Range<usize>>, bool, usize) {
    let head = &all[run];
    let inside = |line: &Line<'_>| body(line.whole).trim().is_empty() || depth(line.whole) > head.column;
    let count = all[run + 1..].iter().take_while(|line| inside(line)).count();
    let (first, end) = (run + 1, run + 1 + count);
    let value = head.at + head.whole.find(head.value).unwrap_or(0);
    if head.value.starts_with(['|', '>']) {
        let block = &all[first..end];
        let indent = block.iter().find(|line| !line.whole.trim().is_empty()).map_or(0, |line| depth(line.whole));
        let part = |line: &Line<'_>| line.at + indent.min(depth(line.whole))..line.at + line.whole.len();
        return (block.iter().map(part).collect(), head.value.starts_with('>'), end);
    }
    let quote = head.value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let Some(quote) = quote else {
        let length = head.value.find(" #").unwrap_or(head.value.len());
        let whole = length == head.value.len();
        let own = value..if whole { head.at + head.whole.len() } else { value + length };
        let mut parts = Vec::from([own]);
        if whole {
            // A plain value goes on in deeper lines.
            parts.extend(all[first..end].iter().map(|line| line.at + depth(line.whole)..line.at + line.whole.len()));
        }
        return (parts, true, end);
    };
    let inner = &head.value[1..];
    let last = inner.find(quote).filter(|last| last + 1 == inner.len() && !inner.contains('\\'));
    // Escapes, and quotes over several lines, are left alone.
    let part = last.map(|last| value + 1..value + 1 + last);
    (part.into_iter().collect(), false, end)
}

fn depth(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Takes `part` without GitHub's expressions.
fn write(text: &str, part: Range<usize>, pieces: &mut Pieces<'_>) {
    let mut at = part.start;
    while let Some(start) = text[at..part.end].find("${{").map(|found| at + found)
        && let Some(end) = text[start..part.end].find("}}").map(|found| start + found + 2)
    {
        pieces.copy(at..start);
        pieces.copy_unknown(start..end);
        at = end;
    }
    pieces.copy(at..part.end);
}
