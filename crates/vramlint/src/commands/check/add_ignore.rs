//! `--add-ignore`.

use super::output::{print_report, status, style, write_diff};
use crate::cli::CheckArgs;
use crate::exit::{Status, write_error};
use crate::progress::Progress;
use crate::stdio::print_stderr;
use anyhow::Result;
use std::path::Path;
use vramlint_base::message;
use vramlint_base::text::len_noun;
use vramlint_project::fix::{unified_diff, write};
use vramlint_project::{Request, add_ignores};

/// `--add-ignore`: writes the files and prints the findings that could not be suppressed.
pub(super) fn add_ignore(args: &CheckArgs, request: &Request, progress: &Progress) -> Result<Status> {
    let default_reason = message!("known when vramlint was introduced", "引入 vramlint 时已存在");
    let lang = crate::language::resolve(args.common.lang, None);
    let reason = args.reason.as_deref().unwrap_or_else(|| default_reason.get(lang));
    let outcome = add_ignores(request, reason, &|done, all| progress.update(done, all))?;
    progress.clear();
    if args.diff {
        write_diff(args, &outcome.files.iter().map(unified_diff).collect::<String>(), lang)?;
    } else {
        for file in &outcome.files {
            write(file).map_err(|error| write_error(Path::new(&file.shown), &error))?;
        }
        print_report(args, &outcome.report, progress, false)?;
    }
    if !args.common.quiet {
        let (count, files) = (outcome.count, outcome.files.len());
        let (findings, in_files) = (len_noun(count, "finding"), len_noun(files, "file"));
        let summary = if args.diff {
            message!("Would suppress {findings} in {in_files}", "将抑制 {count} 个问题，涉及 {files} 个文件")
        } else {
            message!("Suppressed {findings} in {in_files}", "已抑制 {count} 个问题，涉及 {files} 个文件")
        };
        print_stderr(summary.get(style(args, &outcome.report, progress).lang));
    }
    Ok(status(args, &outcome.report))
}
