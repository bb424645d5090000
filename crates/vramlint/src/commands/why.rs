//! `vramlint why`.

use crate::cli::{RunsFormat, WhyArgs};
use crate::exit::{Status, user_error};
use crate::language;
use crate::output::styler::styler;
use crate::output::why_json;
use crate::progress::Progress;
use crate::request;
use crate::stdio::print_stdout;
use anyhow::Result;
use std::path::{Path, PathBuf};
use vramlint_base::message;
use vramlint_project::check;
use vramlint_project::explanation::{explain, split_line};
use vramlint_view::why;

/// Explains a file or a line.
pub(crate) fn run(args: &WhyArgs) -> Result<Status> {
    let (path, line) = split_line(&args.path, Path::exists);
    let request = request::build(&args.common, &[PathBuf::from(path)])?;
    let progress = Progress::new(args.common.quiet);
    let report = check(&request, &|done, all| progress.update(done, all))?;
    progress.clear();
    let lang = language::resolve(args.common.lang, report.lang);
    let Some(explanation) = explain(&report, &request.cwd, Path::new(path), line) else {
        return Err(user_error(not_read(path)));
    };
    match args.output_format {
        RunsFormat::Json => print_stdout(&why_json::render(&explanation, lang), false),
        RunsFormat::Text => {
            let color = args.common.color.resolve(false);
            print_stdout(&why::render(&explanation, lang, styler(color)), color)
        }
    }?;
    Ok(Status::Clean)
}

fn not_read(path: &str) -> vramlint_base::Message {
    if Path::new(path).is_dir() {
        return message!("{path} is a folder; name a file of it", "{path} 是文件夹；请指明其中的文件");
    }
    message!(
        "{path} is not read: it is excluded, too large, or of a format without training settings",
        "未读取 {path}：它被排除、过大，或格式不含训练设置"
    )
}
