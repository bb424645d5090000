//! Arguments.

mod estimate;

use crate::commands::gpu::GpuArgs;
use crate::commands::init::InitArgs;
use crate::commands::lsp::LspArgs;
use crate::{auto_gpu, color, language};
use anyhow::Result;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use vramlint_base::{Lang, Severity};
use vramlint_project::config::{self, Size};
use vramlint_resolve::Target;

pub(crate) use estimate::{Amp, EstimateArgs, EstimateFormat, Method, SetupArgs, TaskName};

const MORE: &str = "\
Exit status: 0 nothing at or above --fail-on, 1 findings, 2 the command line, the configuration or the machine is at fault.
中文消息：加 --lang zh，或使用中文系统语言。";

/// A linter for GPU-training configuration.
#[derive(Debug, Parser)]
#[command(name = "vramlint", version, about, arg_required_else_help = true, after_help = MORE)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check files and folders
    Check(CheckArgs),
    /// Predict the memory per GPU and of the host, and show why
    Estimate(Box<EstimateArgs>),
    /// Show the training runs: every setting, who set it, what that overrides
    Runs(RunsArgs),
    /// Show the cards of this machine: memory, who holds it, and what that means for a run
    Gpu(GpuArgs),
    /// Write a vramlint.toml for this project and this machine
    Init(InitArgs),
    /// Serve editors: the Language Server Protocol over standard input and output
    Lsp(LspArgs),
    /// Explain a rule
    Rule(RuleArgs),
    /// Print a JSON Schema
    Schema(SchemaArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

impl Command {
    /// The language in which a failure is told.
    pub(crate) fn language(&self) -> Lang {
        let flag = match self {
            Self::Check(args) => args.common.lang,
            Self::Estimate(args) => args.common.lang,
            Self::Runs(args) => args.common.lang,
            Self::Rule(args) => args.lang,
            Self::Gpu(args) => args.lang,
            Self::Init(args) => args.lang,
            _ => None,
        };
        language::resolve(flag, None)
    }
}

/// What several commands share.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct Common {
    /// Use this configuration file instead of the nearest ones
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration files
    #[arg(long, conflicts_with = "config")]
    pub(crate) isolated: bool,
    /// Read files that .gitignore or `exclude` leave out
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Leave out what this glob matches; may be repeated
    #[arg(long, value_name = "GLOB", value_delimiter = ',')]
    pub(crate) exclude: Vec<String>,
    /// When to use colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub(crate) color: color::ColorChoice,
    /// Language of the messages [default: the configuration's, else the locale's]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
    /// Threads; 0 for as many as there are cores
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) jobs: usize,
    /// Print findings and nothing else
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say which configuration ruled, what was skipped, and how long it took
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// The machine, on top of every `[target]`.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target")]
pub(crate) struct TargetArgs {
    /// The card, by name; `auto` for those of this machine
    #[arg(long, value_name = "NAME")]
    gpu: Option<String>,
    /// Memory of one card: 24GiB, 20480MiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    gpu_memory: Option<u64>,
    /// Cards per node
    #[arg(long, value_name = "N")]
    gpus: Option<u32>,
    /// Nodes
    #[arg(long, value_name = "N")]
    nodes: Option<u32>,
    /// Memory of the host: 256GiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    host_memory: Option<u64>,
}

fn size(text: &str) -> Result<u64, String> {
    Size::parse(text).map(|size| size.0).map_err(|why| why.en)
}

