//! What can be written at a place.
//!
//! A text that is being typed is broken most of the time: a key without a colon, a string without its end. Where the cursor is comes
//! from the text itself, line by line; the tree and the runs tell what the file is and which names count there.

mod builder;
mod catalog_item;
mod comment;
mod common_values;
mod json;
mod python;
mod shell;
mod sources;
mod target_syntax;
mod toml;
mod vocabulary;
mod yaml;

use crate::embedded::{FilePosition, to_host_exact};
use builder::CompletionBuilder;
use vramlint_base::{FileId, Lang, LineIndex, TextRange};
use vramlint_project::Report;
use vramlint_resolve::{Project, SourceFile, Syntax};

/// What is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompletionKind {
    /// A key, an argument, a flag.
    Key,
    /// A value of a key.
    Value,
    /// A model.
    Model,
    /// A card.
    Gpu,
    /// A file of the project.
    File,
}

/// One offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What the list shows.
    pub label: String,
    /// A few words beside it: type and default.
    pub detail: String,
    /// Its documentation, Markdown that reads as plain text too.
    pub documentation: String,
    /// What is replaced, in the whole file: the word before the cursor, or nothing.
    pub replace: TextRange,
    /// What is written instead.
    pub text: String,
    /// What it is.
    pub kind: CompletionKind,
    /// Whether the libraries of this project no longer have it.
    pub deprecated: bool,
    /// Best first.
    pub rank: u32,
}

/// What can be written at `offset` of a whole file, best first.
pub fn completions(report: &Report, file: FileId, offset: u32, lang: Lang) -> Vec<Completion> {
    let project = &report.project;
    let Some(position) = FilePosition::innermost(project, file, offset) else { return Vec::new() };
    let text = project.file(position.file);
    let cx = CompletionContext { project, file: text, offset: position.offset as usize, lang };
    let completions = match comment::context_at(&cx) {
        comment::CommentContext::Directive(completions) => Some(completions),
        comment::CommentContext::Comment => None,
        comment::CommentContext::Code => code_completions(&cx),
    };
    let Some(completions) = completions else { return Vec::new() };
    let Some(replace) = to_host_exact(project, position.file, completions.replace()) else { return Vec::new() };
    completions.ranked(replace.range)
}

/// The same for a configuration of vramlint (`vramlint.toml`, `pyproject.toml`) by its text alone: as long as it is broken there is no
/// report.
pub fn configuration_completions(name: &str, text: &str, offset: u32, lang: Lang) -> Vec<Completion> {
    if !text.is_char_boundary(offset as usize) {
        return Vec::new();
    }
    let file = SourceFile {
        id: FileId(0),
        path: name.to_owned(),
        text: text.into(),
        lines: LineIndex::new(text),
        syntax: Syntax::Text,
        decode_errors: Vec::new(),
        host: None,
        policy: 0,
        reported: true,
    };
    let project = Project::default();
    let cx = CompletionContext { project: &project, file: &file, offset: offset as usize, lang };
    let completions = if toml::is_configuration(&file) { toml::completions(&cx) } else { None };
    completions
        .map(|completions| (completions.replace(), completions))
        .map(|(range, completions)| completions.ranked(range))
        .unwrap_or_default()
}

/// Where something is to be written, in the innermost text.
struct CompletionContext<'a> {
    project: &'a Project,
    file: &'a SourceFile,
    offset: usize,
    lang: Lang,
}

impl CompletionContext<'_> {
    /// The text before the cursor.
    fn before(&self) -> &str {
        self.file.text.get(..self.offset).unwrap_or_default()
    }

    /// The text behind the cursor.
    fn after(&self) -> &str {
        self.file.text.get(self.offset..).unwrap_or_default()
    }

    /// Where the line of the cursor starts, a byte order mark not counted.
    fn line_start(&self) -> usize {
        let before = self.before();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        start + before[start..].len() - before[start..].trim_start_matches('\u{feff}').len()
    }

    /// The line of the cursor, up to the cursor.
    fn line(&self) -> &str {
        &self.before()[self.line_start()..]
    }

    /// The rest of the line behind the cursor.
    fn rest(&self) -> &str {
        self.after().split(['\n', '\r']).next().unwrap_or_default()
    }
}

fn code_completions(cx: &CompletionContext<'_>) -> Option<CompletionBuilder> {
    if toml::is_configuration(cx.file) {
        return toml::completions(cx);
    }
    match &cx.file.syntax {
        Syntax::Data(data) if data.json => json::completions(cx),
        Syntax::Data(_) => yaml::completions(cx),
        Syntax::Python(module) => python::completions(cx, module),
        Syntax::Script(_) => shell::completions(cx),
        Syntax::Text | Syntax::Unreadable => None,
    }
}

#[cfg(test)]
mod tests;
