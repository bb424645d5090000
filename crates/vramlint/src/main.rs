//! The command line: arguments in, text and an exit status out. How a rule works is no business of this crate.

mod auto_gpu;
mod cli;
mod color;
mod commands;
mod exit;
mod language;
mod output;
mod progress;

use clap::Parser;
use std::process::ExitCode;

/// Reading the code of a large repository makes and drops millions of small values.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    exit::catch_panics(run).unwrap_or_else(|bug| {
        exit::print_stderr(&bug);
        exit::Status::Error.into()
    })
}

fn run() -> ExitCode {
    let arguments = match cli::Cli::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return exit::print_clap_error(&error),
    };
    match commands::run(&arguments) {
        Ok(status) => status.into(),
        Err(error) => exit::report_failure(&error, arguments.command.language()),
    }
}
