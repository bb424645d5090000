//! The `vramlint` binary: arguments in, text and an exit status out. It holds no rules.

mod auto_gpu;
mod cli;
mod color;
mod commands;
mod estimated_runs;
mod exit;
mod explained_failure;
mod gpu_list;
mod language;
mod logging;
mod output;
mod plans;
mod progress;
mod request;
mod setup_flags;
mod stdio;

use clap::Parser;
use std::process::ExitCode;

/// Interpreting a large repository allocates and frees millions of small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    exit::catch_panics(run).unwrap_or_else(|bug| {
        stdio::print_stderr(&bug);
        exit::Status::Error.into()
    })
}

fn run() -> ExitCode {
    let arguments = match cli::Cli::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::print_clap_error(&error),
    };
    logging::init(arguments.command.is_verbose());
    match commands::run(&arguments) {
        Ok(status) => status.into(),
        Err(error) => exit::report_failure(&error, arguments.command.language()),
    }
}
