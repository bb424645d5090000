//! `full`: source, labels, related places, help and fixes. The only file that knows miette.

use super::place::{short, span};
use super::{Style, paint};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use owo_colors::OwoColorize;
use std::fmt::{self, Display, Write};
use std::sync::Arc;
use vramlint_base::{Applicability, Edit, Finding, Fix, Lang, Place, Severity};
use vramlint_project::Report;
use vramlint_resolve::Project;

/// Columns that a report may take: room for a label beside a line of configuration.
const WIDTH: usize = 140;

/// Every finding.
pub(crate) fn all(report: &Report, style: Style) -> String {
    let theme = if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false)
        .with_context_lines(1)
        .with_show_related_as_nested(false);
    report.findings.iter().fold(String::new(), |mut text, finding| {
        text.push_str(&one(&report.project, finding, &handler, style));
        text
    })
}

fn one(project: &Project, finding: &Finding, handler: &GraphicalReportHandler, style: Style) -> String {
    let mut text = String::new();
    let mark = format!("{}[{}]", finding.severity.name(), finding.code);
    let name = finding.name;
    let message = finding.message.get(style.lang);
    // Writing to a string cannot fail.
    let _ = if style.colour {
        writeln!(text, "{} {} {}", mark.style(paint(finding.severity)), message.bold(), format!("({name})").dimmed())
    } else {
        writeln!(text, "{mark} {message} ({name})")
    };
    for snippet in snippets(project, finding, style.lang) {
        let mut drawn = String::new();
        if handler.render_report(&mut drawn, &snippet).is_ok() {
            // miette's own head repeats the message; ours stands above.
            drawn.lines().skip_while(|line| !line.contains('╭')).for_each(|line| {
                text.push_str(line);
                text.push('\n');
            });
        }
    }
    let word = |en: &'static str, zh: &'static str| if style.lang == Lang::Zh { zh } else { en };
    if let Some(help) = &finding.help {
        let _ = writeln!(text, "  {} {}", word("help:", "帮助："), help.get(style.lang));
    }
    for fix in &finding.fixes {
        text.push_str(&suggestion(project, fix, style));
    }
    text.push('\n');
    text
}

/// `fix (safe): title`, and the lines before and after.
fn suggestion(project: &Project, fix: &Fix, style: Style) -> String {
    let level = match (fix.applicability, style.lang) {
        (Applicability::Safe, Lang::En) => "fix:",
        (Applicability::Unsafe, Lang::En) => "fix (unsafe):",
        (Applicability::Display, Lang::En) => "advice:",
        (Applicability::Safe, Lang::Zh) => "修复：",
        (Applicability::Unsafe, Lang::Zh) => "修复（不安全）：",
        (Applicability::Display, Lang::Zh) => "建议：",
    };
    let mut text = format!("  {level} {}\n", fix.title.get(style.lang));
    for edit in &fix.edits {
        let (path, before, after) = lines(project, edit);
        let at = short(project, edit.place);
        let _ = if path.is_empty() { Ok(()) } else { writeln!(text, "    {at}") };
        for (sign, block) in [("-", before), ("+", after)] {
            for line in block.lines() {
                let line = format!("    {sign} {line}");
                let line = match (style.colour, sign) {
                    (true, "-") => line.red().to_string(),
                    (true, _) => line.green().to_string(),
                    _ => line,
                };
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}

/// Path and the whole lines that an edit touches, before and after.
fn lines(project: &Project, edit: &Edit) -> (String, String, String) {
    let place = project.to_host(edit.place);
    let file = project.file(place.file);
    let (start, end) = (place.range.start as usize, place.range.end as usize);
    let first = file.lines.line_start(file.lines.line_of(place.range.start)) as usize;
    let ends_line = end > start && file.text.as_bytes().get(end - 1) == Some(&b'\n');
    let last = if ends_line { end } else { file.text[end..].find('\n').map_or(file.text.len(), |i| end + i) };
    let before = file.text[first..last].to_owned();
    let after = format!("{}{}{}", &file.text[first..start], edit.text, &file.text[end..last]);
    (file.path.clone(), before, after)
}

/// One snippet per file that takes part, the finding's own first.
fn snippets(project: &Project, finding: &Finding, lang: Lang) -> Vec<Snippet> {
    let mut found: Vec<Snippet> = Vec::new();
    let places = std::iter::once((finding.place, String::new()))
        .chain(finding.related.iter().map(|r| (r.place, r.message.get(lang).to_owned())));
    for (place, label) in places {
        let place = project.to_host(place);
        let at = span(project, place);
        let file = project.file(place.file);
        let label =
            LabeledSpan::new((!label.is_empty()).then_some(label), place.range.start as usize, visible(place, &file.text));
        match found.iter_mut().find(|snippet| snippet.path == at.path) {
            Some(snippet) => snippet.labels.push(label),
            None => found.push(Snippet {
                path: at.path.clone(),
                source: NamedSource::new(at.path, Arc::clone(&file.text)),
                labels: vec![label],
                severity: finding.severity,
            }),
        }
    }
    found
}

/// Bytes of a place that are drawn: of several lines only the first, so that a whole script is not repeated.
fn visible(place: Place, text: &str) -> usize {
    let covered = place.range.slice(text);
    covered.lines().next().map_or(0, |line| line.trim_end().len())
}

#[derive(Debug)]
struct Snippet {
    path: String,
    source: NamedSource<Arc<str>>,
    labels: Vec<LabeledSpan>,
    severity: Severity,
}

impl Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("-")
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
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
