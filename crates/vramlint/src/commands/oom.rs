//! `vramlint oom`.

use crate::cli::{OomArgs, RunsFormat};
use crate::estimated_runs::{self, EstimatedRuns};
use crate::exit::{Status, user_error};
use crate::explained_failure::ExplainedFailure;
use crate::language;
use crate::output::oom_json;
use crate::output::styler::styler;
use crate::plans::RunPlans;
use crate::request;
use crate::stdio::print_stdout;
use anyhow::Result;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use vramlint_base::message;
use vramlint_oom::{Event, Log, Scanner};
use vramlint_view::oom as view;

/// How many bytes are read at a time.
const BLOCK: usize = 256 << 10;

/// Explains the failures in logs.
pub(crate) fn run(args: &OomArgs) -> Result<Status> {
    let logs = if args.logs.is_empty() { vec![PathBuf::from("-")] } else { args.logs.clone() };
    let mut found: Vec<(String, Log)> = Vec::new();
    for log in &logs {
        found.push(scan(log)?);
    }
    let events: Vec<&Event> = found.iter().flat_map(|(_, log)| &log.events).collect();
    let project = if events.is_empty() { None } else { project(args, &events)? };
    let lang = project.as_ref().map_or_else(|| language::resolve(args.common.lang, None), |project| project.lang);
    let explained: Vec<ExplainedFailure> = found
        .iter()
        .flat_map(|(name, log)| {
            log.events.iter().map(|event| ExplainedFailure::new(name, event, project.as_ref(), args.run.as_deref()))
        })
        .collect();
    let omitted = found.iter().map(|(_, log)| log.omitted).sum();
    let color = args.common.color.resolve(false);
    let text = match args.output_format {
        RunsFormat::Json => oom_json::render(&explained, lang),
        RunsFormat::Text => {
            let blocks: Vec<view::Block<'_>> = explained.iter().map(block).collect();
            view::text(&blocks, omitted, lang, styler(color))
        }
    };
    print_stdout(&text, color)?;
    Ok(Status::Clean)
}

fn block(explained: &ExplainedFailure) -> view::Block<'_> {
    view::Block {
        log: &explained.log,
        event: &explained.event,
        run: explained.run.as_deref(),
        explanation: &explained.explanation,
        plans: explained.plans.iter().flat_map(RunPlans::shown_plans).collect(),
    }
}

/// The runs of the project. None where none is named and the working directory is no project's: it may be a home, or hold everything that a
/// machine has downloaded.
fn project(args: &OomArgs, events: &[&Event]) -> Result<Option<EstimatedRuns>> {
    if args.project.is_none() && !is_project(&request::working_directory()?, events) {
        return Ok(None);
    }
    let path = args.project.clone().unwrap_or_else(|| PathBuf::from("."));
    estimated_runs::of_project(&args.common, &[path], args.run.as_deref()).map(Some)
}

/// Whether a folder is a project's: a repository, one with a configuration, one with a file that the log names, or a small one with scripts.
pub(super) fn is_project(folder: &Path, events: &[&Event]) -> bool {
    const MARKS: [&str; 3] = [".git", "vramlint.toml", "pyproject.toml"];
    const MOST_ENTRIES: usize = 64;
    let is_marked = folder.ancestors().any(|above| MARKS.iter().any(|mark| above.join(mark).exists()));
    let mut named = events.iter().flat_map(|event| &event.context.files).filter_map(|file| file.rsplit('/').next());
    if is_marked || named.any(|file| folder.join(file).is_file()) {
        return true;
    }
    let is_personal = std::env::home_dir().is_some_and(|home| home == folder) || std::env::temp_dir() == folder;
    let entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).take(MOST_ENTRIES + 1).collect();
    let is_script = |path: &PathBuf| {
        path.extension().is_some_and(|end| ["py", "sh", "yaml", "yml", "ps1", "bat"].iter().any(|script| end == *script))
    };
    !is_personal && entries.len() <= MOST_ENTRIES && entries.iter().any(is_script)
}

fn scan(log: &Path) -> Result<(String, Log)> {
    let is_stream = log == Path::new("-");
    let shown = if is_stream { "standard input".to_owned() } else { log.display().to_string() };
    let result = if is_stream { read_through(io::stdin().lock()) } else { open(log).and_then(read_through) };
    match result {
        Ok(found) => Ok((shown, found)),
        Err(error) => Err(user_error(message!("cannot read {shown}: {error}", "无法读取 {shown}：{error}"))),
    }
}

/// A regular file or what the user names as a pipe; a folder is an error of its own.
fn open(log: &Path) -> io::Result<File> {
    if log.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    File::open(log)
}

fn read_through(mut log: impl Read) -> io::Result<Log> {
    let mut scanner = Scanner::new();
    let mut block = vec![0; BLOCK];
    loop {
        match log.read(&mut block) {
            Ok(0) => return Ok(scanner.finish()),
            Ok(length) => scanner.push(&block[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