impl TargetArgs {
    /// Asks the driver where `--gpu auto` says so.
    pub(crate) fn target(&self) -> Result<Target> {
        auto_gpu::resolve(Target {
            gpu: self.gpu.clone(),
            memory: self.gpu_memory,
            count: self.gpus,
            nodes: self.nodes,
            host_memory: self.host_memory,
            os: None,
        })
    }
}

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct CheckArgs {
    /// Files and folders; `-` for standard input
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// The name that the text on standard input has
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Format of the findings [default: full, or github on GitHub Actions]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<Format>,
    /// Write the findings to this file
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Apply safe fixes: those that keep the meaning, or are certainly what was meant
    #[arg(long)]
    pub(crate) fix: bool,
    /// With --fix or --diff: take fixes that may change what is trained too
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Print what --fix would change as a patch, and change nothing
    #[arg(long)]
    pub(crate) diff: bool,
    /// Rules to check, instead of the configuration's: names, codes, prefixes, `all`
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) select: Option<Vec<String>>,
    /// Rules to leave out
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Rules to check besides
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) extend_select: Vec<String>,
    /// Which findings are told, instead of the configuration's preset
    #[arg(long, value_enum, value_name = "PRESET")]
    pub(crate) preset: Option<Preset>,
    /// Leave out the findings that this file knows: only new ones are told
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write all findings to the baseline [default file: vramlint-baseline.json]
    #[arg(long, conflicts_with_all = ["fix", "diff", "add_ignore", "statistics"])]
    pub(crate) write_baseline: bool,
    /// Write a suppression for every finding into its file; with --diff only show them
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes", "stdin_filename"])]
    pub(crate) add_ignore: bool,
    /// With --add-ignore: why, as the comments say it
    #[arg(long, value_name = "TEXT", requires = "add_ignore")]
    pub(crate) reason: Option<String>,
    /// Least severity that makes the exit status 1 [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<FailOn>,
    /// Exit with 0 whatever is found
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Count findings by rule instead of showing them
    #[arg(long)]
    pub(crate) statistics: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `--output-format` of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Source, labels, help and fixes
    Full,
    /// One line a finding
    Concise,
    /// One JSON object
    Json,
    /// One JSON object a line
    Jsonl,
    /// Annotations of GitHub Actions
    Github,
    /// GitLab's Code Quality
    Gitlab,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// XML of test results: a case for each finding
    Junit,
    /// reviewdog's Diagnostic Format
    Rdjson,
}

/// `--preset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// Every rule with its own severity
    Recommended,
    /// Every rule; advice counts as warning
    Strict,
    /// Errors alone
    Errors,
}

impl From<Preset> for config::Preset {
    fn from(preset: Preset) -> Self {
        match preset {
            Preset::Recommended => Self::Recommended,
            Preset::Strict => Self::Strict,
            Preset::Errors => Self::Errors,
        }
    }
}

/// `--fail-on`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Refused, or cannot do what it says
    Error,
    /// Wasteful, or not as written
    Warning,
    /// Advice
    Info,
}

impl From<FailOn> for Severity {
    fn from(level: FailOn) -> Self {
        match level {
            FailOn::Error => Self::Error,
            FailOn::Warning => Self::Warning,
            FailOn::Info => Self::Info,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Files and folders
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// Format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RunsFormat,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// `--output-format` of `runs`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RunsFormat {
    /// A table
    #[default]
    Text,
    /// One JSON object
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct RuleArgs {
    /// Name or code
    #[arg(required_unless_present = "all")]
    pub(crate) rule: Option<String>,
    /// Every rule
    #[arg(long, conflicts_with = "rule")]
    pub(crate) all: bool,
    /// Format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(crate) output_format: RuleFormat,
    /// Language of the page [default: the locale's]
    #[arg(long, value_enum, value_name = "LANG")]
    pub(crate) lang: Option<language::LanguageChoice>,
}

/// `--output-format` of `rule`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleFormat {
    /// For a terminal
    #[default]
    Text,
    /// One JSON object or list
    Json,
    /// Markdown
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// What it describes
    pub(crate) what: SchemaOf,
}

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// accelerate's configuration
    Accelerate,
    /// DeepSpeed's JSON
    Deepspeed,
    /// vramlint.toml
    Vramlint,
    /// `vramlint gpu --output-format json`
    Gpu,
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
