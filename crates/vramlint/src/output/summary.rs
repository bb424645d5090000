//! The summary line below the findings, and `--statistics`.

use super::style::Style;
use owo_colors::OwoColorize;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use vramlint_base::text::len_noun;
use vramlint_base::{Applicability, Message, Severity, message};
use vramlint_project::{FixOutcome, Report};

/// Number of errors, warnings and infos.
pub(super) fn count_by_severity(report: &Report) -> [usize; 3] {
    [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| report.findings.iter().filter(|finding| finding.severity == severity).count())
}

/// Number of findings whose best fix has this applicability.
fn fixable(report: &Report, level: Applicability) -> usize {
    let best = |finding: &&vramlint_base::Finding| finding.fixes.iter().map(|fix| fix.applicability).max() == Some(level);
    report.findings.iter().filter(best).count()
}

/// The summary line.
pub(crate) fn summary(report: &Report, style: Style) -> String {
    let (files, runs) = (report.files, report.runs().count());
    let counts = count_by_severity(report);
    let found = |words: [&str; 3], join: &str, format: fn(usize, &str) -> String| {
        let parts = counts.iter().zip(words).filter(|(n, _)| **n > 0).map(|(n, word)| format(*n, word));
        parts.collect::<Vec<_>>().join(join)
    };
    let (f, r) = (len_noun(files, "file"), len_noun(runs, "run"));
    let message = if report.findings.is_empty() {
        message!("Nothing found in {f} ({r})", "{files} 个文件（{runs} 个训练任务）中未发现问题")
    } else {
        let en = found(["error", "warning", "note"], ", ", len_noun);
        let zh = found(["错误", "警告", "提示"], "、", |n, word| format!("{n} 个{word}"));
        message!("Found {en} in {f} ({r})", "在 {files} 个文件（{runs} 个训练任务）中发现 {zh}")
    };
    let mut text = message.get(style.lang).to_owned();
    text.push_str(&fixable_note(report, style));
    if let Some(elapsed) = style.elapsed {
        let _ = write!(text, " [{} ms]", elapsed.as_millis());
    }
    text.push('\n');
    text
}

/// The number of findings that `--fix` would fix.
fn fixable_note(report: &Report, style: Style) -> String {
    let (safe, more) = (fixable(report, Applicability::Safe), fixable(report, Applicability::Unsafe));
    let note = match (safe, more) {
        (0, 0) => return String::new(),
        (_, 0) => message!("; {safe} fixable with --fix", "；{safe} 个可用 --fix 修复"),
        (0, _) => message!("; {more} fixable with --fix --unsafe-fixes", "；{more} 个可用 --fix --unsafe-fixes 修复"),
        _ => message!(
            "; {safe} fixable with --fix, {more} more with --unsafe-fixes",
            "；{safe} 个可用 --fix 修复，另 {more} 个需加 --unsafe-fixes"
        ),
    };
    note.get(style.lang).to_owned()
}

/// The number of fixes that were applied, or would be.
pub(crate) fn fix_summary(outcome: &FixOutcome, would: bool) -> Message {
    let count: usize = outcome.files.iter().map(|file| file.applied.len()).sum();
    let files = outcome.files.len();
    let en = format!("{} in {}", len_noun(count, "fix"), len_noun(files, "file"));
    if would {
        message!("Would apply {en}", "将修复 {count} 处，涉及 {files} 个文件")
    } else {
        message!("Applied {en}", "已修复 {count} 处，涉及 {files} 个文件")
    }
}

#[derive(Serialize)]
struct Row<'a> {
    code: &'a str,
    name: &'a str,
    count: usize,
}

fn rows(report: &Report) -> Vec<Row<'_>> {
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for finding in &report.findings {
        *counts.entry((finding.code, finding.name)).or_default() += 1;
    }
    let mut rows: Vec<_> = counts.into_iter().map(|((code, name), count)| Row { code, name, count }).collect();
    rows.sort_by_key(|row| (std::cmp::Reverse(row.count), row.code));
    rows
}

/// Findings per rule, most frequent first.
pub(crate) fn statistics(report: &Report, style: Style) -> String {
    let rows = rows(report);
    let width = rows.iter().map(|row| row.count.to_string().len()).max().unwrap_or(0);
    rows.into_iter().fold(String::new(), |mut text, Row { code, name, count }| {
        let code = if style.color { code.bold().to_string() } else { code.to_owned() };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{count:>width$} {code} {name}");
        text
    })
}

/// [`statistics`] as JSON.
pub(crate) fn statistics_json(report: &Report) -> String {
    super::serialize::to_string(&rows(report))
}
