//! Arguments.

use crate::{colour, language};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use vramlint_base::Severity;
use vramlint_project::config::Size;

/// A linter for GPU-training configuration: accelerate, DeepSpeed, transformers, TRL and what launches them.
#[derive(Debug, Parser)]
#[command(name = "vramlint", bin_name = "vramlint", version, about, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) look: Look,
}

/// What every command understands.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Look {
    /// When to use colour
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: colour::Choice,
    /// Language of the messages [default: that of the configuration, else of the locale]
    #[arg(long, global = true, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::Choice>,
    /// Print findings and nothing else
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say which configuration ruled, what was skipped and how long it took
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check files and folders
    Check(Box<CheckArgs>),
    /// Show the training runs: every setting, who set it, what that overrides
    Runs(RunsArgs),
    /// Explain a rule
    Rule(RuleArgs),
    /// Print a JSON Schema
    Schema {
        /// Of which file
        #[arg(value_enum)]
        of: Schema,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man {
        /// Of this command instead of vramlint as a whole
        command: Option<String>,
    },
}

/// Which files are read, and under which configuration.
#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Files and folders; `-` for standard input [default: .]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The name that the text on standard input has
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Use this configuration file instead of the nearest one above each file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration files
    #[arg(long)]
    pub(crate) isolated: bool,
    /// Read files that .gitignore or the configuration excludes, too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Leave out files that match; several with commas or by giving it again
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Threads to use; 0 for as many as there are cores
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) jobs: usize,
}

/// The machine that the project trains on, on top of `[target]` of every configuration.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Target")]
pub(crate) struct TargetArgs {
    /// The card, by name: A100-SXM4-40GB
    #[arg(long, value_name = "NAME")]
    pub(crate) gpu: Option<String>,
    /// Memory of one card: 24GiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) gpu_memory: Option<u64>,
    /// Cards per node; 0 for none
    #[arg(long, value_name = "N")]
    pub(crate) gpus: Option<u32>,
    /// Nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) nodes: Option<u32>,
    /// Memory of one host: 256GiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) host_memory: Option<u64>,
}

/// A size in bytes, as the configuration reads it.
fn size(text: &str) -> Result<u64, String> {
    Size::parse(text).map(|size| size.0).map_err(|why| why.en)
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// Format of the findings [default: github if `GITHUB_ACTIONS=true`, else full]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<Format>,
    /// Write the findings to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Apply safe fixes
    #[arg(long)]
    pub(crate) fix: bool,
    /// Count in fixes that may change what is trained
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Show what --fix would change, and change nothing; exit status 1 if there is anything
    #[arg(long)]
    pub(crate) diff: bool,
    /// Check these rules and no others: names, codes, prefixes of codes or `all`
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    pub(crate) select: Option<Vec<String>>,
    /// Leave these rules out
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    pub(crate) ignore: Vec<String>,
    /// Check these rules as well
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Rules")]
    pub(crate) extend_select: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Least severity that makes the exit status 1 [default: that of the configuration, else warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<FailOn>,
    /// Exit with 0 whatever is found
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Count the findings of each rule instead of showing them
    #[arg(long, conflicts_with = "diff")]
    pub(crate) statistics: bool,
}

/// Arguments of `runs`.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    #[command(flatten)]
    pub(crate) files: Files,
    /// Format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// Arguments of `rule`.
#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// Name or code; without one the rules are listed
    #[arg(value_name = "NAME or CODE", conflicts_with = "all")]
    pub(crate) rule: Option<String>,
    /// Explain every rule
    #[arg(long)]
    pub(crate) all: bool,
    /// Format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RuleFormat,
}

/// `--output-format` of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Source, places, help and fixes
    Full,
    /// One line a finding
    Concise,
    /// One JSON object
    Json,
    /// One JSON object a line
    Jsonl,
    /// Annotations of GitHub Actions
    Github,
}

/// `--output-format` of `runs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunsFormat {
    /// A table a run
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// `--output-format` of `rule`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleFormat {
    /// For reading
    #[default]
    Text,
    /// One JSON object, or a list of them
    Json,
    /// Markdown
    Markdown,
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// What the library refuses
    Error,
    /// What wastes memory or trains something other than what is written, too
    Warning,
    /// Advice, too
    Info,
}

impl From<FailOn> for Severity {
    fn from(least: FailOn) -> Self {
        match least {
            FailOn::Error => Self::Error,
            FailOn::Warning => Self::Warning,
            FailOn::Info => Self::Info,
        }
    }
}

/// Files that have a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Schema {
    /// vramlint.toml
    Vramlint,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn check(arguments: &[&str]) -> Result<CheckArgs, clap::Error> {
        let all = ["vramlint", "check"].iter().chain(arguments);
        match Cli::try_parse_from(all)?.command {
            Command::Check(args) => Ok(*args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_definition_is_sound_and_every_argument_has_help() {
        fn all_helped(command: &clap::Command) {
            for argument in command.get_arguments() {
                assert!(argument.get_help().is_some(), "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(all_helped);
        }
        Cli::command().debug_assert();
        all_helped(&Cli::command());
    }

    #[test]
    fn lists_may_be_joined_or_repeated() {
        let args = check(&["--select", "VL1,VL2", "--select", "all", "--exclude", "a/{b,c}"]).expect("accepted");
        assert_eq!(args.select, Some(vec!["VL1".to_owned(), "VL2".to_owned(), "all".to_owned()]));
        assert_eq!(args.files.exclude, ["a/{b,c}"]);
        assert_eq!(check(&[]).expect("accepted").select, None);
    }

    #[test]
    fn sizes_are_bytes_and_bad_ones_are_refused_with_status_2() {
        assert_eq!(check(&["--gpu-memory", "24GiB"]).expect("accepted").target.gpu_memory, Some(24 << 30));
        for arguments in [["--gpu-memory", "24"], ["--nodes", "0"], ["--gpus", "-1"], ["--config", "a"]] {
            let error = match arguments[0] {
                "--config" => check(&["--config", "a", "--isolated"]),
                _ => check(&arguments),
            };
            assert_eq!(error.expect_err(arguments[0]).exit_code(), 2);
        }
    }

    #[test]
    fn global_options_stand_before_or_behind_the_command() {
        for arguments in [["vramlint", "--lang", "zh", "check"], ["vramlint", "check", "--lang", "zh"]] {
            assert_eq!(Cli::try_parse_from(arguments).expect("accepted").look.lang, Some(language::Choice::Zh));
        }
    }
}
