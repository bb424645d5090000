//! `--baseline` and `--write-baseline`.

use super::output::style;
use crate::cli::CheckArgs;
use crate::exit::{Status, user_error, write_error};
use crate::progress::Progress;
use crate::stdio::print_stderr;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use vramlint_base::message;
use vramlint_base::text::len_noun;
use vramlint_project::{Baseline, MAX_READ, Request, check, read_file, write_file};

/// The baseline file, unless `--baseline` names one.
const DEFAULT_FILE: &str = "vramlint-baseline.json";

/// Reads `--baseline`.
pub(super) fn read_baseline(path: &Path) -> Result<Arc<Baseline>> {
    let name = path.display();
    let bytes = read_file(path, MAX_READ);
    let text = bytes
        .and_then(|bytes| String::from_utf8(bytes).map_err(std::io::Error::other))
        .map_err(|error| user_error(message!("cannot read {name}: {error}", "无法读取 {name}：{error}")))?;
    let read = Baseline::read(&text, &folder_of(path)?);
    read.map(Arc::new).map_err(|why| user_error(message!("{name} is not a baseline: {why}", "{name} 不是基线文件：{why}")))
}

/// `--write-baseline`.
pub(super) fn write_baseline(args: &CheckArgs, request: &Request, progress: &Progress) -> Result<Status> {
    let report = check(request, &|done, all| progress.update(done, all))?;
    progress.clear();
    let path = args.baseline.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
    let text = Baseline::write(&report.project, &request.cwd, &report.findings, &folder_of(&path)?);
    write_file(&path, text.as_bytes()).map_err(|error| write_error(&path, &error))?;
    if !args.common.quiet {
        let (name, count) = (path.display(), report.findings.len());
        let findings = len_noun(count, "finding");
        print_stderr(
            message!(
                "Wrote {findings} to {name}; `vramlint check --baseline {name}` reports only new ones",
                "已将 {count} 个问题写入 {name}；`vramlint check --baseline {name}` 只报告新问题"
            )
            .get(style(args, &report, progress).lang),
        );
    }
    Ok(Status::Clean)
}

/// The absolute path of the folder of a file.
fn folder_of(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    Ok(absolute.parent().map_or_else(|| absolute.clone(), Path::to_path_buf))
}
