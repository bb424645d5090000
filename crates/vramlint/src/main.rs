//! The command line: arguments in, text and an exit status out. How a rule works is no business of this crate.

mod cli;
mod colour;
mod commands;
mod exit;
mod fixing;
mod language;
mod output;
mod progress;
mod request;
mod runs;
mod stream;
#[cfg(test)]
mod testing;

use clap::Parser;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

fn main() -> ExitCode {
    exit::hold_panics();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    let lang = language::decide(cli.look.lang, None);
    match catch_unwind(AssertUnwindSafe(|| commands::run(&cli))) {
        Ok(Ok(status)) => status.into(),
        Ok(Err(error)) => exit::failure(&error, lang),
        Err(_) => exit::bug(lang),
    }
}
