//! `full`: source, labels, related ranges, help and fixes. The only module that uses miette.

use super::excerpt::{Excerpt, excerpts};
use super::fix_preview::fix_preview;
use super::style::{Style, severity_style};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};
use owo_colors::{OwoColorize, Style as Paint};
use std::fmt::{self, Display, Write};
use vramlint_base::visible::one_line;
use vramlint_base::{Finding, Lang, Severity};
use vramlint_project::Report;
use vramlint_resolve::Project;

/// Every finding, with an empty line after each.
pub(crate) fn render(report: &Report, style: Style) -> String {
    report.findings.iter().map(|finding| render_one(&report.project, finding, style)).collect()
}

fn render_one(project: &Project, finding: &Finding, style: Style) -> String {
    let mut text = String::new();
    let mark = format!("{}[{}]", finding.severity.name(), finding.code);
    let name = format!("({})", finding.name);
    let message = one_line(finding.message.get(style.lang));
    // Writing to a string cannot fail.
    let _ = if style.color {
        writeln!(text, "{} {} {}", mark.style(severity_style(finding.severity)), message.bold(), name.dimmed())
    } else {
        writeln!(text, "{mark} {message} {name}")
    };
    let excerpts = excerpts(project, finding, style.lang);
    let width = excerpts.iter().map(number_width).max().unwrap_or(0);
    for excerpt in excerpts {
        let indent = " ".repeat(width - number_width(&excerpt));
        for line in drawn(&Snippet(excerpt), finding.severity, style.color).lines() {
            let _ = writeln!(text, "{}", format!("{indent}{line}").trim_end());
        }
    }
    if let Some(help) = &finding.help {
        let word = if style.lang == Lang::Zh { "帮助：" } else { "help: " };
        let word = if style.color { word.cyan().to_string() } else { word.to_owned() };
        let mut lines = help.get(style.lang).lines();
        let _ = writeln!(text, "  {word}{}", one_line(lines.next().unwrap_or_default()));
        for line in lines {
            let _ = writeln!(text, "        {}", one_line(line));
        }
    }
    let home = project.to_host(finding.place).file;
    for fix in &finding.fixes {
        text.push_str(&fix_preview(project, fix, home, style));
    }
    text.push('\n');
    text
}

/// Width of the largest line number.
fn number_width(excerpt: &Excerpt) -> usize {
    (excerpt.first as usize + excerpt.text.lines().count()).to_string().len()
}

fn drawn(snippet: &Snippet, severity: Severity, color: bool) -> String {
    let mut theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    if color {
        let color_of = |primary: bool| if primary { severity_style(severity) } else { Paint::new().blue() };
        theme.styles.highlights = snippet.0.labels.iter().map(|label| color_of(label.primary)).collect();
        theme.styles.link = Paint::new().cyan();
    }
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_context_lines(1);
    let mut text = String::new();
    if handler.render_report(&mut text, snippet).is_err() {
        return String::new();
    }
    // The header of miette repeats the message, which is already printed.
    text.lines().skip_while(|line| !line.contains('╭')).fold(String::new(), |mut all, line| {
        all.push_str(line);
        all.push('\n');
        all
    })
}

/// An excerpt as miette source. It contains only the lines to show, so it is always returned completely.
#[derive(Debug)]
struct Snippet(Excerpt);

impl Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.path)
    }
}

impl std::error::Error for Snippet {}

impl Diagnostic for Snippet {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.0.labels.iter().map(|label| {
            let text = (!label.message.is_empty()).then(|| label.message.clone());
            LabeledSpan::new(text, label.range.start, label.range.len())
        })))
    }
}

impl SourceCode for Snippet {
    /// With context, the lines to draw; without context, the position in the header. miette counts columns in bytes, so the position
    /// is computed here.
    fn read_span<'a>(
        &'a self,
        _: &SourceSpan,
        context_lines_before: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let Excerpt { path, head, first, text, .. } = &self.0;
        let (line, column) = if context_lines_before > 0 { (*first, 0) } else { (head.0 - 1, head.1 - 1) };
        Ok(Box::new(MietteSpanContents::new_named(
            path.clone(),
            text.as_bytes(),
            (0, text.len()).into(),
            line as usize,
            column as usize,
            text.lines().count(),
        )))
    }
}
