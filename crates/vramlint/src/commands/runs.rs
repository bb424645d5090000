//! `vramlint runs`.

use crate::cli::{Look, RunsArgs, RunsFormat};
use crate::exit::Status;
use crate::progress::Progress;
use crate::{colour, language, request, runs, stream};

/// Runs the command. What is wrong in the files is not its business: it shows what can be known.
pub(super) fn run(args: &RunsArgs, look: &Look) -> anyhow::Result<Status> {
    let request = request::of_runs(args)?;
    let progress = Progress::new(look.quiet);
    let report = vramlint_project::check(&request, &|done, all| progress.tell(done, all))?;
    progress.finish();
    let lang = language::decide(look.lang, report.lang);
    let text = match args.output_format {
        RunsFormat::Text => runs::text(&report, lang, colour::of_stdout(look.color), look.verbose),
        RunsFormat::Json => runs::json(&report, lang)?,
    };
    stream::print(text.as_bytes())?;
    Ok(Status::Clean)
}
