//! `vramlint check`.

mod add_ignore;
mod baseline;

use super::request;
use crate::cli::{CheckArgs, Format};
use crate::exit::{Status, print_stderr, user_error, write_error};
use crate::language;
use crate::output::{self, Style};
use crate::progress::Progress;
use anyhow::Result;
use std::io::{Read, Write};
use std::path::Path;
use vramlint_base::{Lang, Severity, message};
use vramlint_project::fix::{unified_diff, write};
use vramlint_project::{BaselineStats, FixOutcome, Report, Request, check, fix_until_stable};

/// Checks, fixes if asked, prints.
pub(crate) fn run(args: &CheckArgs) -> Result<Status> {
    let request = build_request(args)?;
    let progress = Progress::new(args.common.quiet);
    let report_progress = |done, all| progress.update(done, all);
    if args.write_baseline {
        return baseline::write_baseline(args, &request, &progress);
    }
    if args.add_ignore {
        return add_ignore::add_ignore(args, &request, &progress);
    }
    if args.fix || args.diff {
        let outcome = fix_until_stable(&request, args.unsafe_fixes, &report_progress)?;
        progress.clear();
        report_failed_fixes(&outcome, style(args, &outcome.report, &progress).lang);
        return if args.diff { diff(args, &outcome, &progress) } else { fix(args, &request, &outcome, &progress) };
    }
    let report = check(&request, &report_progress)?;
    progress.clear();
    print_report(args, &report, &progress, false)?;
    Ok(status(args, &report))
}

fn build_request(args: &CheckArgs) -> Result<Request> {
    let dash = Path::new("-");
    let mut request = request(&args.common, &args.paths)?;
    if args.paths.iter().any(|path| path == dash) {
        if args.paths.len() > 1 {
            return Err(user_error(message!(
                "`-` stands alone: standard input is one file",
                "`-` 只能单独使用：标准输入是一个文件"
            )));
        }
        let Some(name) = &args.stdin_filename else {
            return Err(user_error(message!(
                "`-` needs --stdin-filename NAME: the name tells what the text is",
                "`-` 需要 --stdin-filename NAME：文件名决定如何读取"
            )));
        };
        let mut bytes = Vec::new();
        if let Err(error) = std::io::stdin().lock().read_to_end(&mut bytes) {
            return Err(user_error(message!("standard input cannot be read: {error}", "无法读取标准输入：{error}")));
        }
        request.stdin = Some((name.clone(), bytes));
        request.paths = Vec::new();
    } else if args.stdin_filename.is_some() {
        return Err(user_error(message!(
            "--stdin-filename goes with the path `-`, which reads standard input",
            "--stdin-filename 要与路径 `-`（读取标准输入）一起使用"
        )));
    }
    request.select.clone_from(&args.select);
    request.extend_select.clone_from(&args.extend_select);
    request.ignore.clone_from(&args.ignore);
    request.preset = args.preset.map(Into::into);
    // Writing starts from all that is found.
    request.baseline = args.baseline.as_deref().filter(|_| !args.write_baseline).map(baseline::read_baseline).transpose()?;
    Ok(request)
}

/// Whether findings at or above the level are there.
fn status(args: &CheckArgs, report: &Report) -> Status {
    let least = args.fail_on.map(Severity::from).or(report.fail_on).unwrap_or(Severity::Warning);
    found(args, report.findings.iter().any(|finding| finding.severity >= least))
}

fn found(args: &CheckArgs, any: bool) -> Status {
    if any && !args.exit_zero { Status::Findings } else { Status::Clean }
}

/// `--diff`: what would change goes to standard output, how much to standard error, so that the output is a patch.
fn diff(args: &CheckArgs, outcome: &FixOutcome, progress: &Progress) -> Result<Status> {
    let text: String = outcome.files.iter().map(unified_diff).collect();
    write_output(args, &text)?;
    print_fix_summary(args, outcome, style(args, &outcome.report, progress).lang);
    Ok(found(args, !outcome.files.is_empty()))
}

