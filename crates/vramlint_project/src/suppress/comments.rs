//! The comments of a host file and of its embedded texts, with ranges in the host file.

use std::collections::BTreeSet;
use vramlint_base::{FileId, FileRange, TextRange};
use vramlint_resolve::{Project, SourceFile, Syntax, SyntaxKind};

/// A comment with its range in the host file.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)] // four facts that do not depend on each other
pub(crate) struct HostComment {
    /// The range in the host file, including the marker.
    pub range: TextRange,
    /// Whether only whitespace precedes it on its line.
    pub own_line: bool,
    /// Whether a command may continue over several lines here.
    pub continues: bool,
    /// Whether it is in the first ten lines of its text.
    pub in_head: bool,
    /// The range that `ignore-file` would apply to: the host file, or the embedded text.
    pub text_range: TextRange,
    /// Whether it is in an example in a document; suppressions in examples may have no effect.
    pub in_document: bool,
}

/// The comments of one host file.
#[derive(Debug, Default)]
pub(crate) struct HostComments {
    /// The comments, ordered and without duplicates.
    pub comments: Vec<HostComment>,
    /// Lines (from 0) that contain only a comment.
    pub comment_lines: BTreeSet<u32>,
}

/// Number of lines at the start of a text in which `ignore-file` is valid.
const HEAD_LINES: u32 = 10;

/// The comments of `host` and of its embedded texts `inner`.
pub(crate) fn collect(project: &Project, host: FileId, inner: &[FileId]) -> HostComments {
    let whole = project.file(host);
    let mut out = HostComments::default();
    for id in std::iter::once(&host).chain(inner) {
        let file = project.file(*id);
        for range in ranges(file, project, inner) {
            let Some(at) = in_host(project, file, range) else { continue };
            let line = whole.lines().line_of(at.start);
            let own_line = TextRange::new(whole.lines().line_start(line), at.start)
                .slice(&whole.text)
                .trim_start_matches('\u{feff}')
                .trim()
                .is_empty();
            if own_line {
                out.comment_lines.extend(line..=whole.lines().line_of(at.end));
            }
            out.comments.push(HostComment {
                range: at,
                own_line,
                continues: matches!(file.tree.kind(), SyntaxKind::Script | SyntaxKind::Text),
                in_head: file.lines().line_of(range.start) < HEAD_LINES,
                text_range: file.host.as_ref().map_or(TextRange::new(0, whole.text.len() as u32), |(_, embedded)| embedded.range),
                in_document: file.host.is_some() && is_markdown(whole),
            });
        }
    }
    out.comments.sort_by_key(|comment| comment.range);
    out.comments.dedup_by_key(|comment| comment.range.start);
    out
}

/// The range in the host file, if it is contiguous there.
fn in_host(project: &Project, file: &SourceFile, range: TextRange) -> Option<TextRange> {
    let at = project.to_host(FileRange::new(file.id, TextRange::at(range.start)));
    let at = TextRange::at(at.range.start);
    let whole = TextRange::new(at.start, at.start + range.len());
    let host = file.host.as_ref().map_or(file, |(host, _)| project.file(*host));
    (whole.slice(&host.text) == range.slice(&file.text)).then_some(whole)
}

fn is_markdown(file: &SourceFile) -> bool {
    matches!(file.extension().as_str(), "md" | "markdown")
}

/// The comments of one text, with ranges in that text.
fn ranges(file: &SourceFile, project: &Project, inner: &[FileId]) -> Vec<TextRange> {
    let comments = match file.syntax() {
        Syntax::Data(data) => &data.comments,
        Syntax::Python(module) => &module.comments,
        Syntax::Script(script) => &script.comments,
        Syntax::Text if is_markdown(file) && file.host.is_none() => {
            let hosts = inner.iter().filter_map(|id| project.file(*id).host.as_ref());
            let mut examples: Vec<TextRange> = hosts.map(|(_, embedded)| embedded.range).collect();
            examples.sort_unstable();
            let inside = |at: &TextRange| {
                let behind = examples.partition_point(|example| example.start <= at.start);
                behind.checked_sub(1).is_some_and(|number| examples[number].contains(*at))
            };
            return html(&file.text).into_iter().filter(|at| !inside(at)).collect();
        }
        Syntax::Text => return by_line(file),
        Syntax::Unreadable => return Vec::new(),
    };
    comments.iter().map(|comment| comment.range).collect()
}

fn html(text: &str) -> Vec<TextRange> {
    let mut out = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("<!--").map(|at| from + at) {
        let end = text[start..].find("-->").map_or(text.len(), |at| start + at + 3);
        out.push(TextRange::of(start..end));
        from = end;
    }
    out
}

/// Comments of a text without a parser, such as a Makefile: lines that start with a marker, and `#` comments that mention vramlint.
fn by_line(file: &SourceFile) -> Vec<TextRange> {
    let mut out = Vec::new();
    for line in 0..file.lines().line_count() {
        let range = TextRange::new(file.lines().line_start(line), file.lines().line_start(line + 1));
        let text = range.slice(&file.text);
        let content = text.trim_end();
        let body = content.trim_start_matches('\u{feff}').trim_start();
        let is_rem = body.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("rem "));
        let start = if body.starts_with('#') || body.starts_with("//") || body.starts_with("::") || is_rem {
            content.len() - body.len()
        } else if let Some(at) = content.find("vramlint").and_then(|name| content[..name].rfind('#')) {
            at
        } else {
            continue;
        };
        out.push(TextRange::new(range.start + start as u32, range.start + content.len() as u32));
    }
    out
}
