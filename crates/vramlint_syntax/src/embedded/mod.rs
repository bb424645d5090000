//! Files inside files: fenced blocks of Markdown, recipes of a Makefile, `RUN`/`CMD` of a Dockerfile, `run:` of a workflow,
//! commands of containers, commands that a Python program starts.

mod docker_lines;
mod dockerfile;
mod head_commands;
mod job_files;
mod language;
mod makefile;
mod markdown;
mod pieces;
mod prompt;
mod python_commands;
#[cfg(test)]
mod tests;
mod workflow;

pub use dockerfile::dockerfile;
pub use head_commands::{python_head, yaml_head};
pub use job_files::job_file;
pub use language::language_of;
pub use makefile::makefile;
pub use markdown::{markdown, prose};
pub use python_commands::python_commands;
pub use workflow::workflow;

use std::ops::Range;
use vramlint_base::TextRange;

/// The language of an embedded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// Python.
    Python,
    /// bash, sh, zsh.
    Bash,
    /// PowerShell.
    PowerShell,
    /// TOML.
    Toml,
}

/// A text inside another, with the way back.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// Its language.
    pub language: Language,
    /// The file name that the host gives it, as written: `title="ds_config.json"` after a fence, or a comment on its first line
    /// that is nothing but a name.
    pub name: Option<String>,
    /// The text with the host's indentation and quote marks removed.
    pub text: String,
    /// Where it is in the host, fence marks not included.
    pub range: TextRange,
    /// The way back: (offset in `text`, offset in the host), ascending in the first; between two entries offsets run in step.
    /// Text that the host does not hold has an entry per byte and one for its end, all with the same place in the host. Of two
    /// entries for one offset the second counts, and the first ends what is before.
    pub map: Vec<(u32, u32)>,
    /// Whether the host, which is a program, executes it.
    pub is_executed: bool,
    /// Whether the host, which is itself code or a configuration, only shows it: a command in its first comments.
    pub is_shown: bool,
}

impl Embedded {
    /// The place in the host of a range of the embedded text. It ends after the place of its last byte, so that marks removed
    /// after it do not belong to it.
    pub fn to_host(&self, range: TextRange) -> TextRange {
        let start = self.offset_to_host(range.start);
        if range.is_empty() {
            return TextRange::at(start);
        }
        let last = self.offset_to_host(range.end - 1);
        let next = self.map.partition_point(|(own, _)| *own < range.end);
        let added = self.map.get(next).is_some_and(|(own, host)| *own == range.end && *host == last);
        TextRange::new(start, if added { last } else { last + 1 })
    }

    fn offset_to_host(&self, offset: u32) -> u32 {
        let after = self.map.partition_point(|(own, _)| *own <= offset);
        let (own, host) = if after == 0 { (0, self.range.start) } else { self.map[after - 1] };
        host + (offset - own)
    }

    /// Only the given parts of the text, in order.
    fn select(&self, parts: &[Range<usize>]) -> Self {
        let mut text = String::new();
        let mut map = Vec::new();
        for part in parts.iter().filter(|part| !part.is_empty()) {
            let (start, end, own) = (part.start as u32, part.end as u32, text.len() as u32);
            map.push((own, self.offset_to_host(start)));
            let first = self.map.partition_point(|(at, _)| *at <= start);
            let inner = self.map[first..].iter().take_while(|(at, _)| *at < end);
            map.extend(inner.map(|(at, host)| (own + at - start, *host)));
            text.push_str(&self.text[part.clone()]);
        }
        Self { text, map, name: self.name.clone(), ..*self }
    }
}

/// The lines of a text with their place, each with its line break (`\n` or `\r\n`).
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

/// `line` without its line break.
fn body(line: &str) -> &str {
    line.trim_end_matches(['\n', '\r'])
}

/// Whether a line goes on after a backslash.
fn continues(line: &str) -> bool {
    let body = body(line);
    (body.len() - body.trim_end_matches('\\').len()) % 2 == 1
}

/// Whether a command only changes the shell that it runs in: `cd x`, `export A=1`, `A=1`. Where every command gets its own
/// shell, nothing sees that.
fn only_changes_shell(command: &str) -> bool {
    let command = command.trim();
    let joined = command.contains([';', '&', '|', '\n', '`', '(']);
    let mut words = command.split_whitespace();
    let first = words.next().unwrap_or("");
    let assigns = first.split_once('=').is_some_and(|(name, _)| !name.is_empty() && !name.contains(['-', '/', '$']));
    !joined && (matches!(first, "cd" | "export" | "set") || assigns && words.next().is_none())
}
