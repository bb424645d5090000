//! `concise`: one line a finding, as editors and `grep` read it.

use super::View;
use crate::colour::{of_severity, paint};
use owo_colors::Style;
use std::fmt::Write;

/// `path:line:column: severity[code] message (name)`.
pub(super) fn render(view: &View<'_>) -> String {
    let mut out = String::new();
    for finding in &view.report.findings {
        let (file, start, _) = view.report.project.position(finding.place);
        let path = paint(&file.path, Style::new().bold(), view.colour);
        let severity = format!("{}[{}]", finding.severity.name(), finding.code);
        let severity = paint(&severity, of_severity(finding.severity), view.colour);
        let (message, name) = (one_line(finding.message.get(view.lang)), finding.name);
        let _ = writeln!(out, "{path}:{}:{}: {severity} {message} ({name})", start.line, start.column);
    }
    out
}

/// Messages hold values of the user's files, and one finding is one line.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use crate::testing::{Fixture, finding};
    use crate::{cli::Format, output::View};
    use vramlint_base::{Lang, Severity};

    #[test]
    fn one_line_a_finding() {
        let report = Fixture::new(&[("配置.yaml", "批量: 4\r\nlr: 2e-5\r\n")])
            .finding(finding(0, "2e-5"))
            .finding(|project| {
                let mut finding = finding(0, "4")(project);
                finding.severity = Severity::Error;
                finding.message.en.push_str(" a\nb");
                finding
            })
            .report();
        let view = View { report: &report, lang: Lang::En, colour: false };
        insta::assert_snapshot!(view.findings(Format::Concise).expect("rendered"), @r"
        配置.yaml:2:5: warning[VL999] `2e-5` is odd (odd-value)
        配置.yaml:1:5: error[VL999] `4` is odd a b (odd-value)
        ");
        let chinese = View { lang: Lang::Zh, ..view }.findings(Format::Concise).expect("rendered");
        assert!(chinese.starts_with("配置.yaml:2:5: warning[VL999] `2e-5` 很奇怪 (odd-value)\n"), "{chinese}");
        let coloured = View { colour: true, ..view }.findings(Format::Concise).expect("rendered");
        assert!(coloured.contains("\u{1b}["), "{coloured}");
    }
}
