//! The commands: one file each.

mod check;
mod print;
mod rule;
mod runs;

use crate::cli::{Cli, Command};
use crate::exit::Status;

/// Runs a command.
pub(crate) fn run(cli: &Cli) -> anyhow::Result<Status> {
    match &cli.command {
        Command::Check(args) => check::run(args, &cli.look),
        Command::Runs(args) => runs::run(args, &cli.look),
        Command::Rule(args) => rule::run(args, &cli.look),
        Command::Schema { of } => print::schema(*of),
        Command::Completions { shell } => print::completions(*shell),
        Command::Man { command } => print::man(command.as_deref()),
    }
}
