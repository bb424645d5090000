//! `vramlint check`.

mod adopt;

use super::request;
use crate::cli::{CheckArgs, Format};
use crate::exit::{Status, fault, not_written, tell};
use crate::language;
use crate::output::{self, Style};
use crate::progress::Progress;
use anyhow::Result;
use std::io::{Read, Write};
use std::path::Path;
use vramlint_base::{Lang, Severity, message};
use vramlint_project::fix::{unified_diff, write};
use vramlint_project::{FixOutcome, Report, Request, Taken, check, fix_until_stable};

/// Checks, fixes if asked, prints.
pub(crate) fn run(args: &CheckArgs) -> Result<Status> {
    let request = request_of(args)?;
    let progress = Progress::new(args.common.quiet);
    let told = |done, all| progress.tell(done, all);
    if args.write_baseline {
        return adopt::write_baseline(args, &request, &progress);
    }
    if args.add_ignore {
        return adopt::add_ignore(args, &request, &progress);
    }
    if args.fix || args.diff {
        let outcome = fix_until_stable(&request, args.unsafe_fixes, &told)?;
        progress.clear();
        complain(&outcome, style(args, &outcome.report, &progress).lang);
        return if args.diff { diff(args, &outcome, &progress) } else { fix(args, &request, &outcome, &progress) };
    }
    let report = check(&request, &told)?;
    progress.clear();
    show(args, &report, &progress, false)?;
    Ok(status(args, &report))
}

fn request_of(args: &CheckArgs) -> Result<Request> {
    let dash = Path::new("-");
    let mut request = request(&args.common, &args.paths)?;
    if args.paths.iter().any(|path| path == dash) {
        if args.paths.len() > 1 {
            return Err(fault(message!("`-` stands alone: standard input is one file", "`-` 只能单独使用：标准输入是一个文件")));
        }
        let Some(name) = &args.stdin_filename else {
            return Err(fault(message!(
                "`-` needs --stdin-filename NAME: the name tells what the text is",
                "`-` 需要 --stdin-filename NAME：文件名决定如何读取"
            )));
        };
        let mut bytes = Vec::new();
        if let Err(error) = std::io::stdin().lock().read_to_end(&mut bytes) {
            return Err(fault(message!("standard input cannot be read: {error}", "无法读取标准输入：{error}")));
        }
        request.stdin = Some((name.clone(), bytes));
        request.paths = Vec::new();
    } else if args.stdin_filename.is_some() {
        return Err(fault(message!(
            "--stdin-filename goes with the path `-`, which reads standard input",
            "--stdin-filename 要与路径 `-`（读取标准输入）一起使用"
        )));
    }
    request.select.clone_from(&args.select);
    request.extend_select.clone_from(&args.extend_select);
    request.ignore.clone_from(&args.ignore);
    request.preset = args.preset.map(Into::into);
    // Writing starts from all that is found.
    request.baseline = args.baseline.as_deref().filter(|_| !args.write_baseline).map(adopt::read_baseline).transpose()?;
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
    emit(args, &text)?;
    tell_fixes(args, outcome, style(args, &outcome.report, progress).lang);
    Ok(found(args, !outcome.files.is_empty()))
}

/// `--fix`: the files are written; the text of standard input is printed, as an editor expects, and what remains is told on
/// standard error.
fn fix(args: &CheckArgs, request: &Request, outcome: &FixOutcome, progress: &Progress) -> Result<Status> {
    if let Some((_, original)) = &request.stdin {
        print_exactly(outcome.files.first().map_or(original.as_slice(), |file| file.after.as_bytes()))?;
        show(args, &outcome.report, progress, true)?;
        return Ok(status(args, &outcome.report));
    }
    for file in &outcome.files {
        write(file).map_err(|error| not_written(Path::new(&file.shown), &error))?;
    }
    show(args, &outcome.report, progress, false)?;
    tell_fixes(args, outcome, style(args, &outcome.report, progress).lang);
    Ok(status(args, &outcome.report))
}

/// How much was changed, or would be.
fn tell_fixes(args: &CheckArgs, outcome: &FixOutcome, lang: Lang) {
    if !outcome.files.is_empty() && !args.common.quiet {
        tell(output::fixes(outcome, args.diff).get(lang));
    }
}

/// Fixes that did not do what they promise are a bug of ours, said aloud.
fn complain(outcome: &FixOutcome, lang: Lang) {
    for failed in &outcome.failed {
        let (name, title) = (&failed.name, failed.title.get(lang));
        let said = message!(
            "a fix of {name} ({title}) broke the file and was left out; this is a bug in vramlint",
            "{name} 的修复（{title}）会破坏文件，已跳过；这是 vramlint 的缺陷"
        );
        tell(said.get(lang));
    }
}

fn format(args: &CheckArgs) -> Format {
    let on_github = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    args.output_format.unwrap_or(if on_github { Format::Github } else { Format::Full })
}

fn style(args: &CheckArgs, report: &Report, progress: &Progress) -> Style {
    Style {
        lang: language::decide(args.common.lang, report.lang),
        colour: args.common.color.decide(args.output_file.is_some()),
        elapsed: args.common.verbose.then(|| progress.elapsed()),
    }
}

/// Prints the findings, or what counts them. `aside` says that standard output is taken.
fn show(args: &CheckArgs, report: &Report, progress: &Progress, aside: bool) -> Result<()> {
    let style = style(args, report, progress);
    explain(args, report, style.lang);
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
    if aside && args.output_file.is_none() {
        let _ = std::io::stderr().write_all(text.as_bytes());
        return Ok(());
    }
    emit(args, &text)
}

/// What was left out and which configuration ruled, where somebody wants to know; that nothing was read, always.
fn explain(args: &CheckArgs, report: &Report, lang: Lang) {
    let nothing = report.files == 0 && !args.common.quiet;
    for (path, why) in report.skipped.iter().filter(|_| args.common.verbose || nothing) {
        let why = why.get(lang);
        tell(message!("{path}: {why}", "{path}：{why}").get(lang));
    }
    for path in report.configs.iter().filter(|_| args.common.verbose) {
        tell(message!("configuration: {path}", "配置：{path}").get(lang));
    }
    if let Some(Taken { known, gone }) = report.baseline.filter(|_| args.common.verbose) {
        tell(
            message!(
                "baseline: {known} known, {gone} gone; --write-baseline renews it",
                "基线：已知 {known} 个，已消失 {gone} 个；可用 --write-baseline 更新"
            )
            .get(lang),
        );
    }
    if nothing {
        tell(message!("warning: there was nothing to check", "警告：没有可检查的文件").get(lang));
    }
}

fn emit(args: &CheckArgs, text: &str) -> Result<()> {
    match &args.output_file {
        Some(path) => std::fs::write(path, text).map_err(|error| not_written(path, &error)),
        None => print_exactly(text.as_bytes()),
    }
}

fn print_exactly(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}
