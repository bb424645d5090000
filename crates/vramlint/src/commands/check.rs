//! `vramlint check`.

use super::{print, request};
use crate::cli::{CheckArgs, Format};
use crate::exit::Status;
use crate::language;
use crate::output::{self, Style};
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use std::io::Read;
use std::path::{Path, PathBuf};
use vramlint_base::{Lang, Severity, message};
use vramlint_project::fix::{unified_diff, write};
use vramlint_project::{FixOutcome, Report, Request, check, fix_until_stable};

/// Checks, fixes if asked, prints.
pub(crate) fn run(args: &CheckArgs) -> Result<Status> {
    let request = request_of(args)?;
    let progress = Progress::new(args.common.quiet);
    if args.fix || args.diff {
        return fix(args, &request, &progress);
    }
    let report = check(&request, &|done, all| progress.tell(done, all))?;
    show(args, &report, &progress)?;
    Ok(status(args, &report))
}

fn request_of(args: &CheckArgs) -> Result<Request> {
    let dash = Path::new("-");
    let mut request = request(&args.common, &args.paths)?;
    if args.paths.iter().any(|path| path == dash) {
        if args.paths.len() > 1 {
            bail!("`-` stands alone: standard input is one file");
        }
        let Some(name) = &args.stdin_filename else {
            bail!("`-` needs --stdin-filename NAME: the name tells what the text is");
        };
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("standard input cannot be read")?;
        request.stdin = Some((name.clone(), bytes));
        request.paths = Vec::new();
    }
    request.select.clone_from(&args.select);
    request.extend_select.clone_from(&args.extend_select);
    request.ignore.clone_from(&args.ignore);
    Ok(request)
}

/// Whether findings at or above the level are there.
fn status(args: &CheckArgs, report: &Report) -> Status {
    let least = args.fail_on.map(Severity::from).or(report.fail_on).unwrap_or(Severity::Warning);
    let found = report.findings.iter().any(|finding| finding.severity >= least);
    if found && !args.exit_zero { Status::Findings } else { Status::Clean }
}

fn fix(args: &CheckArgs, request: &Request, progress: &Progress) -> Result<Status> {
    let outcome = fix_until_stable(request, args.unsafe_fixes, &|done, all| progress.tell(done, all))?;
    let lang = language::decide(args.common.lang, outcome.report.lang);
    complain(&outcome, lang);
    let stdin = request.stdin.as_ref().map(|(name, _)| name.clone());
    if args.diff {
        let text: String = outcome.files.iter().map(unified_diff).collect();
        print(&text)?;
        let changes = !outcome.files.is_empty();
        return Ok(if changes && !args.exit_zero { Status::Findings } else { Status::Clean });
    }
    if let Some(name) = stdin {
        // The fixed text goes where an editor expects it; findings that remain are told on standard error.
        let fixed = outcome.files.first().map(|file| file.after.clone());
        let original = request.stdin.as_ref().map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned());
        let _ = name;
        print_exactly(&fixed.or(original).unwrap_or_default())?;
        return Ok(status(args, &outcome.report));
    }
    for file in &outcome.files {
        write(file).with_context(|| format!("{} cannot be written", file.path.display()))?;
    }
    show(args, &outcome.report, progress)?;
    if !args.common.quiet && is_text(format(args)) {
        let fixes: usize = outcome.files.iter().map(|file| file.applied.len()).sum();
        let files = outcome.files.len();
        let said = message!("Fixed {fixes} in {files} files", "已修复 {fixes} 处，涉及 {files} 个文件");
        if fixes > 0 {
            print(said.get(lang))?;
        }
    }
    Ok(status(args, &outcome.report))
}

/// Fixes that did not do what they promise are a bug of ours, said aloud.
fn complain(outcome: &FixOutcome, lang: Lang) {
    for failed in &outcome.failed {
        let (name, title) = (&failed.name, failed.title.get(lang));
        let said = message!(
            "a fix of {name} ({title}) broke the file and was left out; this is a bug in vramlint",
            "{name} 的修复（{title}）会破坏文件，已跳过；这是 vramlint 的缺陷"
        );
        eprintln!("{}", said.get(lang));
    }
}

fn format(args: &CheckArgs) -> Format {
    let on_github = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
    args.output_format.unwrap_or(if on_github { Format::Github } else { Format::Full })
}

fn is_text(format: Format) -> bool {
    matches!(format, Format::Full | Format::Concise)
}

fn show(args: &CheckArgs, report: &Report, progress: &Progress) -> Result<()> {
    let style = Style {
        lang: language::decide(args.common.lang, report.lang),
        colour: args.common.color.decide(args.output_file.is_some()),
        elapsed: args.common.verbose.then(|| progress.elapsed()),
    };
    let format = format(args);
    let mut text = if args.statistics && is_text(format) {
        output::statistics(report, style)
    } else {
        output::findings(report, format, style)
    };
    if is_text(format) && !args.common.quiet {
        text.push_str(&output::summary(report, style));
    }
    for (path, why) in report.skipped.iter().filter(|_| args.common.verbose) {
        eprintln!("{path}: {}", why.get(style.lang));
    }
    for path in report.configs.iter().filter(|_| args.common.verbose) {
        eprintln!("{}", message!("configuration: {path}", "配置：{path}").get(style.lang));
    }
    match &args.output_file {
        Some(path) => to_file(path, &text),
        None => print_exactly(&text),
    }
}

fn to_file(path: &PathBuf, text: &str) -> Result<()> {
    std::fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))
}

fn print_exactly(text: &str) -> Result<()> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
