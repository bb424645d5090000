//! `github`: annotations of GitHub Actions, escaped as `@actions/core` does, worst first.

use std::fmt::Write;
use vramlint_base::visible::{acts_on_display, picture};
use vramlint_base::{Finding, Lang, Severity};
use vramlint_project::Report;
use vramlint_view::span::span;

/// One workflow command per finding. GitHub shows only the first ones, so the most severe come first.
pub(crate) fn render(report: &Report, lang: Lang) -> String {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings.into_iter().fold(String::new(), |mut text, finding| {
        let at = span(&report.project, finding.place);
        let level = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = format!(
            "title={},file={},line={},endLine={}",
            property(&format!("{} {}", finding.code, finding.name)),
            property(&at.path),
            at.start.line,
            at.end.line
        );
        // GitHub rejects columns of multi-line ranges.
        if at.start.line == at.end.line {
            let _ = write!(properties, ",col={},endColumn={}", at.start.column, at.end.column);
        }
        let mut message = finding.message.get(lang).to_owned();
        for related in &finding.related {
            let there = span(&report.project, related.place);
            let _ = write!(message, "\n{}:{}: {}", there.path, there.start.line, related.message.get(lang));
        }
        if let Some(help) = &finding.help {
            let _ = write!(message, "\n{}", help.get(lang));
        }
        let _ = writeln!(text, "::{level} {properties}::{}", data(&message));
        text
    })
}

/// Escapes as `@actions/core`. What would act on the terminal of who reads the log is replaced first.
fn data(text: &str) -> String {
    let shown: String =
        text.chars().map(|c| if acts_on_display(c) && !matches!(c, '\r' | '\n' | '\t') { picture(c) } else { c }).collect();
    shown.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_as_the_toolkit_does() {
        assert_eq!(data("50% of a\r\nb: c, d"), "50%25 of a%0D%0Ab: c, d");
        assert_eq!(data("a\u{1b}[31m\u{202e}"), "a␛[31m\u{fffd}");
        assert_eq!(property("a\tb"), "a\tb");
        assert_eq!(property("C:\\a,b%\n"), "C%3A\\a%2Cb%25%0A");
    }
}
