//! Completions.
//!
//! Text is usually broken while it is typed: a key without a colon, a string without its end. So the position of the cursor comes
//! from the text itself; the syntax tree and the runs say what the file is and which names are valid.

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
use vramlint_base::{FileId, Lang, TextRange};
use vramlint_project::Report;
use vramlint_resolve::{Project, SourceFile, Syntax};

/// What is completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompletionKind {
    /// A key, an argument, a flag.
    Key,
    /// A value of a key.
    Value,
    /// A model.
    Model,
    /// A GPU.
    Gpu,
    /// A file of the project.
    File,
}

/// A completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The displayed label.
    pub label: String,
    /// Type and default.
    pub detail: String,
    /// Documentation: Markdown that also reads well as plain text.
    pub documentation: String,
    /// The replaced range in the host file: the word before the cursor, or empty.
    pub replace: TextRange,
    /// The inserted text.
    pub text: String,
    /// The kind.
    pub kind: CompletionKind,
    /// Whether the project's library versions no longer have it.
    pub deprecated: bool,
    /// Position in the list, best first.
    pub rank: u32,
}

/// The completions at `offset` of a host file, best first.
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

/// The same for a configuration of vramlint (`vramlint.toml`, `pyproject.toml`), from its text alone: while it is invalid there is
/// no report.
pub fn configuration_completions(name: &str, text: &str, offset: u32, lang: Lang) -> Vec<Completion> {
    if !text.is_char_boundary(offset as usize) {
        return Vec::new();
    }
    let file = SourceFile {
        id: FileId(0),
        path: name.to_owned(),
        text: text.into(),
        tree: Syntax::Text.into(),
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

/// The cursor in the innermost file.
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

    /// The text after the cursor.
    fn after(&self) -> &str {
        self.file.text.get(self.offset..).unwrap_or_default()
    }

    /// Start of the cursor's line, after a byte order mark.
    fn line_start(&self) -> usize {
        let before = self.before();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        start + before[start..].len() - before[start..].trim_start_matches('\u{feff}').len()
    }

    /// The line up to the cursor.
    fn line(&self) -> &str {
        &self.before()[self.line_start()..]
    }

    /// The line after the cursor.
    fn rest(&self) -> &str {
        self.after().split(['\n', '\r']).next().unwrap_or_default()
    }
}

fn code_completions(cx: &CompletionContext<'_>) -> Option<CompletionBuilder> {
    if toml::is_configuration(cx.file) {
        return toml::completions(cx);
    }
    match cx.file.syntax() {
        Syntax::Data(data) if data.json => json::completions(cx),
        Syntax::Data(_) => yaml::completions(cx),
        Syntax::Python(module) => python::completions(cx, module),
        Syntax::Script(_) => shell::completions(cx),
        Syntax::Text | Syntax::Unreadable => None,
    }
}

#[cfg(test)]
mod tests;
