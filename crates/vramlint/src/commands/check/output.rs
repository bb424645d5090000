//! What `check` prints: the findings, the notes on standard error, and the exit status.

use crate::cli::{CheckArgs, Format};
use crate::exit::{Status, write_error};
use crate::language;
use crate::output::{self, Style};
use crate::progress::Progress;
use crate::stdio::{guarded, print_stderr, write_named, write_stdout};
use anyhow::Result;
use std::io::Write;
use vramlint_base::text::len_noun;
use vramlint_base::{Lang, Severity, message};
use vramlint_project::{BaselineStats, Report, SkipReason, SkippedPath};

/// Maximum number of unread files that are named, so that `git ls-files | xargs vramlint check` stays readable.
const MAX_NAMED_SKIPPED: usize = 10;

/// The exit status: whether a finding reaches `--fail-on`.
pub(super) fn status(args: &CheckArgs, report: &Report) -> Status {
    let least = args.fail_on.map(Severity::from).or(report.fail_on).unwrap_or(Severity::Warning);
    found(args, report.findings.iter().any(|finding| finding.severity >= least))
}

/// The exit status for whether there are findings.
pub(super) fn found(args: &CheckArgs, any: bool) -> Status {
    if any && !args.exit_zero { Status::Findings } else { Status::Clean }
}

fn format(args: &CheckArgs) -> Format {
    let on_github = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    args.output_format.unwrap_or(if on_github { Format::Github } else { Format::Full })
}

/// How the findings are printed.
pub(super) fn style(args: &CheckArgs, report: &Report, progress: &Progress) -> Style {
    Style {
        lang: language::resolve(args.common.lang, report.lang),
        color: args.common.color.resolve(args.output_file.is_some()),
        elapsed: args.common.verbose.then(|| progress.elapsed()),
    }
}

/// Prints the findings, or with `--statistics` their counts. `to_stderr` keeps standard output free.
pub(super) fn print_report(args: &CheckArgs, report: &Report, progress: &Progress, to_stderr: bool) -> Result<()> {
    let style = style(args, report, progress);
    let format = format(args);
    print_notes(args, report, format, style.lang);
    let data = matches!(format, Format::Json | Format::Jsonl);
    let mut text = match (args.statistics, data) {
        (true, true) => output::statistics_json(report),
        (true, false) => output::statistics(report, style),
        (false, _) => output::findings(report, format, style),
    };
    let is_text = matches!(format, Format::Full | Format::Concise) || args.statistics && !data;
    if is_text && !args.common.quiet {
        text.push_str(&output::summary(report, style));
    }
    if to_stderr && args.output_file.is_none() {
        let _ = std::io::stderr().write_all(guarded(&text, style.color).as_bytes());
        return Ok(());
    }
    write_output(args, &guarded(&text, style.color))
}

/// Prints to standard error: files that were named and not read; with `-v`, everything else that decided the result.
fn print_notes(args: &CheckArgs, report: &Report, format: Format, lang: Lang) {
    let nothing = report.files == 0;
    if !args.common.quiet && format != Format::Json {
        // An excluded file is expected, unless nothing is left to check.
        let is_notable = |skipped: &&SkippedPath| skipped.reason != SkipReason::Excluded || args.common.verbose || nothing;
        for skipped in report.skipped.named.iter().filter(is_notable).take(MAX_NAMED_SKIPPED) {
            let (path, why) = (&skipped.path, skipped.reason.message());
            let (en, zh) = (why.en, why.zh);
            print_stderr(message!("warning: {path} was not read: {en}", "警告：未读取 {path}：{zh}").get(lang));
        }
    }
    let more = report.skipped.named.len().saturating_sub(MAX_NAMED_SKIPPED);
    if more > 0 && !args.common.quiet && format != Format::Json {
        print_stderr(
            message!("warning: {more} more were not read; -v counts them", "警告：另有 {more} 个未读取；-v 显示统计").get(lang),
        );
    }
    if args.common.verbose {
        print_verbose_notes(report, lang);
    }
    if nothing && !args.common.quiet {
        print_stderr(message!("warning: no files to check", "警告：没有可检查的文件").get(lang));
    }
}

fn print_verbose_notes(report: &Report, lang: Lang) {
    let counts = report.skipped.counts();
    if !counts.is_empty() {
        let total = len_noun(counts.values().sum(), "path");
        let list = |pick: fn(SkipReason) -> String, between: &str| {
            counts.iter().map(|(reason, count)| format!("{count} {}", pick(*reason))).collect::<Vec<_>>().join(between)
        };
        let (en, zh) = (list(|reason| reason.message().en, ", "), list(|reason| reason.message().zh, "、"));
        let count: usize = counts.values().sum();
        print_stderr(message!("{total} not read: {en}", "未读取 {count} 个路径：{zh}").get(lang));
    }
    for path in &report.configs {
        print_stderr(message!("configuration: {path}", "配置：{path}").get(lang));
    }
    if let Some(BaselineStats { known, gone }) = report.baseline {
        let note = message!(
            "baseline: {known} known, {gone} fixed; update it with --write-baseline",
            "基线：已知 {known} 个，已修复 {gone} 个；可用 --write-baseline 更新"
        );
        print_stderr(note.get(lang));
    }
}

/// Writes a patch: to `--output-file` as it is, else so that no line of a file acts on a terminal, and says so.
pub(super) fn write_diff(args: &CheckArgs, diff: &str, lang: Lang) -> Result<()> {
    let shown = shown_diff(diff);
    if args.output_file.is_some() || shown == diff {
        return write_output(args, diff);
    }
    print_stderr(
        message!(
            "warning: control characters of the files are replaced in this patch; `-o FILE` writes it as it is",
            "警告：此补丁中的控制字符已替换显示；`-o FILE` 可写出原样的补丁"
        )
        .get(lang),
    );
    write_output(args, &shown)
}

/// A patch in which nothing acts on a terminal, apart from tabs and the line breaks of its files.
fn shown_diff(diff: &str) -> String {
    let lines = diff.split_inclusive('\n').map(|line| {
        let text = line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line);
        guarded(text, false) + &line[text.len()..]
    });
    lines.collect()
}

/// Writes to `--output-file`, else to standard output.
pub(super) fn write_output(args: &CheckArgs, text: &str) -> Result<()> {
    match &args.output_file {
        Some(path) => write_named(path, text.as_bytes()).map_err(|error| write_error(path, &error)),
        None => write_stdout(text.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::shown_diff;

    #[test]
    fn a_patch_keeps_its_line_ends_and_nothing_that_acts() {
        let diff = "--- a/a.yaml\n+++ b/a.yaml\n a: \u{1b}[2J\r\n-b:\t\u{202e}\n+c: \rx\n";
        assert_eq!(shown_diff(diff), "--- a/a.yaml\n+++ b/a.yaml\n a: ␛[2J\r\n-b:\t\u{fffd}\n+c: ␍x\n");
    }
}
