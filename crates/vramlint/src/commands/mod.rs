//! The commands, one file each.

mod check;
mod compare;
mod diff;
mod estimate;
mod fit;
mod gpu;
mod gpus_table;
mod init;
mod lsp;
mod man;
mod model;
mod oom;
mod rule;
mod runs;
mod why;

use crate::cli::{Cli, Command, SchemaKind};
use crate::exit::Status;
use crate::output::{config_schema, gpu_json};
use crate::stdio::print_stdout;
use anyhow::Result;
use clap::CommandFactory;

/// Runs the command.
pub(crate) fn run(cli: &Cli) -> Result<Status> {
    match &cli.command {
        Command::Check(args) => check::run(args),
        Command::Estimate(args) => estimate::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Diff(args) => diff::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Gpu(args) => gpu::run(args),
        Command::Init(args) => init::run(args),
        Command::Lsp(args) => lsp::run(args),
        Command::Model(args) => model::run(args),
        Command::Oom(args) => oom::run(args),
        Command::Runs(args) => runs::run(args),
        Command::Why(args) => why::run(args),
        Command::Rule(args) => rule::run(args),
        Command::Schema(args) => match args.what {
            SchemaKind::Accelerate => print(&config_schema::accelerate()),
            SchemaKind::Deepspeed => print(&config_schema::deepspeed()),
            SchemaKind::Gpu => print(&gpu_json::schema_text()),
            SchemaKind::Vramlint => print(&vramlint_project::config::schema_text()),
        },
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "vramlint", &mut text);
            print(&String::from_utf8_lossy(&text))
        }
        Command::Man => print(&man::page(Cli::command())?),
    }
}

fn print(text: &str) -> Result<Status> {
    print_stdout(text, false)?;
    Ok(Status::Clean)
}
