//! One file per command.

mod check;
mod estimate;
pub(crate) mod gpu;
pub(crate) mod init;
pub(crate) mod lsp;
mod man;
mod rule;
mod runs;

use crate::cli::{Cli, Command, Common, SchemaOf};
use crate::exit::{Status, user_error};
use anyhow::Result;
use clap::CommandFactory;
use std::io::Write;
use std::path::PathBuf;
use vramlint_base::message;
use vramlint_project::Request;

/// Runs the command.
pub(crate) fn run(cli: &Cli) -> Result<Status> {
    match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Estimate(args) => estimate::run(args),
        Command::Gpu(args) => gpu::run(args),
        Command::Init(args) => init::run(args),
        Command::Lsp(args) => lsp::run(args),
        Command::Runs(args) => runs::run(args),
        Command::Rule(args) => rule::run(args),
        Command::Schema(args) => match args.what {
            SchemaOf::Accelerate => print(&crate::output::config_schema::accelerate()),
            SchemaOf::Deepspeed => print(&crate::output::config_schema::deepspeed()),
            SchemaOf::Gpu => print(&crate::output::gpu_json::schema_text()),
            SchemaOf::Vramlint => print(&vramlint_project::config::schema_text()),
        },
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "vramlint", &mut text);
            print(&String::from_utf8_lossy(&text))
        }
        Command::Man => print(&man::page(Cli::command())?),
    }
}

/// What `check` and `runs` ask of the project layer alike.
fn request(common: &Common, paths: &[PathBuf]) -> Result<Request> {
    Ok(Request {
        cwd: std::env::current_dir()
            .map_err(|error| user_error(message!("the working directory is not there: {error}", "找不到工作目录：{error}")))?,
        paths: paths.to_vec(),
        config: common.config.clone(),
        isolated: common.isolated,
        no_ignore: common.no_ignore,
        exclude: common.exclude.clone(),
        target: common.target.target()?,
        hub_caches: vramlint_project::hub_caches(),
        jobs: common.jobs,
        ..Request::default()
    })
}

/// Prints to standard output; ends with a line break.
fn print(text: &str) -> Result<Status> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.is_empty() && !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(Status::Clean)
}
