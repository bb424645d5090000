//! `full`: the source with its marks, the help and the fixes. The only file that knows miette.

use super::excerpt::{CONTEXT, Excerpt, harmless};
use super::{View, patch, severity_word};
use crate::colour::{of_severity, paint};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents, ThemeCharacters, ThemeStyles,
};
use owo_colors::Style;
use std::fmt::{self, Write};
use vramlint_base::{Applicability, Finding, Fix, Message, Severity, message};

/// Every finding, with an empty line behind it.
pub(super) fn render(view: &View<'_>) -> String {
    view.report.findings.iter().map(|finding| one(view, finding) + "\n").collect()
}

fn one(view: &View<'_>, finding: &Finding) -> String {
    let mut out = header(view, finding);
    let snippet = Snippet::new(view, finding);
    let handler = GraphicalReportHandler::new_themed(theme(view))
        .with_context_lines(CONTEXT as usize)
        .with_wrap_lines(false)
        .with_links(false)
        .without_syntax_highlighting();
    if handler.render_report(&mut out, &snippet).is_err() {
        // Writing to a text cannot fail; were it so, the message alone is better than nothing.
        let _ = writeln!(out, "  {snippet}");
    }
    out += &notes(view, finding);
    for fix in &finding.fixes {
        out += &shown_fix(view, finding, fix);
    }
    out
}

fn header(view: &View<'_>, finding: &Finding) -> String {
    let code = paint(finding.code, of_severity(finding.severity), view.colour);
    format!("{code} {}\n", paint(finding.name, Style::new().bold(), view.colour))
}

/// What stands below the source: help, and the run for which the finding holds.
fn notes(view: &View<'_>, finding: &Finding) -> String {
    let mut out = String::new();
    let note = |name: Message, text: &str| {
        let name = paint(name.get(view.lang), Style::new().cyan(), view.colour);
        let text: String = text.chars().map(harmless).collect();
        format!("  {name}{text}\n")
    };
    if let Some(help) = &finding.help {
        out += &note(message!("help: ", "帮助："), help.get(view.lang));
    }
    if let Some(run) = &finding.run {
        out += &note(message!("run: ", "训练任务："), run);
    }
    out
}

fn shown_fix(view: &View<'_>, finding: &Finding, fix: &Fix) -> String {
    let name = match fix.applicability {
        Applicability::Safe => message!("fix (safe): ", "修复（安全）："),
        Applicability::Unsafe => message!("fix (unsafe): ", "修复（不安全）："),
        Applicability::Display => message!("fix (by hand): ", "修复（手动）："),
    };
    let name = paint(name.get(view.lang), Style::new().cyan(), view.colour);
    let title: String = fix.title.get(view.lang).chars().map(harmless).collect();
    let mut out = format!("  {name}{title}\n");
    let project = &view.report.project;
    let (home, start, _) = project.position(finding.place);
    let changes = patch::changes(project, fix);
    for change in &changes {
        let file = project.file(change.file);
        if file.id != home.id || change.line != start.line || changes.len() > 1 {
            let _ = writeln!(out, "    {}:{}", file.path, change.line);
        }
        for (sign, line) in &change.lines {
            let style = if *sign == '-' { Style::new().red() } else { Style::new().green() };
            let _ = writeln!(out, "    {}", paint(&format!("{sign} {line}"), style, view.colour));
        }
        if change.more > 0 {
            let more = change.more;
            let _ = writeln!(out, "    {}", message!("… {more} more lines", "… 另有 {more} 行").get(view.lang));
        }
    }
    out
}

fn theme(view: &View<'_>) -> GraphicalTheme {
    let word = |sign: &str, severity| format!("{sign} {}:", severity_word(severity, view.lang));
    let characters = ThemeCharacters {
        error: word("×", Severity::Error),
        warning: word("⚠", Severity::Warning),
        advice: word("ℹ", Severity::Info),
        ..ThemeCharacters::unicode()
    };
    GraphicalTheme { characters, styles: if view.colour { ThemeStyles::ansi() } else { ThemeStyles::none() } }
}

/// A finding as miette takes it.
#[derive(Debug)]
struct Snippet {
    message: String,
    severity: Severity,
    excerpt: Excerpt,
    labels: Vec<LabeledSpan>,
}

impl Snippet {
    fn new(view: &View<'_>, finding: &Finding) -> Self {
        let clean = |text: &str| text.chars().map(harmless).collect::<String>();
        let places = std::iter::once(finding.place).chain(finding.related.iter().map(|related| related.place));
        let excerpt = Excerpt::new(&view.report.project, places);
        let texts =
            std::iter::once(None).chain(finding.related.iter().map(|related| Some(clean(related.message.get(view.lang)))));
        let labels = excerpt.marks.iter().zip(texts).enumerate().map(|(index, (mark, text))| {
            let span = SourceSpan::new(mark.start.into(), mark.len);
            if index == 0 { LabeledSpan::new_primary_with_span(text, span) } else { LabeledSpan::new_with_span(text, span) }
        });
        let labels = labels.collect();
        Self { message: clean(finding.message.get(view.lang)), severity: finding.severity, excerpt, labels }
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Snippet {}

impl Diagnostic for Snippet {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let part = self.part(span.offset(), span.len(), before, after).ok_or(MietteError::OutOfBounds)?;
        let range = SourceSpan::new(part.start.into(), part.text.len());
        let (name, text) = (part.path.to_owned(), part.text.as_bytes());
        Ok(Box::new(MietteSpanContents::new_named(name, text, range, part.line, part.column, part.line_count)))
    }
}

#[cfg(test)]
mod tests;
