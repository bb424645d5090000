//! `vramlint runs`.

use super::{print, request};
use crate::cli::{RunsArgs, RunsFormat};
use crate::exit::Status;
use crate::language;
use crate::output::runs_json;
use crate::output::styler::styler;
use crate::progress::Progress;
use anyhow::Result;
use vramlint_project::check;
use vramlint_view::runs;

/// Resolves and prints the runs.
pub(crate) fn run(args: &RunsArgs) -> Result<Status> {
    let request = request(&args.common, &args.paths)?;
    let progress = Progress::new(args.common.quiet);
    let report = check(&request, &|done, all| progress.update(done, all))?;
    progress.clear();
    let lang = language::resolve(args.common.lang, report.lang);
    match args.output_format {
        RunsFormat::Json => print(&runs_json::render(&report, lang)),
        RunsFormat::Text => {
            print(&runs::render_all(&report, lang, styler(args.common.color.resolve(false)), args.common.verbose))
        }
    }
}
