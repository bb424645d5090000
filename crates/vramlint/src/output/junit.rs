//! `junit`: the XML that CI systems display as tests, with one suite per file and one case per finding.

use std::fmt::Write;
use vramlint_base::visible::acts_on_display;
use vramlint_base::{Finding, Lang, Severity};
use vramlint_project::Report;
use vramlint_view::span::span;

/// One document. Advice is a passing case with output, because it does not affect the exit status. Without findings, the document
/// has one passing case, because some readers treat a report without cases as a failure.
pub(super) fn render(report: &Report, lang: Lang) -> String {
    let mut files: Vec<(String, Vec<&Finding>)> = Vec::new();
    for finding in &report.findings {
        let path = span(&report.project, finding.place).path;
        match files.iter_mut().find(|(known, _)| *known == path) {
            Some((_, findings)) => findings.push(finding),
            None => files.push((path, vec![finding])),
        }
    }
    let failures = |findings: &[&Finding]| findings.iter().filter(|finding| fails(finding)).count();
    let failed: usize = files.iter().map(|(_, findings)| failures(findings)).sum();
    let cases = report.findings.len().max(1);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "<testsuites name=\"vramlint\" tests=\"{cases}\" failures=\"{failed}\" errors=\"0\">");
    if files.is_empty() {
        text += "  <testsuite name=\"vramlint\" tests=\"1\" failures=\"0\" errors=\"0\">\n";
        text += "    <testcase name=\"nothing found\" classname=\"vramlint\"/>\n  </testsuite>\n";
    }
    for (path, findings) in &files {
        let (name, tests, failed) = (escaped(path), findings.len(), failures(findings));
        let _ = writeln!(text, "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failed}\" errors=\"0\">");
        for finding in findings {
            case(&mut text, report, finding, lang);
        }
        text += "  </testsuite>\n";
    }
    text += "</testsuites>\n";
    text
}

fn fails(finding: &Finding) -> bool {
    finding.severity > Severity::Info
}

fn case(text: &mut String, report: &Report, finding: &Finding, lang: Lang) {
    let at = span(&report.project, finding.place);
    let (path, line, column) = (escaped(&at.path), at.start.line, at.start.column);
    let message = finding.message.get(lang);
    let mut body = format!("{}:{line}:{column}: {message}", at.path);
    for related in &finding.related {
        let there = span(&report.project, related.place);
        let _ = write!(body, "\n{}:{}: {}", there.path, there.start.line, related.message.get(lang));
    }
    if let Some(help) = &finding.help {
        let _ = write!(body, "\n{}", help.get(lang));
    }
    let (message, body) = (escaped(message), escaped(&body).replace("&#10;", "\n"));
    let _ = writeln!(
        text,
        "    <testcase name=\"{} {}\" classname=\"{path}\" file=\"{path}\" line=\"{line}\">",
        finding.code, finding.name
    );
    let _ = if fails(finding) {
        writeln!(text, "      <failure type=\"{}\" message=\"{message}\">{body}</failure>", finding.severity.name())
    } else {
        writeln!(text, "      <system-out>{body}</system-out>")
    };
    text.push_str("    </testcase>\n");
}

/// Escapes an attribute value. XML 1.0 cannot represent most control characters, not even as character references.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if acts_on_display(c) => {
                let _ = write!(out, "&#{};", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_an_attribute() {
        assert_eq!(escaped("a<b> & \"c\"\n批\u{1b}"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;批\u{fffd}");
    }
}
