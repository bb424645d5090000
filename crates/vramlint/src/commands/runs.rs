//! `vramlint runs`.

use crate::cli::{RunsArgs, RunsFormat};
use crate::exit::Status;
use crate::language;
use crate::output::runs_json;
use crate::output::styler::styler;
use crate::progress::Progress;
use crate::request;
use crate::stdio::print_stdout;
use anyhow::Result;
use vramlint_project::{Request, check};
use vramlint_view::runs;

/// Prints the resolved runs.
pub(crate) fn run(args: &RunsArgs) -> Result<Status> {
    let timelines = args.output_format == RunsFormat::Json;
    let request = Request { timelines, ..request::build(&args.common, &args.paths)? };
    let progress = Progress::new(args.common.quiet);
    let report = check(&request, &|done, all| progress.update(done, all))?;
    progress.clear();
    let lang = language::resolve(args.common.lang, report.lang);
    match args.output_format {
        RunsFormat::Json => print_stdout(&runs_json::render(&report, lang), false),
        RunsFormat::Text => {
            let color = args.common.color.resolve(false);
            print_stdout(&runs::render_all(&report, lang, styler(color), args.common.verbose), color)
        }
    }?;
    Ok(Status::Clean)
}
