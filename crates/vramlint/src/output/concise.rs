//! `concise`: one line per finding.

use super::style::{Style, severity_style};
use owo_colors::OwoColorize;
use std::fmt::Write;
use vramlint_base::visible::one_line;
use vramlint_project::Report;
use vramlint_view::span::span;

/// `path:line:column: severity[CODE] message (name)`.
pub(crate) fn render(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let at = span(&report.project, finding.place);
        let mark = format!("{}[{}]", finding.severity.name(), finding.code);
        let mark = if style.color { mark.style(severity_style(finding.severity)).to_string() } else { mark };
        let (path, message) = (one_line(&at.path), one_line(finding.message.get(style.lang)));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{path}:{}:{}: {mark} {message} ({})", at.start.line, at.start.column, finding.name);
    }
    text
}
