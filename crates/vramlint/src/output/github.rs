//! `github`: workflow commands that GitHub Actions turns into annotations.
//!
//! Escapes are those of `@actions/core` 1.11 `src/command.ts`.

use super::View;
use std::cmp::Reverse;
use std::fmt::Write;
use std::path::Path;
use vramlint_base::{Finding, Severity};

/// The working directory within the workspace: annotations name files from there.
pub(super) fn prefix_of_environment() -> String {
    let workspace = std::env::var_os("GITHUB_WORKSPACE").filter(|value| !value.is_empty());
    match (workspace, std::env::current_dir()) {
        (Some(workspace), Ok(cwd)) => prefix(Path::new(&workspace), &cwd),
        _ => String::new(),
    }
}

fn prefix(workspace: &Path, cwd: &Path) -> String {
    let below = cwd.strip_prefix(workspace).unwrap_or(Path::new(""));
    below.components().fold(String::new(), |path, part| path + &part.as_os_str().to_string_lossy() + "/")
}

/// The gravest first, since GitHub shows only ten of each kind a step.
pub(super) fn render(view: &View<'_>, prefix: &str) -> String {
    let mut findings: Vec<&Finding> = view.report.findings.iter().collect();
    findings.sort_by_key(|finding| Reverse(finding.severity));
    findings.into_iter().map(|finding| command(view, finding, prefix)).collect()
}

fn command(view: &View<'_>, finding: &Finding, prefix: &str) -> String {
    let (file, start, end) = view.report.project.position(finding.place);
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let path = if file.path.starts_with('/') { file.path.clone() } else { format!("{prefix}{}", file.path) };
    let mut out = format!("::{kind} file={},line={}", property(&path), start.line);
    // GitHub takes columns only where both ends are on one line (REST API, check runs, `start_column`).
    let one_line = start.line == end.line;
    if one_line {
        let _ = write!(out, ",col={}", start.column);
    }
    let _ = write!(out, ",endLine={}", end.line);
    if one_line {
        let _ = write!(out, ",endColumn={}", end.column);
    }
    let title = format!("{} {}", finding.code, finding.name);
    let _ = writeln!(out, ",title={}::{}", property(&title), data(&text(view, finding)));
    out
}

/// The message, then the other places and the help, one a line.
fn text(view: &View<'_>, finding: &Finding) -> String {
    let mut text = finding.message.get(view.lang).to_owned();
    for related in &finding.related {
        let (file, start, _) = view.report.project.position(related.place);
        let _ = write!(text, "\n{}:{}: {}", file.path, start.line, related.message.get(view.lang));
    }
    if let Some(help) = &finding.help {
        let _ = write!(text, "\n{}", help.get(view.lang));
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Fixture, finding, related};
    use vramlint_base::{Lang, message};

    #[test]
    fn the_gravest_comes_first_and_everything_is_escaped() {
        let grave = |project: &vramlint_resolve::Project| {
            let mut finding = finding(0, "b\r\nc")(project);
            finding.severity = Severity::Error;
            finding.message = message!("100% of a:b,c\r\nnext", "百分之百 100%");
            finding
        };
        let advice = |project: &vramlint_resolve::Project| Finding { severity: Severity::Info, ..finding(0, "显")(project) };
        let report = Fixture::new(&[("a,b:%.yaml", "显存: a\r\nb\r\nc\r\n")])
            .finding(advice)
            .finding(related(finding(0, "a"), 0, "c"))
            .finding(grave)
            .report();
        let view = View { report: &report, lang: Lang::En, colour: true };
        insta::assert_snapshot!(render(&view, ""), @r#"
        ::error file=a%2Cb%3A%25.yaml,line=2,endLine=3,title=VL999 odd-value::100%25 of a:b,c%0D%0Anext%0Amake it even
        ::warning file=a%2Cb%3A%25.yaml,line=1,col=5,endLine=1,endColumn=6,title=VL999 odd-value::`a` is odd%0Aa,b:%25.yaml:3: the other end%0Amake it even
        ::notice file=a%2Cb%3A%25.yaml,line=1,col=1,endLine=1,endColumn=2,title=VL999 odd-value::`显` is odd%0Amake it even
        "#);
        assert!(render(&View { lang: Lang::Zh, ..view }, "sub/").starts_with("::error file=sub/a%2C"));
    }

    #[test]
    fn paths_are_those_of_the_workspace() {
        assert_eq!(prefix(Path::new("/w"), Path::new("/w/sub/deep")), "sub/deep/");
        assert_eq!(prefix(Path::new("/w"), Path::new("/w")), "");
        assert_eq!(prefix(Path::new("/w"), Path::new("/elsewhere")), "");
    }
}
