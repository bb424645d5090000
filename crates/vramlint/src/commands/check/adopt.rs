//! What helps to start with a project that has findings: a baseline, and suppressions with a reason.

use super::{emit, show, status, style};
use crate::cli::CheckArgs;
use crate::exit::{Status, fault, not_written, tell};
use crate::progress::Progress;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vramlint_base::message;
use vramlint_project::fix::{unified_diff, write};
use vramlint_project::{Baseline, Request, add_ignores, check};

/// Where a baseline lies unless `--baseline` says otherwise.
const USUAL: &str = "vramlint-baseline.json";

/// Reads `--baseline`.
pub(super) fn read_baseline(path: &Path) -> Result<Arc<Baseline>> {
    let name = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| fault(message!("{name} cannot be read: {error}", "无法读取 {name}：{error}")))?;
    let read = Baseline::read(&text, &folder_of(path)?);
    read.map(Arc::new).map_err(|why| fault(message!("{name} is not a baseline: {why}", "{name} 不是基线文件：{why}")))
}

/// `--write-baseline`.
pub(super) fn write_baseline(args: &CheckArgs, request: &Request, progress: &Progress) -> Result<Status> {
    let report = check(request, &|done, all| progress.tell(done, all))?;
    progress.clear();
    let path = args.baseline.clone().unwrap_or_else(|| PathBuf::from(USUAL));
    let text = Baseline::write(&report.project, &request.cwd, &report.findings, &folder_of(&path)?);
    std::fs::write(&path, text).map_err(|error| not_written(&path, &error))?;
    if !args.common.quiet {
        let (name, count) = (path.display(), report.findings.len());
        let s = if count == 1 { "" } else { "s" };
        tell(
            message!(
                "Wrote {count} finding{s} to {name}; `vramlint check --baseline {name}` tells only new ones",
                "已将 {count} 个问题写入 {name}；`vramlint check --baseline {name}` 只报告新问题"
            )
            .get(style(args, &report, progress).lang),
        );
    }
    Ok(Status::Clean)
}

/// `--add-ignore`: the files are written; what could not be suppressed is shown.
pub(super) fn add_ignore(args: &CheckArgs, request: &Request, progress: &Progress) -> Result<Status> {
    let usual = message!("known when vramlint was introduced", "引入 vramlint 时已存在");
    let lang = crate::language::decide(args.common.lang, None);
    let reason = args.reason.as_deref().unwrap_or_else(|| usual.get(lang));
    let ignored = add_ignores(request, reason, &|done, all| progress.tell(done, all))?;
    progress.clear();
    if args.diff {
        emit(args, &ignored.files.iter().map(unified_diff).collect::<String>())?;
    } else {
        for file in &ignored.files {
            write(file).map_err(|error| not_written(Path::new(&file.shown), &error))?;
        }
        show(args, &ignored.report, progress, false)?;
    }
    if !args.common.quiet {
        let (count, files) = (ignored.count, ignored.files.len());
        let (s, f) = (if count == 1 { "" } else { "s" }, if files == 1 { "" } else { "s" });
        let said = if args.diff {
            message!("Would suppress {count} finding{s} in {files} file{f}", "将抑制 {count} 个问题，涉及 {files} 个文件")
        } else {
            message!("Suppressed {count} finding{s} in {files} file{f}", "已抑制 {count} 个问题，涉及 {files} 个文件")
        };
        tell(said.get(style(args, &ignored.report, progress).lang));
    }
    Ok(status(args, &ignored.report))
}

/// The folder of a file, absolute.
fn folder_of(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    Ok(absolute.parent().map_or_else(|| absolute.clone(), Path::to_path_buf))
}
