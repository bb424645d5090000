//! `vramlint oom`.

use crate::cli::{OomArgs, RunsFormat};
use crate::exit::{Status, user_error};
use crate::language;
use crate::output::oom_json;
use crate::stdio::print_stdout;
use anyhow::Result;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use vramlint_base::message;
use vramlint_oom::{Event, Scanner};

/// How many bytes are read at a time.
const BLOCK: usize = 256 << 10;

/// Explains the failures in logs.
pub(crate) fn run(args: &OomArgs) -> Result<Status> {
    let logs = if args.logs.is_empty() { vec![PathBuf::from("-")] } else { args.logs.clone() };
    let mut events: Vec<Event> = Vec::new();
    for log in &logs {
        events.extend(scan(log)?);
    }
    let lang = language::resolve(args.common.lang, None);
    match args.output_format {
        RunsFormat::Json | RunsFormat::Text => print_stdout(&oom_json::render(&events, lang), false)?,
    }
    Ok(Status::Clean)
}

fn scan(log: &Path) -> Result<Vec<Event>> {
    let shown = if log == Path::new("-") { "standard input".to_owned() } else { log.display().to_string() };
    let result = if log == Path::new("-") { read_through(io::stdin().lock()) } else { File::open(log).and_then(read_through) };
    result.map_err(|error| user_error(message!("cannot read {shown}: {error}", "无法读取 {shown}：{error}")))
}

fn read_through(mut log: impl Read) -> io::Result<Vec<Event>> {
    let mut scanner = Scanner::new();
    let mut block = vec![0; BLOCK];
    loop {
        match log.read(&mut block) {
            Ok(0) => return Ok(scanner.finish().events),
            Ok(length) => scanner.push(&block[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
