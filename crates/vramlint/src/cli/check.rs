//! Arguments of `check`.

use super::common::CommonArgs;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use vramlint_base::Severity;
use vramlint_project::config;

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct CheckArgs {
    /// Files and folders to check; `-` for standard input
    #[arg(default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// File name to assume for standard input
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<PathBuf>,
    /// Output format [default: full, or github on GitHub Actions]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) output_format: Option<Format>,
    /// File to write the findings to
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,
    /// Apply safe fixes: those that keep the meaning, or are certainly what was intended
    #[arg(long)]
    pub(crate) fix: bool,
    /// With --fix or --diff: also apply fixes that may change what is trained
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Print the changes that --fix would make as a patch, without making them
    #[arg(long)]
    pub(crate) diff: bool,
    /// Rules to enable (overrides the configuration): names, codes, prefixes, `all`
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) select: Option<Vec<String>>,
    /// Rules to disable
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) ignore: Vec<String>,
    /// Additional rules to enable
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    pub(crate) extend_select: Vec<String>,
    /// Rule preset to use (overrides the configuration)
    #[arg(long, value_enum, value_name = "PRESET")]
    pub(crate) preset: Option<Preset>,
    /// Baseline file: report only findings that it does not list
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write current findings to a baseline file [default file: vramlint-baseline.json]
    #[arg(long, conflicts_with_all = ["fix", "diff", "add_ignore", "statistics"])]
    pub(crate) write_baseline: bool,
    /// Add a suppression comment for every finding; with --diff, only print the patch
    #[arg(long, conflicts_with_all = ["fix", "unsafe_fixes", "stdin_filename"])]
    pub(crate) add_ignore: bool,
    /// With --add-ignore: reason to write into the comments
    #[arg(long, value_name = "TEXT", requires = "add_ignore")]
    pub(crate) reason: Option<String>,
    /// Lowest severity that makes the exit status 1 [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub(crate) fail_on: Option<FailOn>,
    /// Exit 0 even if there are findings
    #[arg(long)]
    pub(crate) exit_zero: bool,
    /// Print counts per rule instead of findings
    #[arg(long)]
    pub(crate) statistics: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `--output-format` of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Source excerpts, labels, help and fixes
    Full,
    /// One line per finding
    Concise,
    /// One JSON object
    Json,
    /// One JSON object per line
    Jsonl,
    /// GitHub Actions annotations
    Github,
    /// GitLab Code Quality report
    Gitlab,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// `JUnit` XML: one test case per finding
    Junit,
    /// reviewdog Diagnostic Format
    Rdjson,
}

/// `--preset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// Every rule with its default severity
    Recommended,
    /// Every rule; advice becomes a warning
    Strict,
    /// Errors only
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
    /// Rejected by the library, or cannot do what it says
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
