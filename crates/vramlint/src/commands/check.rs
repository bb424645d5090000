//! `vramlint check`.

mod add_ignore;
mod baseline;
mod output;

use crate::cli::{CheckArgs, Format};
use crate::exit::{Status, user_error, write_error};
use crate::output::fix_summary;
use crate::progress::Progress;
use crate::request;
use crate::stdio::{print_stderr, write_stdout};
use anyhow::Result;
use output::{found, print_report, status, style, write_diff};
use std::mem::ManuallyDrop;
use std::path::Path;
use vramlint_base::{Lang, message};
use vramlint_project::fix::{unified_diff, write};
use vramlint_project::{FixOutcome, MAX_READ, Request, check, fix_until_stable, read_stream};

/// Checks the files, applies fixes if asked to, and prints the findings.
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
    // The process ends with it: freeing every tree by itself would only take time.
    let report = ManuallyDrop::new(check(&request, &report_progress)?);
    progress.clear();
    print_report(args, &report, &progress, false)?;
    Ok(status(args, &report))
}

fn build_request(args: &CheckArgs) -> Result<Request> {
    let dash = Path::new("-");
    let mut request = request::build(&args.common, &args.paths)?;
    if args.paths.iter().any(|path| path == dash) {
        if args.paths.len() > 1 {
            return Err(user_error(message!(
                "`-` must be the only path: standard input is one file",
                "`-` 只能单独使用：标准输入是一个文件"
            )));
        }
        let Some(name) = &args.stdin_filename else {
            return Err(user_error(message!(
                "`-` needs --stdin-filename NAME, which determines the file format",
                "`-` 需要 --stdin-filename NAME：文件名决定文件格式"
            )));
        };
        let bytes = read_stream(std::io::stdin().lock(), MAX_READ)
            .map_err(|error| user_error(message!("cannot read standard input: {error}", "无法读取标准输入：{error}")))?;
        request.stdin = Some((name.clone(), bytes));
        request.paths = Vec::new();
    } else if args.stdin_filename.is_some() {
        return Err(user_error(message!(
            "--stdin-filename needs the path `-`, which reads standard input",
            "--stdin-filename 需要与路径 `-`（读取标准输入）一起使用"
        )));
    }
    request.timelines = args.output_format == Some(Format::Json);
    request.select.clone_from(&args.select);
    request.extend_select.clone_from(&args.extend_select);
    request.ignore.clone_from(&args.ignore);
    request.preset = args.preset.map(Into::into);
    // A new baseline lists every finding.
    request.baseline = args.baseline.as_deref().filter(|_| !args.write_baseline).map(baseline::read_baseline).transpose()?;
    Ok(request)
}

/// `--diff`: prints the patch to standard output and its size to standard error.
fn diff(args: &CheckArgs, outcome: &FixOutcome, progress: &Progress) -> Result<Status> {
    let text: String = outcome.files.iter().map(unified_diff).collect();
    write_diff(args, &text, style(args, &outcome.report, progress).lang)?;
    print_fix_summary(args, outcome, style(args, &outcome.report, progress).lang);
    Ok(found(args, !outcome.files.is_empty()))
}

/// `--fix`: writes the files. With standard input, prints the fixed text as editors expect, and the remaining findings to standard
/// error.
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

/// Prints how many fixes were applied, or would be.
fn print_fix_summary(args: &CheckArgs, outcome: &FixOutcome, lang: Lang) {
    if !outcome.files.is_empty() && !args.common.quiet {
        print_stderr(fix_summary(outcome, args.diff).get(lang));
    }
}

/// Reports fixes that failed: a bug in vramlint.
fn report_failed_fixes(outcome: &FixOutcome, lang: Lang) {
    for failed in &outcome.failed {
        let (name, title) = (&failed.name, failed.title.get(lang));
        let warning = message!(
            "a fix of {name} ({title}) would break the file and was skipped; this is a bug in vramlint",
            "{name} 的修复（{title}）会破坏文件，因此已跳过；这是 vramlint 的缺陷"
        );
        print_stderr(warning.get(lang));
    }
}