/// `--fix`: the files are written; the text of standard input is printed, as an editor expects, and what remains is printed on
/// standard error.
fn fix(args: &CheckArgs, request: &Request, outcome: &FixOutcome, progress: &Progress) -> Result<Status> {
    if let Some((_, original)) = &request.stdin {
        write_stdout(outcome.files.first().map_or(original.as_slice(), |file| file.after.as_bytes()))?;
        print_report(args, &outcome.report, progress, true)?;
        return Ok(status(args, &outcome.report));
    }
    for file in &outcome.files {
        write(file).map_err(|error| write_error(Path::new(&file.shown), &error))?;
    }
    print_report(args, &outcome.report, progress, false)?;
    print_fix_summary(args, outcome, style(args, &outcome.report, progress).lang);
    Ok(status(args, &outcome.report))
}

/// How much was changed, or would be.
fn print_fix_summary(args: &CheckArgs, outcome: &FixOutcome, lang: Lang) {
    if !outcome.files.is_empty() && !args.common.quiet {
        print_stderr(output::fix_summary(outcome, args.diff).get(lang));
    }
}

/// Fixes that did not do what they promise are a bug of ours, said aloud.
fn report_failed_fixes(outcome: &FixOutcome, lang: Lang) {
    for failed in &outcome.failed {
        let (name, title) = (&failed.name, failed.title.get(lang));
        let said = message!(
            "a fix of {name} ({title}) broke the file and was left out; this is a bug in vramlint",
            "{name} 的修复（{title}）会破坏文件，已跳过；这是 vramlint 的缺陷"
        );
        print_stderr(said.get(lang));
    }
}

fn format(args: &CheckArgs) -> Format {
    let on_github = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    args.output_format.unwrap_or(if on_github { Format::Github } else { Format::Full })
}

fn style(args: &CheckArgs, report: &Report, progress: &Progress) -> Style {
    Style {
        lang: language::resolve(args.common.lang, report.lang),
        color: args.common.color.resolve(args.output_file.is_some()),
        elapsed: args.common.verbose.then(|| progress.elapsed()),
    }
}

/// Prints the findings, or what counts them. `to_stderr` says that standard output is taken.
fn print_report(args: &CheckArgs, report: &Report, progress: &Progress, to_stderr: bool) -> Result<()> {
    let style = style(args, report, progress);
    print_notes(args, report, style.lang);
    let format = format(args);
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
        let _ = std::io::stderr().write_all(text.as_bytes());
        return Ok(());
    }
    write_output(args, &text)
}

/// What was left out and which configuration ruled, where somebody wants to know; that nothing was read, always.
fn print_notes(args: &CheckArgs, report: &Report, lang: Lang) {
    let nothing = report.files == 0 && !args.common.quiet;
    for (path, why) in report.skipped.iter().filter(|_| args.common.verbose || nothing) {
        let why = why.get(lang);
        print_stderr(message!("{path}: {why}", "{path}：{why}").get(lang));
    }
    for path in report.configs.iter().filter(|_| args.common.verbose) {
        print_stderr(message!("configuration: {path}", "配置：{path}").get(lang));
    }
    if let Some(BaselineStats { known, gone }) = report.baseline.filter(|_| args.common.verbose) {
        print_stderr(
            message!(
                "baseline: {known} known, {gone} gone; --write-baseline renews it",
                "基线：已知 {known} 个，已消失 {gone} 个；可用 --write-baseline 更新"
            )
            .get(lang),
        );
    }
    if nothing {
        print_stderr(message!("warning: there was nothing to check", "警告：没有可检查的文件").get(lang));
    }
}

fn write_output(args: &CheckArgs, text: &str) -> Result<()> {
    match &args.output_file {
        Some(path) => std::fs::write(path, text).map_err(|error| write_error(path, &error)),
        None => write_stdout(text.as_bytes()),
    }
}

fn write_stdout(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}
