//! `vramlint oom`.

mod matching;

use crate::cli::{OomArgs, RunsFormat};
use crate::commands::fit::{Answer, Subject, Subjects, answer_within, project_subjects};
use crate::exit::{Status, user_error};
use crate::language;
use crate::output::oom_json;
use crate::output::styler::styler;
use crate::stdio::print_stdout;
use anyhow::Result;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use vramlint_base::message;
use vramlint_oom::{Amount, Event, Failure, Log, Scanner};
use vramlint_view::oom as view;

/// How many bytes are read at a time.
const BLOCK: usize = 256 << 10;

/// An event, tied to the run that wrote it.
pub(crate) struct Explained {
    pub(crate) log: String,
    pub(crate) event: Event,
    pub(crate) run: Option<String>,
    pub(crate) explanation: vramlint_base::Message,
    /// The plans that make the run fit, where the step is to blame.
    pub(crate) plans: Option<Answer>,
}

/// Explains the failures in logs.
pub(crate) fn run(args: &OomArgs) -> Result<Status> {
    let logs = if args.logs.is_empty() { vec![PathBuf::from("-")] } else { args.logs.clone() };
    let mut found: Vec<(String, Log)> = Vec::new();
    for log in &logs {
        found.push(scan(log)?);
    }
    let has_events = found.iter().any(|(_, log)| !log.events.is_empty());
    let project = if has_events { project(args)? } else { None };
    let lang = project.as_ref().map_or_else(|| language::resolve(args.common.lang, None), |project| project.lang);
    let explained: Vec<Explained> = found
        .iter()
        .flat_map(|(name, log)| log.events.iter().map(|event| explain(args, name, event, project.as_ref())))
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

fn block(explained: &Explained) -> view::Block<'_> {
    view::Block {
        log: &explained.log,
        event: &explained.event,
        run: explained.run.as_deref(),
        explanation: &explained.explanation,
        plans: explained.plans.iter().flat_map(Answer::shown_plans).collect(),
    }
}

/// The runs of the project. None where none is named and the working directory is no project's: a home or the root of the disk.
fn project(args: &OomArgs) -> Result<Option<Subjects>> {
    if args.project.is_none() {
        let here = std::env::current_dir().ok();
        let is_home = here.is_some() && here == std::env::home_dir();
        if is_home || here.as_deref().is_some_and(|here| here.parent().is_none()) {
            return Ok(None);
        }
    }
    let path = args.project.clone().unwrap_or_else(|| PathBuf::from("."));
    project_subjects(&args.common, &[path], args.run.as_deref()).map(Some)
}

fn explain(args: &OomArgs, log: &str, event: &Event, project: Option<&Subjects>) -> Explained {
    let judgement = event.judge();
    let subject = project.and_then(|project| match &args.run {
        Some(id) => project.known.iter().find(|subject| subject.id == *id),
        None => matching::subject(project, event),
    });
    let report = subject.map(Subject::report);
    let explanation = view::explanation(event, &judgement, report.as_ref());
    let helps = judgement.verdict.is_some_and(vramlint_oom::Verdict::is_of_the_step);
    let plans = project.zip(subject).filter(|_| helps).and_then(|(project, subject)| {
        // The card of the log decides; that of the project where the message is cut.
        let total = match &event.failure {
            Failure::Device(device) => device.allowed.or(device.total).map(Amount::in_bytes),
            _ => None,
        };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // amounts of a message
        let limit = total.map(|bytes| bytes as u64).or_else(|| subject.run.capacity.as_ref().map(|capacity| capacity.bytes))?;
        Some(answer_within(project, subject, limit))
    });
    Explained { log: log.to_owned(), event: event.clone(), run: subject.map(|subject| subject.id.clone()), explanation, plans }
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
