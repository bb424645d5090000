//! `concise`: one line a finding.

use super::line::quoted;
use super::{Style, paint};
use owo_colors::OwoColorize;
use std::fmt::Write;
use vramlint_project::Report;
use vramlint_view::place::span;

/// `path:line:column: severity[CODE] message (name)`.
pub(crate) fn all(report: &Report, style: Style) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let at = span(&report.project, finding.place);
        let mark = format!("{}[{}]", finding.severity.name(), finding.code);
        let mark = if style.colour { mark.style(paint(finding.severity)).to_string() } else { mark };
        let (path, message) = (quoted(&at.path), quoted(finding.message.get(style.lang)));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{path}:{}:{}: {mark} {message} ({})", at.start.line, at.start.column, finding.name);
    }
    text
}
