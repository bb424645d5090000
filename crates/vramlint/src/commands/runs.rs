//! `vramlint runs`.

use super::{print, request};
use crate::cli::{RunsArgs, RunsFormat};
use crate::exit::Status;
use crate::language;
use crate::output::runs_json;
use crate::output::runs_text;
use crate::progress::Progress;
use anyhow::Result;
use vramlint_project::check;

/// Resolves and prints the runs.
pub(crate) fn run(args: &RunsArgs) -> Result<Status> {
    let request = request(&args.common, &args.paths)?;
    let progress = Progress::new(args.common.quiet);
    let report = check(&request, &|done, all| progress.tell(done, all))?;
    progress.clear();
    let lang = language::decide(args.common.lang, report.lang);
    match args.output_format {
        RunsFormat::Json => print(&runs_json::all(&report, lang)),
        RunsFormat::Text => print(&runs_text::all(&report, lang, args.common.color.decide(false), args.common.verbose)),
    }
}
