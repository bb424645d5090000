//! The command line: commands and their arguments.

mod check;
mod common;
mod compare;
mod diff;
mod estimate;
mod fit;
mod gpu;
mod init;
mod lsp;
mod model;
mod oom;
mod rule;
mod runs;
mod schema;
mod why;

use crate::language;
use clap::{Parser, Subcommand};
use vramlint_base::Lang;

pub(crate) use check::{CheckArgs, Format};
pub(crate) use common::CommonArgs;
pub(crate) use compare::CompareArgs;
pub(crate) use diff::{DiffArgs, DiffFormat};
pub(crate) use estimate::{Amp, EstimateArgs, EstimateFormat, Method, SetupArgs, TaskName};
pub(crate) use fit::{FitArgs, Largest};
pub(crate) use gpu::{GpuArgs, GpuFormat};
pub(crate) use init::InitArgs;
pub(crate) use lsp::LspArgs;
pub(crate) use model::{AddModelArgs, ModelArgs, ModelCommand};
pub(crate) use oom::OomArgs;
pub(crate) use rule::{RuleArgs, RuleFormat};
pub(crate) use runs::{RunsArgs, RunsFormat};
pub(crate) use schema::{SchemaArgs, SchemaKind};
pub(crate) use why::WhyArgs;

const AFTER_HELP: &str = "\
Exit status: 0 no findings at or above --fail-on, 1 findings, 2 invalid usage, configuration or environment.
VRAMLINT_LOG=info|debug|trace logs to standard error: runs found; also how files were classified and which values are unknown; \
also every rule with its time. -v implies info.
中文消息：加 --lang zh，或使用中文系统语言。";

/// A linter for GPU-training configuration.
#[derive(Debug, Parser)]
#[command(name = "vramlint", version, about, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check files and folders
    Check(CheckArgs),
    /// Estimate the memory of each GPU and of the host, with a breakdown
    Estimate(Box<EstimateArgs>),
    /// Find the least change that makes a training fit a GPU, at the same effective batch size
    Fit(Box<FitArgs>),
    /// List the training runs: every setting, where it comes from, and what it overrides
    Runs(RunsArgs),
    /// Explain a file or a line: its kind, its runs, what decided each setting, and which unknown keeps rules silent
    Why(WhyArgs),
    /// Show what a change does to each run: effective batch, precision, memory, findings
    Diff(DiffArgs),
    /// Show what a run really took beside its estimate
    Compare(CompareArgs),
    /// Explain the out-of-memory failures in a log
    Oom(OomArgs),
    /// List the GPUs of this machine: memory, the processes that use it, and what that means for a run
    Gpu(GpuArgs),
    /// Write a vramlint.toml for this project and machine
    Init(InitArgs),
    /// Declare the architecture of a model that the catalog does not have
    Model(ModelArgs),
    /// Run the language server on standard input and output
    Lsp(LspArgs),
    /// Explain a rule
    Rule(RuleArgs),
    /// Print a JSON Schema
    Schema(SchemaArgs),
    /// Print a shell completion script
    Completions {
        /// Shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

impl Command {
    /// Language of error messages.
    pub(crate) fn language(&self) -> Lang {
        let flag = match self {
            Self::Check(args) => args.common.lang,
            Self::Estimate(args) => args.common.lang,
            Self::Fit(args) => args.common.lang,
            Self::Runs(args) => args.common.lang,
            Self::Why(args) => args.common.lang,
            Self::Oom(args) => args.common.lang,
            Self::Compare(args) => args.common.lang,
            Self::Diff(args) => args.common.lang,
            Self::Rule(args) => args.lang,
            Self::Gpu(args) => args.lang,
            Self::Init(args) => args.lang,
            Self::Model(ModelArgs { command: ModelCommand::Add(args) }) => args.lang,
            _ => None,
        };
        language::resolve(flag, None)
    }

    /// Whether `-v` was given.
    pub(crate) fn is_verbose(&self) -> bool {
        match self {
            Self::Check(args) => args.common.verbose,
            Self::Estimate(args) => args.common.verbose,
            Self::Fit(args) => args.common.verbose,
            Self::Runs(args) => args.common.verbose,
            Self::Why(args) => args.common.verbose,
            Self::Oom(args) => args.common.verbose,
            Self::Compare(args) => args.common.verbose,
            Self::Diff(args) => args.common.verbose,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_are_read_at_the_door() {
        let parsed = Cli::try_parse_from(["vramlint", "check", "--gpu-memory", "24GiB", "--gpus", "8"]).expect("legal");
        let Command::Check(args) = parsed.command else { panic!("check") };
        let target = args.common.target.target().expect("no driver is asked");
        assert_eq!((target.memory, target.count), (Some(24 << 30), Some(8)));
        assert!(Cli::try_parse_from(["vramlint", "check", "--gpu-memory", "much"]).is_err());
    }
}
