//! Output formats: one file each.

mod concise;
mod full;
mod github;
mod json;
pub(crate) mod place;
pub(crate) mod runs_json;
pub(crate) mod runs_text;
mod table;

use crate::cli::Format;
use owo_colors::{OwoColorize, Style as Paint};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use vramlint_base::{Applicability, Lang, Severity, message};
use vramlint_project::Report;

/// How text is dressed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    /// Language of the messages.
    pub(crate) lang: Lang,
    /// Whether there is colour.
    pub(crate) colour: bool,
    /// The time it took, where it is to be told.
    pub(crate) elapsed: Option<Duration>,
}

/// Every finding in a format.
pub(crate) fn findings(report: &Report, format: Format, style: Style) -> String {
    match format {
        Format::Full => full::all(report, style),
        Format::Concise => concise::all(report, style),
        Format::Json => json::object(report, style.lang),
        Format::Jsonl => json::lines(report, style.lang),
        Format::Github => github::all(report, style.lang),
    }
}

/// How many of each severity: error, warning, info.
fn count(report: &Report) -> [usize; 3] {
    [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| report.findings.iter().filter(|finding| finding.severity == severity).count())
}

/// The closing line.
pub(crate) fn summary(report: &Report, style: Style) -> String {
    let [errors, warnings, infos] = count(report);
    let (files, runs) = (report.files, report.runs().count());
    let safe = |finding: &&vramlint_base::Finding| finding.fixes.iter().any(|fix| fix.applicability == Applicability::Safe);
    let fixable = report.findings.iter().filter(safe).count();
    let many = |n: usize, one: &str| if n == 1 { format!("{n} {one}") } else { format!("{n} {one}s") };
    let (e, w, i, f, r) =
        (many(errors, "error"), many(warnings, "warning"), many(infos, "note"), many(files, "file"), many(runs, "run"));
    let said = if errors + warnings + infos == 0 {
        message!("Nothing found in {f} ({r})", "{files} 个文件（{runs} 个训练任务）中未发现问题")
    } else {
        message!(
            "Found {e}, {w}, {i} in {f} ({r})",
            "在 {files} 个文件（{runs} 个训练任务）中发现 {errors} 个错误、{warnings} 个警告、{infos} 个提示"
        )
    };
    let mut text = said.get(style.lang).to_owned();
    if fixable > 0 {
        text.push_str(message!("; {fixable} fixable with --fix", "；{fixable} 个可用 --fix 修复").get(style.lang));
    }
    if let Some(elapsed) = style.elapsed {
        let _ = write!(text, " [{} ms]", elapsed.as_millis());
    }
    text.push('\n');
    text
}

/// Findings by rule, most first.
pub(crate) fn statistics(report: &Report, style: Style) -> String {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry((finding.code, finding.name)).or_default() += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|((code, _), n)| (std::cmp::Reverse(*n), *code));
    let width = rows.iter().map(|(_, n)| n.to_string().len()).max().unwrap_or(0);
    rows.into_iter().fold(String::new(), |mut text, ((code, name), n)| {
        let code = if style.colour { code.bold().to_string() } else { code.to_owned() };
        let _ = writeln!(text, "{n:>width$} {code} {name}");
        text
    })
}

/// The colour of a severity.
pub(crate) fn paint(severity: Severity) -> Paint {
    match severity {
        Severity::Error => Paint::new().red().bold(),
        Severity::Warning => Paint::new().yellow().bold(),
        Severity::Info => Paint::new().blue().bold(),
    }
}
